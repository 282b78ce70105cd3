// Forms of MLIR that differ from the language's own: flags after the operands, the accumulator of a dpas as the first operand, and
// dimensions that follow from the types.
#include "ir/base/text.h"
#include "ir/op_flags.h"
#include "ir/op_kinds.h"
#include "lang/lower/kernel_lowering.h"

#include <algorithm>

namespace xt {
namespace {

bool lists(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    size_t space = words.find(' ');
    if (words.substr(0, space) == word) return true;
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
  return false;
}

std::vector<int64_t> shapeOf(Type type) { return {type.shape().begin(), type.shape().end()}; }

} // namespace

// --- flags -----------------------------------------------------------------------------------------------------------

bool KernelLowering::takeFlags(const ast::OpClause &clause, OpDraft &draft) {
  bool ok = true;
  for (const ast::Attr &flag : clause.flags) {
    const FlagInfo *info = findFlag(flag.name.text);
    if (!info) continue; // the parser knows all
    const auto &taken = draft.info->flags;
    if (info->flag == OpFlag::Attribute) {
      ok &= flagAttribute(flag, draft);
    } else if (info->flag == OpFlag::OtherRounding && std::find(taken.begin(), taken.end(), OpFlag::Rounding) != taken.end()) {
      diagnostics()
          .report(DiagCode::NotSupported, flag.name.range,
                  str("`", draft.info->name, "` rounds to nearest even, not `", info->word, "`"))
          .note("every op rounds to nearest even: write `to_nearest_even` or nothing");
      ok = false;
    } else if (std::find(taken.begin(), taken.end(), info->flag) == taken.end()) {
      Diagnostic &unknown = diagnostics().report(DiagCode::UnknownAttribute, flag.name.range,
                                                 str("`", draft.info->name, "` has no flag `", info->word, "`"));
      if (taken.size()) unknown.note(str("it has ", flagWords(*draft.info)));
      ok = false;
    } else if (info->values.empty() != flag.entries.empty()) {
      diagnostics().report(DiagCode::AttributeValue, flag.range,
                           info->values.empty() ? str("`", info->word, "` has no values")
                                                : str("`", info->word, "` must list one or more of: ", info->values));
      ok = false;
    } else {
      for (const ast::Attr::Entry &entry : flag.entries) {
        if (lists(info->values, entry.key.text) && !entry.value) continue;
        diagnostics().report(DiagCode::AttributeValue, entry.range,
                             str("`", info->word, "` must list one or more of: ", info->values));
        ok = false;
      }
    }
  }
  return ok;
}

// Takes `uniform` as the attribute of that name, and `cluster(size = 4, stride = 2)` as the attributes cluster_size and cluster_stride.
bool KernelLowering::flagAttribute(const ast::Attr &flag, OpDraft &draft) {
  ast::Attr::Entry whole{flag.name, {}, flag.range};
  if (flag.kind == ast::Attr::Kind::Word) return namedAttr(whole, draft);
  bool ok = true;
  for (const ast::Attr::Entry &entry : flag.entries) {
    if (!entry.key || !entry.value) {
      diagnostics().report(DiagCode::AttributeValue, entry.range,
                           str("the attributes after `", flag.name.text, "` are written as (key = value)"));
      ok = false;
      continue;
    }
    ast::Attr::Entry named = entry;
    named.key.text = str(flag.name.text, "_", entry.key.text);
    ok &= namedAttr(named, draft);
  }
  return ok;
}

// --- operands and dimensions -----------------------------------------------------------------------------------------

// Rotates the operands of `dpas %c, %a, %b` (the order of the "RFC for XeTile and XeGPU Dialect") to a, b, c, if the type rule refuses them as written and accepts
// them rotated.
void KernelLowering::accumulatorLast(const ast::OpClause &clause, OpDraft &draft) {
  bool mma = draft.info->kind == OpKind::Dpas || draft.info->kind == OpKind::TileMma;
  if (!mma || draft.operands.size() != 3 || !clause.op.text.ends_with("dpas")) return;
  auto fits = [&](const std::vector<Value *> &operands) {
    Diagnostics scratch;
    std::vector<Type> types, results;
    for (const Value *operand : operands) types.push_back(operand->type());
    return inferTypes({context_, *draft.info, types, {}, draft.attrs, {}, {}, draft.range, scratch, lanes_}, results);
  };
  if (fits(draft.operands)) return;
  std::vector<Value *> rotated = {draft.operands[1], draft.operands[2], draft.operands[0]};
  if (!fits(rotated)) return;
  draft.operands = std::move(rotated);
  std::rotate(draft.operandRanges.begin(), draft.operandRanges.begin() + 1, draft.operandRanges.end());
}

// Derives the attribute `dims` from the types where it is left out: for an iota of one dimension, and for MLIR's vector.broadcast.
bool KernelLowering::dimsFollow(const ast::OpClause &clause, OpDraft &draft) {
  bool given = std::any_of(draft.attrs.begin(), draft.attrs.end(), [](const Attr &attr) { return attr.name == "dims"; });
  if (given || (draft.info->kind != OpKind::Iota && draft.info->kind != OpKind::Broadcast)) return true;
  if (draft.info->kind == OpKind::Broadcast && clause.op.text == "vector.broadcast" && draft.written &&
      draft.written.isVector())
    return stretch(draft);
  if (draft.info->kind != OpKind::Iota || !draft.written || draft.written.rank() != 1)
    return missingAttr(clause, draft, "dims");
  draft.attrs.push_back({"dims", std::vector<int64_t>{0}, {}});
  return true;
}

// Lowers MLIR's broadcast of a vector, which matches the last dimensions and stretches extents of 1: the operand gets a leading
// dimension if it has one fewer than the result, and a first `broadcast` if both dimensions stretch.
bool KernelLowering::stretch(OpDraft &draft) {
  Type from = draft.operands[0]->type(), to = draft.written;
  SourceRange range = draft.operandRanges[0];
  if (from.rank() == 1 && to.rank() == 2) {
    from = context_.vector({1, from.extent(0)}, from.elem());
    draft.operands[0] = emit(OpKind::Reshape, {draft.operands[0]}, {range}, range, {}, from);
    if (!draft.operands[0]) return false;
  }
  std::vector<int64_t> stretched;
  for (int d = 0; from.rank() == 2 && to.rank() == 2 && d < 2; ++d)
    if (from.extent(d) == 1 && to.extent(d) != 1) stretched.push_back(d);
  if (stretched.size() == 2) {
    std::vector<int64_t> shape = shapeOf(from);
    shape[0] = to.extent(0);
    draft.operands[0] = emit(OpKind::Broadcast, {draft.operands[0]}, {range}, range, {{"dims", std::vector<int64_t>{0}, {}}},
                             context_.vector(std::move(shape), from.elem()));
    if (!draft.operands[0]) return false;
  }
  int64_t dim = stretched.empty() ? (from.extent(0) == 1 ? 0 : 1) : stretched.back();
  draft.attrs.push_back({"dims", std::vector<int64_t>{dim}, {}});
  return true;
}

} // namespace xt
