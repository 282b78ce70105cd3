#include "lang/lower/mlir_forms.h"

#include "ir/base/text.h"
#include "ir/infer/type_rules.h"
#include "ir/op_flags.h"
#include "ir/op_kinds.h"
#include "lang/lower/op_attributes.h"
#include "lang/lower/op_lowering.h"

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

// Takes `uniform` as the attribute of that name, and `cluster(size = 4, stride = 2)` as the attributes cluster_size and
// cluster_stride.
bool flagAttribute(KernelState &state, const ast::Attr &flag, OpDraft &draft) {
  ast::Attr::Entry whole{flag.name, {}, flag.range};
  if (flag.kind == ast::Attr::Kind::Word) return takeNamedAttribute(state, whole, draft);
  bool ok = true;
  for (const ast::Attr::Entry &entry : flag.entries) {
    if (!entry.key || !entry.value) {
      state.diagnostics().report(DiagCode::AttributeValue, entry.range,
                                 str("the attributes after `", flag.name.text, "` are written as (key = value)"));
      ok = false;
      continue;
    }
    ast::Attr::Entry named = entry;
    named.key.text = str(flag.name.text, "_", entry.key.text);
    ok &= takeNamedAttribute(state, named, draft);
  }
  return ok;
}

// Takes one flag. Returns false if an error was reported.
bool takeFlag(KernelState &state, const ast::Attr &flag, const FlagInfo &info, OpDraft &draft) {
  Diagnostics &diagnostics = state.diagnostics();
  const auto &taken = draft.info->flags;
  auto takes = [&](OpFlag which) { return std::find(taken.begin(), taken.end(), which) != taken.end(); };
  auto mustList = [&] { return str("`", info.word, "` must list one or more of: ", info.values); };
  if (info.flag == OpFlag::Attribute) return flagAttribute(state, flag, draft);
  if (info.flag == OpFlag::OtherRounding && takes(OpFlag::Rounding)) {
    diagnostics
        .report(DiagCode::NotSupported, flag.name.range,
                str("`", draft.info->name, "` rounds to nearest even, not `", info.word, "`"))
        .note("every op rounds to nearest even: write `to_nearest_even` or nothing");
    return false;
  }
  if (!takes(info.flag)) {
    Diagnostic &unknown = diagnostics.report(DiagCode::UnknownAttribute, flag.name.range,
                                             str("`", draft.info->name, "` has no flag `", info.word, "`"));
    if (taken.size()) unknown.note(str("it has ", flagWords(*draft.info)));
    return false;
  }
  if (info.values.empty() != flag.entries.empty()) {
    diagnostics.report(DiagCode::AttributeValue, flag.range,
                       info.values.empty() ? str("`", info.word, "` has no values") : mustList());
    return false;
  }
  bool ok = true;
  for (const ast::Attr::Entry &entry : flag.entries) {
    if (lists(info.values, entry.key.text) && !entry.value) continue;
    diagnostics.report(DiagCode::AttributeValue, entry.range, mustList());
    ok = false;
  }
  return ok;
}

// Lowers MLIR's broadcast of a vector, which aligns the last dimensions and stretches extents of 1: an operand of fewer dimensions
// gets leading ones of extent 1 first. The op of the draft stretches the last of the dimensions, and an op of its own each
// dimension before it.
bool stretch(KernelState &state, OpDraft &draft) {
  SourceRange range = draft.operandRanges[0];
  std::vector<int64_t> from = shapeOf(draft.operands[0]->type()), to = shapeOf(draft.written);
  Elem elem = draft.operands[0]->type().elem();
  if (from.size() < to.size()) {
    from.insert(from.begin(), to.size() - from.size(), 1);
    draft.operands[0] =
        emitOp(state, OpKind::Reshape, {draft.operands[0]}, {range}, range, {}, state.context.vector(from, elem));
  }
  int64_t dim = from.empty() || from[0] == 1 ? 0 : static_cast<int64_t>(from.size()) - 1, stretched = 0;
  for (size_t d = 0; from.size() == to.size() && d < to.size() && draft.operands[0]; ++d) {
    if (from[d] != 1 || to[d] == 1) continue;
    if (stretched++)
      draft.operands[0] = emitOp(state, OpKind::Broadcast, {draft.operands[0]}, {range}, range,
                                 {{"dims", std::vector<int64_t>{dim}, {}}}, state.context.vector(from, elem));
    from[d] = to[d];
    dim = static_cast<int64_t>(d);
  }
  if (!draft.operands[0]) return false;
  if (!stretched && from == to) draft.attrs.push_back({"broadcast_size", int64_t{1}, {}}); // nothing is stretched
  draft.attrs.push_back({"dims", std::vector<int64_t>{dim}, {}});
  return true;
}

} // namespace

bool takeFlags(KernelState &state, const ast::OpClause &clause, OpDraft &draft) {
  bool ok = true;
  for (const ast::Attr &flag : clause.flags)
    if (const FlagInfo *info = findFlag(flag.name.text))
      ok &= takeFlag(state, flag, *info, draft); // the parser accepts known flags only
  return ok;
}

void accumulatorLast(KernelState &state, const ast::OpClause &clause, OpDraft &draft) {
  bool mma = draft.info->kind == OpKind::Dpas || draft.info->kind == OpKind::TileMma;
  if (!mma || draft.operands.size() != 3 || !clause.op.text.ends_with("dpas")) return;
  auto fits = [&](const std::vector<Value *> &operands) {
    Diagnostics scratch;
    std::vector<Type> types, results;
    for (const Value *operand : operands) types.push_back(operand->type());
    return inferTypes({state.context, *draft.info, types, {}, draft.attrs, {}, {}, draft.range, scratch, state.lanes}, results);
  };
  if (fits(draft.operands)) return;
  std::vector<Value *> rotated = {draft.operands[1], draft.operands[2], draft.operands[0]};
  if (!fits(rotated)) return;
  draft.operands = std::move(rotated);
  std::rotate(draft.operandRanges.begin(), draft.operandRanges.begin() + 1, draft.operandRanges.end());
}

bool dimsFollow(KernelState &state, const ast::OpClause &clause, OpDraft &draft) {
  bool given = std::any_of(draft.attrs.begin(), draft.attrs.end(), [](const Attr &attr) { return attr.name == "dims"; });
  if (given || (draft.info->kind != OpKind::Iota && draft.info->kind != OpKind::Broadcast)) return true;
  if (draft.info->kind == OpKind::Broadcast && clause.op.text == "vector.broadcast" && draft.written &&
      draft.written.isVector())
    return stretch(state, draft);
  if (draft.info->kind != OpKind::Iota || !draft.written || draft.written.rank() != 1) {
    reportMissing(state, draft, "dims");
    return false;
  }
  draft.attrs.push_back({"dims", std::vector<int64_t>{0}, {}});
  return true;
}

} // namespace xt
