#include "ir/infer/movement_remarks.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/layout/layout.h"
#include "ir/layout/layout_pieces.h"
#include "ir/op_kinds.h"

#include <array>

namespace xt {
namespace {

std::string bytesText(int64_t bytes) {
  return bytes >= 1024 && bytes % 1024 == 0 ? str(bytes / 1024, " KiB") : str(bytes, " bytes");
}

int64_t storage(Type type) { return elemInfo(type.elem()).storageBytes; }

class Movements {
public:
  Movements(Context &context, std::span<const LayoutAlias> aliases, Diagnostics &diagnostics)
      : context_(context), aliases_(aliases), diagnostics_(diagnostics) {}

  void look(const Op &op) {
    switch (op.kind()) {
    case OpKind::ConvertLayout: return moved(op, op.operand(0)->type().layout(), op.result()->type());
    case OpKind::Transpose:
      return moved(op, transposed(context_, op.operand(0)->type().layout(), permutationOf(op)), op.result()->type());
    case OpKind::Reduction: return reduction(op);
    case OpKind::TileMma: return mma(op);
    case OpKind::StoreTile:
    case OpKind::StoreScatter:
    case OpKind::AtomicRmw:
    case OpKind::AtomicCas: return stores(op);
    default: return;
    }
  }

private:
  std::string spell(Type type, const Layout *layout) const {
    const LayoutAlias *alias = aliasOf(context_, aliases_, type, layout);
    return alias ? "#" + alias->name : layout->text();
  }

  // The text for the barriers that a movement takes. In a loop, all subgroups must have read the shared local memory before it
  // is written again.
  static std::string barriers(const Op &op) {
    for (const Op *around = op.block()->parentOp(); around; around = around->block()->parentOp())
      if (carriedAt(*around).loops) return "1 barrier per iteration, 2 if the loop has no other barrier";
    return "1 barrier";
  }

  void stays(const Op &op, std::string_view how) {
    diagnostics_.report(DiagCode::MovesAcrossSubgroups, op.range(),
                        str("`", op.info().name, "` moves nothing between subgroups: ", how));
  }

  // `from`: the operand's layout, mapped to the result's shape.
  void moved(const Op &op, const Layout *from, Type to) {
    bool turns = op.kind() == OpKind::Transpose, alike = true;
    for (int d = 0; d < from->rank(); ++d) alike &= dimPieces(*from, d) == dimPieces(*to.layout(), d);
    if (alike) return stays(op, turns ? "each transposes its own elements" : "each already holds the elements that it needs");
    if (std::optional<SubgroupChoice> choice = choiceWithin(*from, *to.layout()); choice && !turns)
      return stays(op, choice->count == 1 ? "each keeps a part of its elements"
                                          : str("each keeps one of ", choice->count, " parts of its elements"));
    // If `bytes` is 0, no element has to change its subgroup, but the op moves the whole vector nevertheless.
    int64_t bytes = movedBytes(from, to.layout(), storage(to));
    diagnostics_
        .report(DiagCode::MovesAcrossSubgroups, op.range(),
                str("`", op.info().name, "` moves ", bytesText(bytes ? bytes : to.byteCount()),
                    " between subgroups: through shared local memory, ", barriers(op)))
        .note(str("from ", spell(to, from), " to ", spell(to, to.layout())));
  }

  // If several subgroups hold partial results of the same element, they combine them through shared local memory.
  void reduction(const Op &op) {
    Type from = op.operand(0)->type(), to = op.result()->type();
    auto dim = static_cast<int>(dimensionOf(op));
    int64_t block = from.extent(dim) / to.extent(dim);
    int64_t held = 0; // elements of a block that one subgroup holds
    for (int64_t index : from.layout()->sliceOf(0, dim)) held += index < block;
    if (held == 0 || held == block) return stays(op, "each holds all terms of its results");
    int64_t partial = to.elementCount() * storage(to) * (block / held);
    diagnostics_
        .report(DiagCode::MovesAcrossSubgroups, op.range(),
                str("the terms of a result of this `reduction` are spread over ", block / held,
                    " subgroups: ", bytesText(partial), " of partial results go through shared local memory, ", barriers(op)))
        .note("a layout in which a subgroup holds the whole reduced dimension avoids this");
  }

  // Of the subgroups that hold an element, only the first one stores it.
  void stores(const Op &op) {
    const Value *tile = nullptr;
    for (const Value *operand : op.operands())
      if (operand->type().isTile()) tile = operand;
    const Layout *layout = tile->type().layout();
    int64_t copies = 1;
    for (const Factor &copy : layout->replication())
      if (copy.axis == Axis::Subgroup) copies *= copy.extent;
    if (copies == 1) return;
    bool atomic = AtomicUpdate::is(op);
    diagnostics_
        .report(DiagCode::MovesAcrossSubgroups, op.range(),
                str(copies, " subgroups hold each element: the first of them ", atomic ? "updates" : "stores", " it"))
        .note(str("in the layout ", spell(tile->type(), layout)));
  }

  // A subgroup needs all of K for its part of the result.
  void mma(const Op &op) {
    for (size_t i = 0; i < 2; ++i) {
      Type type = op.operand(i)->type();
      int k = i == 0 ? 1 : 0;
      auto whole = type.extent(k), held = static_cast<int64_t>(type.layout()->sliceOf(0, k).size());
      if (held == whole) continue;
      std::array dims = {DimOf{type.layout(), 0}, DimOf{type.layout(), 1}};
      dims[static_cast<size_t>(k)].layout = nullptr;
      const Layout *wanted = combined(context_, dims, type.shape());
      int64_t bytes = wanted ? movedBytes(type.layout(), wanted, storage(type)) : type.byteCount();
      auto &diagnostic =
          diagnostics_.report(DiagCode::MovesAcrossSubgroups, op.operandRange(i),
                              str("K of operand ", i == 0 ? "a" : "b", " is spread over ", whole / held,
                                  " subgroups: ", bytesText(bytes), " go through shared local memory, ", barriers(op)));
      if (wanted) diagnostic.note(str("with ", spell(type, wanted), " every subgroup holds the elements that it needs"));
    }
  }

  Context &context_;
  std::span<const LayoutAlias> aliases_;
  Diagnostics &diagnostics_;
};

} // namespace

void remarkMovements(const Kernel &kernel, Context &context, std::span<const LayoutAlias> aliases, Diagnostics &diagnostics) {
  if (kernel.scope != Scope::Workgroup) return;
  Movements movements(context, aliases, diagnostics);
  walk(kernel.body, [&](const Op &op) { movements.look(op); });
}

} // namespace xt
