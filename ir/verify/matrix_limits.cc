#include "ir/verify/matrix_limits.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/operand_layout.h"
#include "ir/layout/layout_pieces.h"
#include "ir/op_kinds.h"
#include "ir/verify/nearest_size.h"
#include "ir/views/tile.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

MmaShape shapeOf(const Op &mma) {
  Type a = mma.operand(0)->type(), b = mma.operand(1)->type(), result = mma.result()->type();
  return {a.elem(), b.elem(), result.elem(), result.extent(0), result.extent(1), a.extent(1)};
}

void reportCombination(const Op &mma, const MmaShape &wanted, const TargetInfo &target, Diagnostics &diagnostics) {
  std::vector<MmaShape> typed;
  std::ranges::copy_if(mmaShapes(target), std::back_inserter(typed),
                       [&](const MmaShape &shape) { return typesText(shape) == typesText(wanted); });
  Diagnostic &diagnostic = diagnostics.report(DiagCode::MatrixCombination, mma.range(),
                                              str("the matrix unit of ", target.name, " has no product ", typesText(wanted),
                                                  typed.empty() ? std::string() : str(" of ", sizesText(wanted))));
  if (!typed.empty()) diagnostic.note(str("the nearest size that works: ", sizesText(nearestProduct(typed, wanted))));
  diagnostic.withPicture(str(target.name, " supports, M x N x K\n", mmaTable(typed.empty() ? mmaShapes(target) : typed)));
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return out;
}

// The name of an instruction, such as DPAS_F32_8x16x16_F16: its result, sizes and operands.
std::string kindName(const MmaShape &shape) {
  std::string operands = upper(elemName(shape.a));
  if (shape.a != shape.b) operands += "_" + upper(elemName(shape.b));
  return str("DPAS_", upper(elemName(shape.result)), "_", sizesText(shape), "_", operands);
}

const MmaInstruction *findKind(const TargetInfo &target, std::string_view name) {
  auto found = std::ranges::find_if(target.mma, [&](const MmaInstruction &product) { return kindName(product) == name; });
  return found == target.mma.end() ? nullptr : &*found;
}

class MmaKindCheck {
public:
  MmaKindCheck(const Op &op, const TargetInfo &target, Context &context, Diagnostics &diagnostics)
      : op_(op), target_(target), context_(context), diagnostics_(diagnostics) {}

  void check(std::string_view name) {
    const MmaInstruction *product = findKind(target_, name);
    if (!product) return reportUnknown(name);
    const Layout *lanes = lanesOfPiece(context_, *op_.result()->type().layout());
    std::array<const MmaOperandLayout *, 3> operands = {&product->aLayout, &product->bLayout, &product->cLayout};
    std::string picture;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Layout *operand = registerLayout(context_, *operands[i]).layout;
      if (!operand) continue;
      if (lanes && lanes->rank() == operand->rank() && sliced(context_, lanes, operand->shape()) == operand) return;
      picture += str(std::array{"a", "b", "c"}[i], ": ", shapeText(operand->shape()), ", ", operand->text(), "\n");
    }
    diagnostics_
        .report(DiagCode::MmaKind, op_.range(),
                str("this layout gives the lanes other elements than ", name, " takes or returns"))
        .withLabel(op_.result()->type().layout()->text())
        .withPicture(str("the layouts of its operands\n", picture));
  }

private:
  void reportUnknown(std::string_view name) {
    if (target_.mma.empty()) return; // without a matrix unit, the layout is only a layout
    std::vector<std::string> names;
    for (const MmaInstruction &product : target_.mma) names.push_back(kindName(product));
    diagnostics_.report(DiagCode::MmaKind, op_.range(), str(target_.name, " has no instruction ", name))
        .withPicture(str("it has\n", join(names, "\n"), "\n"));
  }

  const Op &op_;
  const TargetInfo &target_;
  Context &context_;
  Diagnostics &diagnostics_;
};

} // namespace

Result<void> checkMatrixCombinations(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics) {
  if (target.mma.empty()) return {};
  size_t before = diagnostics.errorCount();
  walk(kernel.body, [&](const Op &op) {
    if (op.kind() != OpKind::TileMma || !TileMmaOp(op).jointMatrix()) return;
    MmaShape wanted = shapeOf(op);
    if (!findProduct(target, wanted)) reportCombination(op, wanted, target, diagnostics);
  });
  return diagnostics.errorCount() == before ? Result<void>() : Error::diagnosed();
}

Result<void> checkMmaKinds(const Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount();
  walk(kernel.body, [&](const Op &op) {
    if (op.kind() != OpKind::ConvertLayout) return;
    if (std::string_view kind = ConvertLayoutOp(op).mmaKind(); !kind.empty())
      MmaKindCheck(op, target, context, diagnostics).check(kind);
  });
  return diagnostics.errorCount() == before ? Result<void>() : Error::diagnosed();
}

} // namespace xt
