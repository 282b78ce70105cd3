#include "lang/lower/composite_clause.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/check/words.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_attributes.h"
#include "lang/lower/op_lowering.h"
#include "lang/lower/written_types.h"

#include <algorithm>
#include <numeric>

namespace xt {

std::string CompositeClause::name() const {
  std::string_view written = clause_.op.text;
  return str("`", written.substr(written.rfind('.') + 1), "`");
}

bool CompositeClause::attributesFit() const {
  std::set<std::string_view> seen;
  for (const ast::Attr &group : clause_.attrs)
    for (const ast::Attr::Entry &entry : group.entries) {
      std::string_view key = entry.key.text;
      if (!entry.key) {
        diagnostics().report(DiagCode::LayoutAttribute, entry.range,
                             str(name(), " takes its layout in the type of its result"));
        return false;
      }
      bool known = std::ranges::any_of(row_.attrs, [&](const AttrSpec &spec) { return spec.name == key; });
      if (!known) {
        reportUnknownAttribute(state_, row_, entry, &group);
        return false;
      }
      bool flag = std::ranges::find(row_.attrs, key, &AttrSpec::name)->kind == AttrKind::Flag;
      if (!entry.value != flag) {
        diagnostics().report(DiagCode::AttributeValue, entry.range,
                             str("`", key, flag ? "` takes no value" : "` needs a value"));
        return false;
      }
      if (seen.insert(key).second) continue;
      diagnostics().report(DiagCode::DuplicateName, entry.key.range, str("attribute `", key, "` is given twice"));
      return false;
    }
  for (const AttrSpec &spec : row_.attrs)
    if (spec.required && !seen.contains(spec.name)) return missing(spec.name), false;
  for (const ast::Attr &flag : clause_.flags) {
    diagnostics().report(DiagCode::UnknownAttribute, flag.range, str(name(), " has no flag `", flag.name.text, "`"));
    return false;
  }
  return true;
}

void CompositeClause::missing(std::string_view key) const {
  diagnostics()
      .report(DiagCode::AttributeValue, clause_.op.range, str(name(), " needs the attribute `", key, "`"))
      .note(str("for example `", row_.example, "`"));
}

SourceRange CompositeClause::rangeOf(std::string_view key) const { return find(key)->range; }

const ast::Attr *CompositeClause::find(std::string_view key) const {
  for (const ast::Attr &group : clause_.attrs)
    for (const ast::Attr::Entry &entry : group.entries)
      if (entry.key.text == key && entry.value) return &*entry.value;
  return nullptr;
}

bool CompositeClause::has(std::string_view key) const {
  return std::ranges::any_of(clause_.attrs, [&](const ast::Attr &group) {
    return std::ranges::any_of(group.entries, [&](const ast::Attr::Entry &entry) { return entry.key.text == key; });
  });
}

Value *CompositeClause::plainVector(const ast::Expr &expr) const {
  Value *value = vector(expr, "an operand");
  if (!value) return nullptr;
  Type type = value->type();
  if (!type.isPlain()) {
    Diagnostic &diagnostic =
        diagnostics().report(DiagCode::OperandType, expr.range, str(name(), " takes whole vectors, not ", shapedText(type)));
    if (type.data().fragment.empty()) return nullptr;
    diagnostic.note(
        "between `to_simt` and `to_simd` each lane computes element by element; turn the fragment into a vector first");
    return nullptr;
  }
  if (type.rank() > 0) return value;
  diagnostics().report(DiagCode::ShapeMismatch, expr.range,
                       str(name(), " takes vectors of one to five dimensions, not ", shapedText(type)));
  return nullptr;
}

Value *CompositeClause::plainMatrix(const ast::Expr &expr) const {
  Value *value = plainVector(expr);
  if (!value || value->type().rank() == 2) return value;
  diagnostics().report(DiagCode::ShapeMismatch, expr.range,
                       str(name(), " takes vectors of two dimensions, not ", shapedText(value->type())));
  return nullptr;
}

std::optional<int64_t> CompositeClause::dimension(Type type) const {
  if (!clause_.dims || clause_.dims->children.size() != 1) {
    diagnostics()
        .report(DiagCode::AttributeValue, range_, str(name(), " works along one dimension, such as `[1]`"))
        .note(str("for example `", row_.example, "`"));
    return std::nullopt;
  }
  std::optional<int64_t> dim = state_.params.evalInt(clause_.dims->children[0], "a dimension");
  if (!dim || (*dim >= 0 && *dim < type.rank())) return dim;
  diagnostics().report(DiagCode::AttributeValue, clause_.dims->range,
                       str(shapedText(type), " has no dimension ", *dim, ": they count from 0"));
  return std::nullopt;
}

// The attribute that an alias stands for; null if an error was reported.
const ast::Attr *CompositeClause::resolved(const ast::Attr *attr) const {
  std::optional<FileLayouts> ofFile; // the value of an alias has the file's names
  for (size_t depth = 0; attr && attr->kind == ast::Attr::Kind::Alias; ++depth) {
    if (depth == 1) ofFile.emplace(state_.params);
    const ast::AttrAlias *alias = state_.params.attrAlias(attr->name.text, attr->range);
    if (!alias || depth >= kMostAliasDepth) return nullptr; // a chain that is too long has been reported where it is defined
    attr = &alias->value;
  }
  return attr && attr->kind != ast::Attr::Kind::Error ? attr : nullptr;
}

std::optional<AffineMap> CompositeClause::mapOf(const ast::Attr &attr, std::string_view key) const {
  const ast::Attr *map = resolved(&attr);
  if (!map) return std::nullopt;
  if (map->kind == ast::Attr::Kind::AffineMap) return AffineMap{map->mapDims, map->results, attr.range};
  diagnostics()
      .report(DiagCode::AttributeValue, attr.range, str("`", key, "` must be an affine_map"))
      .note("for example `affine_map<(d0, d1) -> (d1, d0)>`");
  return std::nullopt;
}

std::optional<AffineMap> CompositeClause::map(std::string_view key) const {
  const ast::Attr *attr = find(key);
  if (!attr) return missing(key), std::nullopt;
  return mapOf(*attr, key);
}

std::optional<std::vector<AffineMap>> CompositeClause::maps(std::string_view key) const {
  const ast::Attr *attr = resolved(find(key));
  if (!attr) {
    if (!has(key)) missing(key);
    return std::nullopt;
  }
  if (attr->kind != ast::Attr::Kind::List) {
    diagnostics().report(DiagCode::AttributeValue, attr->range, str("`", key, "` must be a list of affine maps"));
    return std::nullopt;
  }
  std::vector<AffineMap> maps;
  for (const ast::Attr &item : attr->items) {
    std::optional<AffineMap> map = mapOf(item, key);
    if (!map) return std::nullopt;
    maps.push_back(std::move(*map));
  }
  return maps;
}

std::optional<std::vector<std::string>> CompositeClause::words(std::string_view key) const {
  const ast::Attr *attr = resolved(find(key));
  if (!attr) {
    if (!has(key)) missing(key);
    return std::nullopt;
  }
  std::vector<std::string> words;
  bool list = attr->kind == ast::Attr::Kind::List;
  for (const ast::Attr &item : attr->items) words.push_back(wordText(item));
  if (list && std::ranges::none_of(words, &std::string::empty)) return words;
  diagnostics().report(DiagCode::AttributeValue, attr->range, str("`", key, "` must be a list of words"));
  return std::nullopt;
}

std::optional<std::vector<bool>> CompositeClause::flags(std::string_view key) const {
  std::optional<std::vector<std::string>> list = words(key);
  if (!list) return std::nullopt;
  std::vector<bool> flags;
  for (const std::string &word : *list) {
    bool yes = word == "true" || word == "True";
    if (!yes && word != "false" && word != "False") {
      diagnostics().report(DiagCode::AttributeValue, find(key)->range, str("`", key, "` must be a list of `true` and `false`"));
      return std::nullopt;
    }
    flags.push_back(yes);
  }
  return flags;
}

std::optional<std::vector<int64_t>> CompositeClause::integers(std::string_view key) const {
  const ast::Attr *attr = resolved(find(key));
  if (attr) return state_.types.integers(*attr, key);
  if (!has(key)) missing(key);
  return std::nullopt;
}

std::optional<std::string> CompositeClause::word(std::string_view key) const {
  const ast::Attr *attr = resolved(find(key));
  std::string word = attr ? wordText(*attr) : std::string();
  auto spec = std::ranges::find(row_.attrs, key, &AttrSpec::name);
  if (attr && spec != row_.attrs.end() && spec->kind == AttrKind::Word)
    if (std::vector<std::string_view> words = kindWords(*spec); std::ranges::find(words, word) == words.end()) {
      auto &diagnostic =
          diagnostics().report(DiagCode::AttributeValue, attr->range, str("`", key, "` must be one of: ", join(words, " ")));
      suggestName(diagnostic, attr->range, 0, word, words);
      return std::nullopt;
    }
  if (!word.empty()) return word;
  if (!has(key))
    missing(key);
  else if (attr)
    diagnostics().report(DiagCode::AttributeValue, attr->range, str("`", key, "` must be a word"));
  return std::nullopt;
}

std::optional<IndexedMemRef> CompositeClause::indexedMemRef(const ast::Expr &expr) const {
  bool indexed = expr.is(ast::Expr::Kind::Index);
  IndexedMemRef out{lowerExpr(state_, indexed ? expr.children[0] : expr), {}, expr.range};
  if (!out.memref) return std::nullopt;
  Type type = out.memref->type();
  if (!type.isMemRef() || type.rank() == 0) {
    diagnostics()
        .report(DiagCode::OperandType, expr.range, str(name(), " needs a memref with indices, not ", shapedText(type)))
        .note(str("for example `", row_.example, "`"));
    return std::nullopt;
  }
  for (size_t i = 1; indexed && i < expr.children.size(); ++i) {
    Value *index = lowerIndex(state_, expr.children[i], "an index");
    if (!index) return std::nullopt;
    out.indices.push_back(index);
  }
  if (out.indices.size() == static_cast<size_t>(type.rank())) return out;
  diagnostics().report(
      DiagCode::OffsetCount, expr.range,
      str(shapedText(type), " needs ", type.rank(), type.rank() == 1 ? " index" : " indices", ", not ", out.indices.size()));
  return std::nullopt;
}

Value *CompositeClause::vector(const ast::Expr &expr, std::string_view what) const {
  Value *value = lowerExpr(state_, expr);
  if (!value || value->type().isVector()) return value;
  diagnostics().report(DiagCode::OperandType, expr.range,
                       str(what, " of ", name(), " must be a vector, not ", shapedText(value->type())));
  return nullptr;
}

// The expression of the result's type: right of the arrow or, as MLIR prints transfers, the last type of the list.
const ast::TypeExpr *CompositeClause::resultExpr() const {
  if (!clause_.signature) return nullptr;
  const ast::Signature &signature = *clause_.signature;
  const std::vector<ast::TypeExpr> &side = signature.hasArrow ? signature.right : signature.left;
  return side.empty() ? nullptr : &side.back();
}

bool CompositeClause::takesOperands(size_t least, size_t most) const {
  size_t count = clause_.operands.size();
  if (count >= least && count <= most) return true;
  diagnostics().report(DiagCode::OperandCount, range_,
                       str(name(), " takes ", least == most ? str(least) : str(least, " to ", most),
                           most == 1 ? " operand" : " operands", ", not ", count));
  return false;
}

Type CompositeClause::vectorType() const {
  Type type = resultType();
  if (!type || type.isPlain()) return type;
  diagnostics().report(DiagCode::TypeMismatch, resultExpr()->range, str(name(), " returns a vector, not ", shapedText(type)));
  return {};
}

Type CompositeClause::resultType() const {
  const ast::TypeExpr *expr = resultExpr();
  if (!expr) {
    diagnostics()
        .report(DiagCode::ResultTypeNeeded, range_, str(name(), " needs the type of its result"))
        .note(str("for example `", row_.example, "`"));
    return {};
  }
  Type type = writtenType(state_, *expr);
  if (!type || (type.isVector() && type.hasStaticShape())) return type;
  diagnostics().report(DiagCode::TypeMismatch, expr->range,
                       str(name(), " returns a vector of static shape, not ", shapedText(type)));
  return {};
}

bool CompositeClause::memoryHolds(Type memory, Type value, std::string_view what) const {
  if (memory.isAddress() || memory.elem() == value.elem()) return true;
  diagnostics().report(
      DiagCode::TypeMismatch, range_,
      str("the ", what, " holds ", elemName(value.elem()), ", but the memory holds ", elemName(memory.elem())));
  return false;
}

std::optional<std::vector<Value *>> CompositeClause::agreed(const std::vector<Value *> &operands,
                                                            std::vector<Value *> results) const {
  if (std::ranges::any_of(results, [](const Value *value) { return !value; })) return std::nullopt;
  if (!clause_.signature) return results;
  const ast::Signature &signature = *clause_.signature;
  if (signature.left.size() > operands.size() || signature.right.size() > results.size()) {
    diagnostics().report(DiagCode::SignatureCount, signature.range,
                         str("the signature of ", name(), " has types for ",
                             counted(static_cast<int64_t>(signature.left.size()), "operand"), " and ",
                             counted(static_cast<int64_t>(signature.right.size()), "result"), ", but there are ",
                             operands.size(), " and ", results.size()));
    return std::nullopt;
  }
  // MLIR lists one type for two operands or results that are alike.
  for (size_t i = 0; i < signature.left.size(); ++i) {
    if (!agreesWith(state_, signature.left[i], operands[i]->type(), "the operand")) return std::nullopt;
    stateOperandLayout(*operands[i], signature.left[i]);
  }
  for (size_t i = 0; i < signature.right.size(); ++i) {
    if (!agreesWith(state_, signature.right[i], results[i]->type(), "the result")) return std::nullopt;
    setWrittenLayout(state_, signature.right[i], results[i], writtenType(state_, signature.right[i]));
  }
  return results;
}

// States the layout in the type that is written for an operand, if there is one, at the first op that takes the operand here.
void CompositeClause::stateOperandLayout(const Value &operand, const ast::TypeExpr &expr) const {
  Type written = writtenType(state_, expr);
  if (!written || !written.layout()) return;
  auto isHere = [&](const Use &use) { return use.user->range() == range_; };
  const UseList &uses = operand.uses();
  if (auto use = std::find_if(uses.begin(), uses.end(), isHere); use != uses.end())
    state_.written.operands.push_back({(*use).user, (*use).operand, written.layout(), layoutPlace(state_, expr)});
}

bool CompositeClause::resultsAgree(const std::vector<Value *> &results) const {
  if (!clause_.signature || !clause_.signature->hasArrow) return true;
  return agreesWith(state_, clause_.signature->right, results, clause_.signature->range, "result");
}

bool CompositeClause::signatureAgrees(const std::vector<Value *> &values) const {
  if (!clause_.signature) return true;
  const ast::Signature &signature = *clause_.signature;
  // A prefetch has no result, but the signature gives the type of the matrix.
  size_t rightTypes = row_.results == 1 || row_.composite == Composite::JointMatrixPrefetch ? 1 : 0;
  if (signature.hasArrow && row_.results < 2 && signature.right.size() != rightTypes) {
    diagnostics().report(DiagCode::SignatureCount, signature.range,
                         str("the signature of ", name(), " has ",
                             counted(static_cast<int64_t>(signature.right.size()), "type"), " after the arrow, not ",
                             rightTypes));
    return false;
  }
  bool lastIsResult = row_.signature == Signature::OperandsToResult && row_.results == 1 && !signature.hasArrow;
  size_t listed = signature.left.size() - (lastIsResult && !signature.left.empty() ? 1 : 0);
  if (listed == 0) return true;
  if (listed != values.size()) {
    diagnostics().report(DiagCode::SignatureCount, signature.range,
                         str("the signature of ", name(), " lists ", counted(static_cast<int64_t>(listed), "type"), " for ",
                             counted(static_cast<int64_t>(values.size()), "operand")));
    return false;
  }
  for (size_t i = 0; i < listed; ++i)
    if (!agreesWith(state_, signature.left[i], values[i]->type(), "the operand")) return false;
  return true;
}

Value *CompositeOps::op(OpKind kind, std::vector<Value *> operands, std::vector<Attr> attrs, Type written) {
  if (std::ranges::any_of(operands, [](const Value *operand) { return operand == nullptr; })) return nullptr;
  std::vector<SourceRange> ranges(operands.size(), range_);
  return emitOp(state_, kind, std::move(operands), std::move(ranges), range_, std::move(attrs), written);
}

Value *CompositeOps::index(int64_t value) {
  state_.builder.setRange(range_);
  return state_.builder.index(value);
}

Value *CompositeOps::plus(Value *value, int64_t offset) {
  return offset == 0 || !value ? value : op(OpKind::AddI, {value, index(offset)});
}

Value *CompositeOps::reshape(Value *vector, std::vector<int64_t> shape) {
  if (!vector || std::ranges::equal(vector->type().shape(), shape)) return vector;
  return op(OpKind::Reshape, {vector}, {}, state_.context.vector(std::move(shape), vector->type().elem()));
}

Value *CompositeOps::transpose(Value *vector, const std::vector<int64_t> &permutation) {
  if (!vector || std::ranges::is_sorted(permutation)) return vector;
  return op(OpKind::Transpose, {vector}, {{"permutation", permutation, range_}});
}

Value *CompositeOps::slice(Value *vector, std::vector<int64_t> offsets, std::vector<int64_t> shape) {
  if (!vector || std::ranges::equal(vector->type().shape(), shape)) return vector;
  Type part = state_.context.vector(std::move(shape), vector->type().elem());
  return op(OpKind::ExtractStridedSlice, {vector}, {{"offsets", std::move(offsets), range_}}, part);
}

Value *CompositeOps::insert(Value *part, Value *vector, std::vector<int64_t> offsets) {
  return op(OpKind::InsertStridedSlice, {part, vector}, {{"offsets", std::move(offsets), range_}});
}

// A slice may have another layout than the vector.
Value *CompositeOps::inAnyLayout(Value *vector) {
  if (!vector) return nullptr;
  std::vector<int64_t> none(vector->type().shape().size(), 0);
  return op(OpKind::ExtractStridedSlice, {vector}, {{"offsets", std::move(none), range_}},
            state_.context.withLayout(vector->type(), nullptr));
}

Value *CompositeOps::zeros(std::vector<int64_t> shape, Elem elem) {
  state_.builder.setRange(range_);
  Type type = state_.context.vector(std::move(shape), elem);
  return isFloat(elem) ? state_.builder.constantFloat(type, 0) : state_.builder.constantInt(type, 0);
}

Value *CompositeOps::asOneRow(Value *line) {
  Type type = line->type();
  MemoryLayout memory = type.data().memory;
  if (memory.kind == MemoryLayout::Kind::Strided) memory.strides.insert(memory.strides.begin(), kDynamic);
  if (memory.kind == MemoryLayout::Kind::Permuted) memory = {};
  return op(OpKind::Cast, {line}, {},
            state_.context.memref({1, type.extent(0)}, type.elem(), type.data().space, std::move(memory)));
}

bool eachPosition(const std::vector<int64_t> &extents, const std::function<bool(const std::vector<int64_t> &)> &visit) {
  std::vector<int64_t> position(extents.size(), 0);
  for (int64_t left = productOf(extents); left > 0; --left) {
    if (!visit(position)) return false;
    for (size_t d = extents.size(); d-- > 0 && ++position[d] == extents[d];) position[d] = 0;
  }
  return true;
}

void setWrittenLayout(KernelState &state, const ast::OpClause &clause, Value *value, Type written) {
  const ast::Signature &signature = *clause.signature;
  setWrittenLayout(state, signature.hasArrow ? signature.right.back() : signature.left.back(), value, written);
}

void setWrittenLayout(KernelState &state, const ast::TypeExpr &expr, Value *value, Type written) {
  if (!written || !written.layout()) return;
  value->setType(state.context.withLayout(value->type(), written.layout()));
  state.written.declared.push_back({value, layoutPlace(state, expr)});
}

} // namespace xt
