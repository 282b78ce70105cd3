#include "lang/lower/vector_joins.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

class Joins {
public:
  explicit Joins(const CompositeClause &clause) : clause_(clause), ops_(clause) {}

  std::optional<std::vector<Value *>> concat();
  std::optional<std::vector<Value *>> interleave();
  std::optional<std::vector<Value *>> deinterleave();

private:
  bool readOperands(size_t least, size_t most);
  bool alikeBut(int64_t dim);
  Value *parity(const std::vector<int64_t> &shape, int64_t remainder);
  Value *withElem(OpKind cast, Value *value, Elem elem);
  Attr lastDim(size_t rank) const { return {"dims", std::vector<int64_t>{static_cast<int64_t>(rank) - 1}, clause_.range()}; }
  std::optional<std::vector<Value *>> finish(std::vector<Value *> results) const {
    return clause_.agreed(operands_, std::move(results));
  }
  std::nullopt_t wrong(DiagCode code, SourceRange range, std::string message) const {
    clause_.diagnostics().report(code, range, std::move(message));
    return std::nullopt;
  }
  Context &context() const { return clause_.state().context; }

  const CompositeClause &clause_;
  CompositeOps ops_;
  std::vector<Value *> operands_;
};

bool Joins::readOperands(size_t least, size_t most) {
  if (!clause_.takesOperands(least, most)) return false;
  for (const ast::Expr &expr : clause_.clause().operands) {
    Value *value = clause_.plainVector(expr);
    if (!value) return false;
    operands_.push_back(value);
  }
  return true;
}

// Whether the operands have one element type, and one shape but for dimension `dim`; otherwise reports an error.
bool Joins::alikeBut(int64_t dim) {
  Type first = operands_[0]->type();
  for (size_t i = 1; i < operands_.size(); ++i) {
    Type type = operands_[i]->type();
    bool alike = type.elem() == first.elem() && type.rank() == first.rank();
    for (int d = 0; alike && d < first.rank(); ++d) alike &= d == dim || type.extent(d) == first.extent(d);
    if (alike) continue;
    clause_.diagnostics()
        .report(DiagCode::ShapeMismatch, clause_.clause().operands[i].range,
                str(clause_.name(), " cannot put ", shapedText(type), " beside ", shapedText(first)))
        .at(clause_.clause().operands[0].range, shapedText(first));
    return false;
  }
  return true;
}

std::optional<std::vector<Value *>> Joins::concat() {
  if (!readOperands(1, 64)) return std::nullopt;
  std::optional<int64_t> dim = clause_.dimension(operands_[0]->type());
  if (!dim || !alikeBut(*dim)) return std::nullopt;
  auto d = static_cast<size_t>(*dim);
  std::vector<int64_t> shape = shapeOf(operands_[0]->type()), at(shape.size(), 0);
  shape[d] = 0;
  for (const Value *operand : operands_) shape[d] += operand->type().extent(static_cast<int>(*dim));
  Value *whole = ops_.zeros(shape, operands_[0]->type().elem());
  for (Value *operand : operands_) {
    whole = operands_.size() == 1 ? operand : ops_.insert(operand, whole, at);
    at[d] += operand->type().extent(static_cast<int>(*dim));
  }
  return finish({whole});
}

// True where the index in the last dimension has this remainder by 2.
Value *Joins::parity(const std::vector<int64_t> &shape, int64_t remainder) {
  Type indices = context().vector(shape, kIndexElem);
  auto constant = [&](int64_t value) { return ops_.op(OpKind::Splat, {ops_.index(value)}, {}, indices); };
  Value *index = ops_.op(OpKind::Iota, {}, {lastDim(shape.size())}, indices);
  Value *rest = ops_.op(OpKind::RemSI, {index, constant(2)});
  return ops_.op(OpKind::CmpI, {rest, constant(remainder)}, {{"kind", std::string("eq"), clause_.range()}});
}

Value *Joins::withElem(OpKind cast, Value *value, Elem elem) {
  if (!value || value->type().elem() == elem) return value;
  return ops_.op(cast, {value}, {}, context().vector(shapeOf(value->type()), elem));
}

// Each element is repeated, and along the last dimension the elements take one of the two copies by turns.
std::optional<std::vector<Value *>> Joins::interleave() {
  if (!readOperands(2, 2) || !alikeBut(-1)) return std::nullopt;
  std::vector<int64_t> shape = shapeOf(operands_[0]->type());
  shape.back() *= 2;
  auto twice = [&](Value *value) {
    return ops_.op(OpKind::Broadcast, {ops_.inAnyLayout(value)},
                   {lastDim(shape.size()), {"broadcast_size", int64_t{2}, clause_.range()}},
                   context().vector(shape, value->type().elem()));
  };
  Value *even = parity(shape, 0), *first = twice(operands_[0]), *second = twice(operands_[1]);
  return finish({ops_.op(OpKind::Select, {even, first, second})});
}

// Of each two neighbours the bits of the other one are cleared, and then both are joined by `or`, which is exact.
std::optional<std::vector<Value *>> Joins::deinterleave() {
  if (!readOperands(1, 1)) return std::nullopt;
  Type type = operands_[0]->type();
  std::vector<int64_t> shape = shapeOf(type);
  if (shape.back() % 2 != 0)
    return wrong(DiagCode::ShapeMismatch, clause_.clause().operands[0].range,
                 str(clause_.name(), " needs an even extent of the last dimension, not ", shapedText(type)));
  constexpr std::pair<int, Elem> kBits[] = {{4, Elem::I4}, {8, Elem::I8}, {16, Elem::I16}, {32, Elem::I32}, {64, Elem::I64}};
  Elem bits = type.elem();
  for (auto [count, elem] : kBits)
    if (isFloat(type.elem()) && elemInfo(type.elem()).bits == count) bits = elem;
  bool exact = elemInfo(bits).bits == elemInfo(type.elem()).bits; // tf32 has fewer bits than its storage
  if (!exact) return wrong(DiagCode::NotSupported, clause_.range(), str(clause_.name(), " of ", elemName(type.elem())));
  Value *whole = withElem(OpKind::Bitcast, ops_.inAnyLayout(operands_[0]), bits);
  std::vector<Value *> results;
  for (int64_t remainder : {0, 1}) {
    Value *own = ops_.op(OpKind::Select, {parity(shape, remainder), whole, ops_.zeros(shape, bits)});
    Value *half = ops_.op(
        OpKind::Reduction, {own},
        {{"kind", std::string("or"), clause_.range()}, lastDim(shape.size()), {"reduction_size", int64_t{2}, clause_.range()}});
    results.push_back(withElem(OpKind::Bitcast, half, type.elem()));
  }
  return finish(std::move(results));
}

} // namespace

std::optional<std::vector<Value *>> lowerConcat(const CompositeClause &clause) { return Joins(clause).concat(); }
std::optional<std::vector<Value *>> lowerInterleave(const CompositeClause &clause) { return Joins(clause).interleave(); }
std::optional<std::vector<Value *>> lowerDeinterleave(const CompositeClause &clause) { return Joins(clause).deinterleave(); }

} // namespace xt
