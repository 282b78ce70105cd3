#include "ir/interp/vector_ops.h"

#include "ir/base/check.h"
#include "ir/combine.h"

namespace xt {
namespace {

Number apply(OpKind kind, Elem elem, Number a, Number b) {
  Number operands[] = {a, b};
  return *evaluateScalar({kind, elem, elem, ""}, operands);
}

struct Matrix {
  size_t rows, columns;
};
Matrix matrixOf(Type type) { return {static_cast<size_t>(type.extent(0)), static_cast<size_t>(type.extent(1))}; }

Fragment transposed(const Op &op, const Fragment &whole) {
  const Attr *permutation = op.attr("permutation");
  if (permutation && std::get<std::vector<int64_t>>(permutation->value)[0] == 0) return whole;
  Matrix from = matrixOf(op.operand(0)->type());
  Fragment result(whole.size());
  for (size_t r = 0; r < from.rows; ++r)
    for (size_t c = 0; c < from.columns; ++c) result[c * from.rows + r] = whole[r * from.columns + c];
  return result;
}

size_t dimensionOf(const Op &op) { return static_cast<size_t>(std::get<std::vector<int64_t>>(op.attr("dims")->value)[0]); }

// Each kind starts from its own identity, so that a block of one element gives that element.
Fragment reduced(const Op &op, const Fragment &whole) {
  Matrix from = matrixOf(op.operand(0)->type()), to = matrixOf(op.result()->type());
  Elem elem = op.result()->type().elem();
  OpKind kind = *combiningOp(op.textAttr("kind"), elem);
  Fragment result(to.rows * to.columns, numberFromAttr(elem, combiningIdentity(kind, elem)));
  size_t down = dimensionOf(op) == 0 ? from.rows / to.rows : 1, across = dimensionOf(op) == 1 ? from.columns / to.columns : 1;
  for (size_t r = 0; r < from.rows; ++r)
    for (size_t c = 0; c < from.columns; ++c) {
      Number &sum = result[r / down * to.columns + c / across];
      sum = apply(kind, elem, sum, whole[r * from.columns + c]);
    }
  return result;
}

Fragment repeated(const Op &op, const Fragment &whole) {
  Matrix from = matrixOf(op.operand(0)->type()), to = matrixOf(op.result()->type());
  size_t down = to.rows / from.rows, across = to.columns / from.columns;
  Fragment result(to.rows * to.columns);
  for (size_t r = 0; r < to.rows; ++r)
    for (size_t c = 0; c < to.columns; ++c) result[r * to.columns + c] = whole[r / down * from.columns + c / across];
  return result;
}

} // namespace

Fragment evaluateVectorOp(const Op &op, const Fragment &whole) {
  TypeRule rule = op.info().typeRule;
  if (rule == TypeRule::Transpose) return transposed(op, whole);
  if (rule == TypeRule::Reduction) return reduced(op, whole);
  if (rule == TypeRule::Broadcast) return repeated(op, whole);
  XT_CHECK(rule == TypeRule::ConvertLayout || rule == TypeRule::Reshape, "an op on a whole vector");
  return whole;
}

Number iotaAt(const Op &op, std::span<const int64_t> index) {
  Elem elem = op.result()->type().elem();
  return numberFromAttr(elem, index[dimensionOf(op)]);
}

bool maskAt(std::span<const int64_t> extents, std::span<const int64_t> index) {
  for (size_t d = 0; d < extents.size(); ++d)
    if (index[d] >= extents[d]) return false;
  return true;
}

std::optional<size_t> linearIndex(std::span<const int64_t> shape, std::span<const int64_t> index) {
  size_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return std::nullopt;
    place = place * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
  }
  return place;
}

Number combine(std::string_view kind, Elem elem, Number value, Number other) {
  if (kind == "assign") return other;
  return apply(*combiningOp(kind, elem), elem, value, other);
}

} // namespace xt
