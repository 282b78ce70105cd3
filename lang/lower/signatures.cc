// Signatures: the types written after an op, a call or a terminator, in the forms of the IR, of the seeds and of MLIR. Each type is
// compared with the value's own.
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/kernel_lowering.h"

#include <algorithm>

namespace xt {
namespace {

// Whether a type says `memory_scope = global`, which its resolved form has in any case.
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

// Replaces each `?` in a shape by the extent of another type of the same kind and rank.
Type closedBy(Context &context, Type open, Type actual) {
  if (!hasOpenExtents(open) || !actual || open.kind() != actual.kind() || open.rank() != actual.rank()) return open;
  TypeData data = open.data();
  for (size_t d = 0; d < data.shape.size(); ++d)
    if (data.shape[d] == kDynamic) data.shape[d] = actual.data().shape[d];
  return context.intern(std::move(data));
}

} // namespace

// --- types that are written ------------------------------------------------------------------------------------------

bool hasOpenExtents(Type type) { return type && !type.isScalar() && !type.is(TypeKind::NBarrier) && !type.hasStaticShape(); }

// In the body of a function a `?` may stand in every shape, as in the function's own signature.
Type KernelLowering::writtenType(const ast::TypeExpr &expr) {
  return calls_.empty() ? types_.resolve(expr) : types_.resolveOpen(expr);
}

Type KernelLowering::statedType(const ast::TypeExpr &expr, Type actual) {
  Type written = writtenType(expr);
  return calls_.empty() ? written : closedBy(context_, written, actual);
}

Type KernelLowering::typeForLiterals(const ast::TypeExpr &expr) {
  Type written = writtenType(expr);
  return hasOpenExtents(written) ? Type() : written;
}

bool KernelLowering::agreesWith(const ast::TypeExpr &expr, Type actual, std::string_view what) {
  Type written = statedType(expr, actual);
  if (!written) return false;
  if (writtenAgrees(written, actual)) return true;
  diagnostics().report(DiagCode::SignatureMismatch, expr.range,
                       str("the signature gives ", shapedText(written), ", but ", what, " is ", shapedText(actual)));
  return false;
}

bool KernelLowering::agreesWith(const std::vector<ast::TypeExpr> &exprs, const std::vector<Value *> &values, SourceRange range,
                                std::string_view what) {
  if (exprs.size() != values.size()) {
    diagnostics().report(DiagCode::SignatureCount, range,
                         str("the signature lists ", exprs.size(), " type", exprs.size() == 1 ? "" : "s", " for ",
                             values.size(), " ", what, values.size() == 1 ? "" : "s"));
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < exprs.size(); ++i) ok &= values[i] && agreesWith(exprs[i], values[i]->type(), str("the ", what));
  return ok;
}

// Replaces `?` in the written result type. The extents are those of the first vector or tile operand if the op is elementwise, or a
// `broadcast` (whose stretched dimension must be written); of other ops, those that the type rule derives without a written type.
bool KernelLowering::closeResult(OpDraft &draft, std::span<const Type> operands) {
  if (!hasOpenExtents(draft.written) || draft.written.isMemRef()) return true;
  const OpInfo &info = *draft.info;
  Type from;
  for (Type type : operands)
    if (!from && (type.isVector() || type.isTile()) && (info.elementwise || info.kind == OpKind::Broadcast)) from = type;
  if (!info.elementwise && info.kind != OpKind::Broadcast) {
    Diagnostics scratch;
    std::vector<Type> results;
    TypeRuleInput input{context_, info, operands, draft.operandRanges, draft.attrs, {}, {}, draft.range, scratch, lanes_};
    if (inferTypes(input, results) && results.size() == 1) from = results[0];
  }
  Type closed = closedBy(context_, draft.written, from);
  auto stretched = [&] { // the extent of a broadcast that no operand has
    for (const Attr &attr : draft.attrs)
      if (const auto *dims = std::get_if<std::vector<int64_t>>(&attr.value); attr.name == "dims" && dims && dims->size() == 1)
        return dims->front() >= 0 && dims->front() < draft.written.rank() &&
               draft.written.extent(static_cast<int>(dims->front())) == kDynamic;
    return false;
  };
  if (!hasOpenExtents(closed) && !(info.kind == OpKind::Broadcast && stretched())) return draft.written = closed, true;
  diagnostics().report(DiagCode::BadExtent, draft.writtenRange,
                       str("`?` stands for an extent that is inferred from the operands, but those of `", info.name,
                           "` do not determine one for ", shapedText(draft.written)));
  return false;
}

// --- signatures of ops -----------------------------------------------------------------------------------------------

// The operands whose types the IR prints: all but those that are indices in every use of the op.
std::vector<size_t> KernelLowering::printedOperands(std::span<const Type> types, const OpInfo &info) const {
  std::vector<size_t> printed;
  const auto &specs = info.operands;
  for (size_t i = 0; i < types.size(); ++i) {
    OperandClass cls = specs.size() ? specs[std::min(i, specs.size() - 1)].type : OperandClass::Any;
    if (!(types[i].isIndex() && (cls == OperandClass::Index || cls == OperandClass::Offsets))) printed.push_back(i);
  }
  return printed;
}

// The lists of operands that a signature of `count` types may describe: all operands, those that the IR prints, those that MLIR
// prints (OpInfo::mlirTypes), or all but index scalars. Empty if none of these has `count` operands.
std::vector<std::vector<size_t>> KernelLowering::listedOperands(size_t count, std::span<const Type> types,
                                                                const OpInfo &info) const {
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

// Types of the operands in the order in which `exprs` may list them; false has been reported.
bool KernelLowering::matchOperandTypes(std::span<const ast::TypeExpr> exprs, std::span<const Type> types, OpDraft &draft) {
  std::vector<std::vector<size_t>> lists = listedOperands(exprs.size(), types, *draft.info);
  if (lists.empty()) {
    size_t operands = withoutIndices(types).size();
    diagnostics().report(DiagCode::SignatureCount, exprs.empty() ? draft.range : exprs.front().range.to(exprs.back().range),
                         str("the signature of `", draft.info->name, "` lists ", exprs.size(), " type",
                             exprs.size() == 1 ? "" : "s", " for ", operands, " operand", operands == 1 ? "" : "s"));
    return false;
  }
  std::vector<Type> written;
  for (const ast::TypeExpr &expr : exprs) {
    written.push_back(writtenType(expr));
    if (!written.back()) return false;
  }
  auto stated = [&](size_t k, size_t i) { return calls_.empty() ? written[k] : closedBy(context_, written[k], types[i]); };
  // Beside a scatter tile a vector of one row may be written as a line, as the tile's own type may.
  bool scatter = std::any_of(types.begin(), types.end(), [](Type type) { return type.isTile() && type.data().scatter; });
  auto agrees = [&](size_t k, size_t i) {
    Type type = stated(k, i);
    if (writtenAgrees(type, types[i]))
      return !types[i].isTensorDesc() || types[i].data().space == MemorySpace::Global || !saysGlobal(exprs[k]);
    if (!scatter || type.layout() || !type.isVector() || type.rank() != 1 || !types[i].isVector() || types[i].rank() != 2)
      return false;
    return types[i].extent(0) == 1 && (type.extent(0) == kDynamic || types[i].extent(1) == type.extent(0)) &&
           types[i].elem() == type.elem();
  };
  auto matches = [&](const std::vector<size_t> &order) {
    for (size_t k = 0; k < order.size(); ++k)
      if (!agrees(k, order[k])) return false;
    return true;
  };
  // The RFC prints a store's tile first and an mma's c first: accepted where types tell.
  for (size_t k = 0, straight = lists.size(); k < straight; ++k) {
    std::vector<size_t> rotated = lists[k];
    if (rotated.size() > 1) std::rotate(rotated.begin(), rotated.end() - 1, rotated.end());
    lists.push_back(std::move(rotated));
  }
  auto found = std::find_if(lists.begin(), lists.end(), matches);
  const std::vector<size_t> &listed = found == lists.end() ? lists[0] : *found;
  for (size_t k = 0; k < listed.size(); ++k) {
    size_t i = listed[k];
    if (!agrees(k, i)) {
      Type type = stated(k, i);
      Diagnostic &mismatch =
          diagnostics().report(DiagCode::SignatureMismatch, exprs[k].range,
                               str("the signature gives ", shapedText(type), ", but the operand is ", shapedText(types[i])));
      mismatch.at(draft.operandRanges[i], shapedText(types[i]));
      // `splat %x : vector<8x8xf32>` says the result's type alone.
      if (draft.info->signature == Signature::OperandsToResult && exprs.size() == 1 && types.size() == 1 &&
          draft.info->results == 1) {
        FixIt fix{str("write the operand's type as well: `", shapedText(types[i]), " -> …`"), {}, true};
        fix.edits.push_back({exprs[k].range.startPoint(), str(shapedText(types[i]), " -> ")});
        mismatch.fixits.push_back(std::move(fix));
      }
      return false;
    }
    bool holds = types[i].isVector() || types[i].isTile();
    if (holds && written[k].layout()) draft.layouts.push_back({nullptr, i, written[k].layout(), layoutPlace(exprs[k])});
  }
  return true;
}

// The attribute of a type that says its layout, where one does alone.
WrittenLayout KernelLowering::layoutPlace(const ast::TypeExpr &expr) {
  WrittenLayout whole{expr.range, WrittenLayout::Kind::Type};
  if (expr.kind != ast::TypeExpr::Kind::Shaped) return whole;
  WrittenLayout place = whole;
  Diagnostics scratch;
  ParamScope quiet(params_, scratch);
  TypeResolver resolver(context_, quiet);
  for (const ast::Attr::Entry &entry : expr.attrs) {
    ShapedAttrs attrs;
    if (!entry.value || !resolver.resolveAttr(*entry.value, attrs) || !attrs.layout) continue;
    bool more = place.kind == WrittenLayout::Kind::InType || attrs.scatter || attrs.packed || attrs.use != MatrixUse::None;
    if (more) return whole;
    place = {entry.value->range, WrittenLayout::Kind::InType, attrs.order.has_value()};
  }
  return place;
}

bool KernelLowering::matchSignature(const ast::OpClause &clause, OpDraft &draft) {
  if (!clause.signature) return true;
  const ast::Signature &signature = *clause.signature;
  std::vector<Type> types;
  for (Value *operand : draft.operands) types.push_back(operand->type());
  auto setResult = [&](const ast::TypeExpr &expr) {
    draft.written = writtenType(expr);
    draft.writtenRange = expr.range;
    if (draft.written && draft.written.layout()) draft.declared.push_back(layoutPlace(expr));
    return static_cast<bool>(draft.written);
  };
  size_t resultCount = static_cast<size_t>(std::max(draft.info->results, 0));
  if (signature.hasArrow) {
    // `: tile into tile` of a store, and `: f32 into vector<8xf32>` of MLIR's insert, list operands on both sides of the arrow.
    size_t both = signature.left.size() + signature.right.size(), printed = printedOperands(types, *draft.info).size();
    bool inserts = resultCount != 0 && draft.info->signature == Signature::Operands && !signature.left.empty() &&
                   signature.left.size() < printed;
    if ((resultCount == 0 && both == types.size()) || ((resultCount == 0 || inserts) && both == printed)) {
      std::vector<ast::TypeExpr> all = signature.left;
      all.insert(all.end(), signature.right.begin(), signature.right.end());
      return matchOperandTypes(all, types, draft);
    }
    if (signature.right.size() != resultCount) {
      diagnostics().report(DiagCode::SignatureCount, signature.range,
                           str("the signature lists ", signature.right.size(), " result type",
                               signature.right.size() == 1 ? "" : "s", ", but `", draft.info->name, "` returns ", resultCount));
      return false;
    }
    if (!signature.left.empty() && !matchOperandTypes(signature.left, types, draft)) return false;
    return resultCount == 0 || setResult(signature.right[0]);
  }
  const auto &left = signature.left;
  switch (draft.info->signature) {
  case Signature::None:
  case Signature::Result:
    if (left.size() == 1 && resultCount == 1) return setResult(left[0]);
    break;
  case Signature::Same:
    if (left.size() == 1) {
      Type type = types.empty() ? writtenType(left[0]) : statedType(left[0], types[0]);
      if (!type) return false;
      if (!types.empty() && !writtenAgrees(type, types[0])) {
        diagnostics()
            .report(DiagCode::SignatureMismatch, left[0].range,
                    str("the signature gives ", shapedText(type), ", but the operand is ", shapedText(types[0])))
            .at(draft.operandRanges[0], shapedText(types[0]));
        return false;
      }
      draft.written = type;
      draft.writtenRange = left[0].range;
      if (type.layout()) draft.declared.push_back(layoutPlace(left[0]));
      return true;
    }
    break;
  case Signature::Operands: break;
  case Signature::OperandsToResult: {
    size_t listed = withoutIndices(types).size();
    bool resultLast = left.size() == listed + 1 || left.size() == types.size() + 1;
    bool resultOnly = left.size() == 1 && listed != 1;
    if (resultOnly) return setResult(left[0]);
    if (resultLast) return matchOperandTypes(std::span(left).first(left.size() - 1), types, draft) && setResult(left.back());
    break;
  }
  }
  return matchOperandTypes(left, types, draft);
}

} // namespace xt
