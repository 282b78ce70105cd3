#include "passes/element_exchange.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/index_arithmetic.h"

namespace xt {

namespace {

std::vector<int64_t> rowMajor(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// Flattens all dimensions but the last, because a scatter tile has two dimensions.
std::vector<int64_t> shapeOfRows(const std::vector<int64_t> &shape) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
  return {rows, shape.back()};
}

} // namespace

// Returns the offset of each element of piece `k` in a buffer that holds the whole vector with these strides, as a vector of
// two dimensions (asRows).
Value *ElementExchange::offsets(const Pieces &pieces, size_t k, const std::vector<int64_t> &strides) {
  std::vector<int64_t> lengths = pieces.lengths();
  std::vector<size_t> at = pieces.at(k);
  Type type = b_.context().vector(lengths, Elem::Index);
  Value *first = nullptr, *inPiece = nullptr;
  for (size_t d = 0; d < lengths.size(); ++d) {
    if (Value *start = places_.indexOf(pieces.dims[d], at[d]))
      first = sumOf(b_, first,
                    strides[d] == 1 ? start : b_.value(OpKind::MulI, {start, b_.index(strides[d])}, b_.context().index()));
    if (lengths[d] == 1) continue;
    Op *count = b_.create(OpKind::Iota, {}, {type});
    IotaOp(*count).setDim(static_cast<int64_t>(d));
    Value *along = count->result();
    if (strides[d] != 1) along = b_.value(OpKind::MulI, {along, b_.constantInt(type, strides[d])}, type);
    inPiece = inPiece ? b_.value(OpKind::AddI, {inPiece, along}, type) : along;
  }
  if (!inPiece) inPiece = b_.constantInt(type, 0);
  if (first) inPiece = b_.value(OpKind::AddI, {inPiece, b_.value(OpKind::Splat, {first}, type)}, type);
  return asRows(inPiece);
}

Value *ElementExchange::asRows(Value *vector) {
  std::vector<int64_t> shape(vector->type().shape().begin(), vector->type().shape().end());
  if (shape.size() == 2) return vector;
  return b_.value(OpKind::Reshape, {vector}, b_.context().vector(shapeOfRows(shape), vector->type().elem()));
}

Value *ElementExchange::scatterTile(Value *buffer, Value *offsets) {
  std::vector<int64_t> shape(offsets->type().shape().begin(), offsets->type().shape().end());
  TypeData tile = b_.context().tile(std::move(shape), buffer->type().elem(), nullptr, Order::RowMajor, MemorySpace::Slm).data();
  tile.scatter = true;
  return b_.value(OpKind::InitTile, {buffer, offsets}, b_.context().intern(std::move(tile)));
}

// Writes all elements of the vector in row-major order to a buffer of one dimension.
Value *ElementExchange::publish(const Value *vector) {
  Type type = vector->type();
  Pieces pieces(type);
  Value *buffer = slm_.buffer({type.elementCount()}, type.elem());
  slm_.write(*type.layout(), [&] {
    for (size_t k = 0; k < pieces.count(); ++k) {
      Value *part = asRows(values_.of(vector)[k]), *tile = scatterTile(buffer, offsets(pieces, k, rowMajor(type.shape())));
      b_.create(OpKind::StoreScatter, {part, allTrue(part->type()), tile}, {});
    }
  });
  return buffer;
}

Value *ElementExchange::allTrue(Type like) { return b_.constantInt(b_.context().withElem(like, Elem::I1), 1); }

// Gathers each piece of the result from the buffer, in which dimension d of the result has the stride strides[d].
void ElementExchange::gatherPieces(const Op &op, Value *buffer, const std::vector<int64_t> &strides) {
  Type to = op.result()->type();
  Pieces pieces(to);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Value *tile = scatterTile(buffer, offsets(pieces, k, strides));
    Type part = b_.context().vector(shapeOfRows(pieces.lengths()), to.elem());
    Value *read = b_.value(OpKind::LoadGather, {tile, allTrue(part)}, part);
    Type piece = pieceType(b_.context(), to, pieces);
    results.push_back(part == piece ? read : b_.value(OpKind::Reshape, {read}, piece));
  }
  values_.bind(op.result(), std::move(results));
}

void ElementExchange::exchange(const Op &op) {
  Value *buffer = publish(op.operand(0));
  std::vector<int64_t> strides = rowMajor(op.result()->type().shape());
  if (op.kind() == OpKind::Transpose) {
    std::vector<int64_t> from = rowMajor(op.operand(0)->type().shape()), permutation = permutationOf(op);
    for (size_t d = 0; d < strides.size(); ++d) strides[d] = from[static_cast<size_t>(permutation[d])];
  }
  gatherPieces(op, buffer, strides);
}

Value *ElementExchange::whole(const Value *vector, Value *buffer) {
  Type type = vector->type();
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  Type flat = b_.context().vector({1, type.elementCount()}, type.elem());
  Op *count = b_.create(OpKind::Iota, {}, {b_.context().withElem(flat, Elem::Index)});
  IotaOp(*count).setDim(1);
  Value *read = b_.value(OpKind::LoadGather, {scatterTile(buffer, count->result()), allTrue(flat)}, flat);
  return b_.value(OpKind::Reshape, {read}, b_.context().vector(std::move(shape), type.elem()));
}

} // namespace xt
