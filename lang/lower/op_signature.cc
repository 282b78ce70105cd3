#include "lang/lower/op_signature.h"

#include "ir/base/text.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "lang/lower/written_types.h"

#include <algorithm>

namespace xt {
namespace {

// Whether a type is written with `memory_scope = global`. The resolved type does not tell, because global is the default.
bool saysGlobal(const ast::TypeExpr &expr) {
  return std::any_of(expr.attrs.begin(), expr.attrs.end(), [](const ast::Attr::Entry &entry) {
    return entry.key.text == "memory_scope" && entry.value && entry.value->name.text == "global";
  });
}

std::vector<size_t> withoutIndices(std::span<const Type> types) {
  std::vector<size_t> listed;
  for (size_t i = 0; i < types.size(); ++i)
    if (!types[i].isIndex()) listed.push_back(i);
  return listed;
}

// Returns the operands whose types the IR prints: all but those that are indices in every use of the op.
std::vector<size_t> printedOperands(std::span<const Type> types, const OpInfo &info) {
  std::vector<size_t> printed;
  const auto &specs = info.operands;
  for (size_t i = 0; i < types.size(); ++i) {
    OperandClass cls = specs.size() ? specs[std::min(i, specs.size() - 1)].type : OperandClass::Any;
    if (!(types[i].isIndex() && (cls == OperandClass::Index || cls == OperandClass::Offsets))) printed.push_back(i);
  }
  return printed;
}

// Returns the lists of operands that a signature of `count` types may describe: all operands, those that the IR prints, those
// that MLIR prints (OpInfo::mlirTypes), or all but index scalars. Empty if none of these has `count` operands.
std::vector<std::vector<size_t>> listedOperands(size_t count, std::span<const Type> types, const OpInfo &info) {
  std::vector<std::vector<size_t>> lists(1);
  for (size_t i = 0; i < types.size(); ++i) lists[0].push_back(i);
  lists.push_back(printedOperands(types, info));
  for (int bits : info.mlirTypes) {
    auto operands = static_cast<unsigned>(bits);
    std::vector<size_t> &listed = lists.emplace_back();
    for (size_t i = 0; i < types.size(); ++i)
      if (operands >> i & 1) listed.push_back(i);
  }
  lists.push_back(withoutIndices(types));
  std::erase_if(lists, [&](const std::vector<size_t> &listed) { return listed.size() != count; });
  return lists;
}

// Compares the signature of an op with its operands' types.
class SignatureMatching {
public:
  SignatureMatching(KernelState &state, OpDraft &draft) : state_(state), draft_(draft) {
    for (const Value *operand : draft.operands) types_.push_back(operand->type());
  }
  // These functions return false if an error was reported.
  bool matchArrow(const ast::Signature &signature);
  bool matchPlain(std::span<const ast::TypeExpr> exprs);

private:
  size_t resultCount() const { return static_cast<size_t>(std::max(draft_.info->results, 0)); }
  bool setResult(const ast::TypeExpr &expr);
  bool matchSame(const ast::TypeExpr &expr);
  bool matchOperands(std::span<const ast::TypeExpr> exprs);
  Type stated(Type written, size_t operand) const;
  bool agrees(const ast::TypeExpr &expr, Type written, size_t operand) const;
  bool mismatch(std::span<const ast::TypeExpr> exprs, size_t k, Type written, size_t operand);
  Diagnostics &diagnostics() const { return state_.diagnostics(); }

  KernelState &state_;
  OpDraft &draft_;
  std::vector<Type> types_; // the types of the operands
};

bool SignatureMatching::setResult(const ast::TypeExpr &expr) {
  draft_.written = writtenType(state_, expr);
  draft_.writtenRange = expr.range;
  if (draft_.written && draft_.written.layout()) draft_.declared.push_back(layoutPlace(state_, expr));
  return static_cast<bool>(draft_.written);
}

Type SignatureMatching::stated(Type written, size_t operand) const {
  return state_.calls.empty() ? written : closedBy(state_.context, written, types_[operand]);
}

// Whether `expr`, of type `written`, may stand for the operand's type.
bool SignatureMatching::agrees(const ast::TypeExpr &expr, Type written, size_t operand) const {
  Type type = stated(written, operand), actual = types_[operand];
  if (writtenAgrees(type, actual))
    return !actual.isTensorDesc() || actual.data().space == MemorySpace::Global || !saysGlobal(expr);
  // If there is a scatter tile among the operands, a vector of shape 1xN may be written with shape N, as the tile itself may.
  bool scatter = std::any_of(types_.begin(), types_.end(), [](Type t) { return t.isTile() && t.data().scatter; });
  if (!scatter || type.layout() || !type.isVector() || type.rank() != 1 || !actual.isVector() || actual.rank() != 2)
    return false;
  return actual.extent(0) == 1 && (type.extent(0) == kDynamic || actual.extent(1) == type.extent(0)) &&
         actual.elem() == type.elem();
}

// Reports that exprs[k] does not agree with the operand's type; returns false.
bool SignatureMatching::mismatch(std::span<const ast::TypeExpr> exprs, size_t k, Type written, size_t operand) {
  Type type = stated(written, operand), actual = types_[operand];
  Diagnostic &wrong =
      diagnostics().report(DiagCode::SignatureMismatch, exprs[k].range,
                           str("the signature gives ", shapedText(type), ", but the operand is ", shapedText(actual)));
  wrong.at(draft_.operandRanges[operand], shapedText(actual));
  // The signature of `splat %x : vector<8x8xf32>` gives the result's type alone.
  bool resultAlone = draft_.info->signature == Signature::OperandsToResult && exprs.size() == 1 && types_.size() == 1 &&
                     draft_.info->results == 1;
  if (!resultAlone) return false;
  FixIt fix{str("write the operand's type as well: `", shapedText(actual), " -> …`"), {}, true};
  fix.edits.push_back({exprs[k].range.startPoint(), str(shapedText(actual), " -> ")});
  wrong.fixits.push_back(std::move(fix));
  return false;
}

// Compares the types of the operands in the orders in which `exprs` may list them.
bool SignatureMatching::matchOperands(std::span<const ast::TypeExpr> exprs) {
  std::vector<std::vector<size_t>> lists = listedOperands(exprs.size(), types_, *draft_.info);
  if (lists.empty()) {
    size_t operands = withoutIndices(types_).size();
    diagnostics().report(DiagCode::SignatureCount, exprs.empty() ? draft_.range : exprs.front().range.to(exprs.back().range),
                         str("the signature of `", draft_.info->name, "` lists ", exprs.size(), " type",
                             exprs.size() == 1 ? "" : "s", " for ", operands, " operand", operands == 1 ? "" : "s"));
    return false;
  }
  std::vector<Type> written;
  for (const ast::TypeExpr &expr : exprs) {
    written.push_back(writtenType(state_, expr));
    if (!written.back()) return false;
  }
  // The RFC prints the tile of a store first and the accumulator of an mma first. These orders are accepted where the types
  // distinguish the operands.
  for (size_t k = 0, straight = lists.size(); k < straight; ++k) {
    std::vector<size_t> rotated = lists[k];
    if (rotated.size() > 1) std::rotate(rotated.begin(), rotated.end() - 1, rotated.end());
    lists.push_back(std::move(rotated));
  }
  auto matches = [&](const std::vector<size_t> &order) {
    for (size_t k = 0; k < order.size(); ++k)
      if (!agrees(exprs[k], written[k], order[k])) return false;
    return true;
  };
  auto found = std::find_if(lists.begin(), lists.end(), matches);
  const std::vector<size_t> &listed = found == lists.end() ? lists[0] : *found;
  for (size_t k = 0; k < listed.size(); ++k) {
    size_t i = listed[k];
    if (!agrees(exprs[k], written[k], i)) return mismatch(exprs, k, written[k], i);
    bool holds = types_[i].isVector() || types_[i].isTile();
    if (holds && written[k].layout())
      draft_.layouts.push_back({nullptr, i, written[k].layout(), layoutPlace(state_, exprs[k])});
  }
  return true;
}

bool SignatureMatching::matchArrow(const ast::Signature &signature) {
  // `: tile into tile` of a store, and `: f32 into vector<8xf32>` of MLIR's insert, list operands on both sides of the arrow.
  size_t both = signature.left.size() + signature.right.size(), printed = printedOperands(types_, *draft_.info).size();
  bool inserts = resultCount() != 0 && draft_.info->signature == Signature::Operands && !signature.left.empty() &&
                 signature.left.size() < printed;
  if ((resultCount() == 0 && both == types_.size()) || ((resultCount() == 0 || inserts) && both == printed)) {
    std::vector<ast::TypeExpr> all = signature.left;
    all.insert(all.end(), signature.right.begin(), signature.right.end());
    return matchOperands(all);
  }
  if (signature.right.size() != resultCount()) {
    diagnostics().report(DiagCode::SignatureCount, signature.range,
                         str("the signature lists ", signature.right.size(), " result type",
                             signature.right.size() == 1 ? "" : "s", ", but `", draft_.info->name, "` returns ",
                             resultCount()));
    return false;
  }
  if (!signature.left.empty() && !matchOperands(signature.left)) return false;
  return resultCount() == 0 || setResult(signature.right[0]);
}

// Takes the one type of an op whose result has the type of its operands.
bool SignatureMatching::matchSame(const ast::TypeExpr &expr) {
  Type type = types_.empty() ? writtenType(state_, expr) : statedType(state_, expr, types_[0]);
  if (!type) return false;
  if (!types_.empty() && !writtenAgrees(type, types_[0])) {
    diagnostics()
        .report(DiagCode::SignatureMismatch, expr.range,
                str("the signature gives ", shapedText(type), ", but the operand is ", shapedText(types_[0])))
        .at(draft_.operandRanges[0], shapedText(types_[0]));
    return false;
  }
  draft_.written = type;
  draft_.writtenRange = expr.range;
  if (type.layout()) draft_.declared.push_back(layoutPlace(state_, expr));
  return true;
}

bool SignatureMatching::matchPlain(std::span<const ast::TypeExpr> exprs) {
  switch (draft_.info->signature) {
  case Signature::None:
  case Signature::Result:
    if (exprs.size() == 1 && resultCount() == 1) return setResult(exprs[0]);
    break;
  case Signature::Same:
    if (exprs.size() == 1) return matchSame(exprs[0]);
    break;
  case Signature::Operands: break;
  case Signature::OperandsToResult: {
    size_t listed = withoutIndices(types_).size();
    bool resultLast = exprs.size() == listed + 1 || exprs.size() == types_.size() + 1;
    bool resultOnly = exprs.size() == 1 && listed != 1;
    if (resultOnly) return setResult(exprs[0]);
    if (resultLast) return matchOperands(exprs.first(exprs.size() - 1)) && setResult(exprs.back());
    break;
  }
  }
  return matchOperands(exprs);
}

} // namespace

bool matchSignature(KernelState &state, const ast::OpClause &clause, OpDraft &draft) {
  if (!clause.signature) return true;
  SignatureMatching matching(state, draft);
  return clause.signature->hasArrow ? matching.matchArrow(*clause.signature) : matching.matchPlain(clause.signature->left);
}

// Takes the extents from the first vector or tile operand for an elementwise op and a `broadcast` (whose stretched dimension
// must be written); for other ops, from the type that the type rule derives without a written type.
bool closeResult(KernelState &state, OpDraft &draft, std::span<const Type> operands) {
  if (!hasOpenExtents(draft.written) || draft.written.isMemRef()) return true;
  const OpInfo &info = *draft.info;
  Type from;
  for (Type type : operands)
    if (!from && (type.isVector() || type.isTile()) && (info.elementwise || info.kind == OpKind::Broadcast)) from = type;
  if (!info.elementwise && info.kind != OpKind::Broadcast) {
    Diagnostics scratch;
    std::vector<Type> results;
    TypeRuleInput input{state.context, info,    operands,   draft.operandRanges, draft.attrs, {}, {},
                        draft.range,   scratch, state.lanes};
    if (inferTypes(input, results) && results.size() == 1) from = results[0];
  }
  Type closed = closedBy(state.context, draft.written, from);
  auto stretched = [&] { // whether the stretched extent of a broadcast, which no operand has, is `?`
    for (const Attr &attr : draft.attrs)
      if (const auto *dims = std::get_if<std::vector<int64_t>>(&attr.value); attr.name == "dims" && dims && dims->size() == 1)
        return dims->front() >= 0 && dims->front() < draft.written.rank() &&
               draft.written.extent(static_cast<int>(dims->front())) == kDynamic;
    return false;
  };
  if (!hasOpenExtents(closed) && !(info.kind == OpKind::Broadcast && stretched())) return draft.written = closed, true;
  state.diagnostics().report(DiagCode::BadExtent, draft.writtenRange,
                             str("`?` stands for an extent that is inferred from the operands, but those of `", info.name,
                                 "` do not determine one for ", shapedText(draft.written)));
  return false;
}

} // namespace xt
