// Exchanges with other subgroups element by element: for vectors that are not matrices, and for reshapes, where the
// pieces of the result are not rectangles of the operand.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/distribution.h"

#include <numeric>

namespace xt {

namespace {

std::vector<int64_t> rowMajor(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

// A scatter tile has two dimensions: flattens all but the last.
std::vector<int64_t> asRows(const std::vector<int64_t> &shape) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) rows *= shape[d];
  return {rows, shape.back()};
}

} // namespace

// The offset of each element of a piece in a buffer that holds the whole vector with these strides, as rows.
Value *Distribution::elementOffsets(const Pieces &pieces, size_t k, const std::vector<int64_t> &strides) {
  std::vector<int64_t> lengths = pieces.lengths();
  std::vector<size_t> at = pieces.at(k);
  Type type = context_.vector(lengths, Elem::Index);
  Value *first = nullptr, *inPiece = nullptr;
  for (size_t d = 0; d < lengths.size(); ++d) {
    if (Value *start = indexOf(pieces.dims[d], at[d]))
      first = add(first, strides[d] == 1 ? start : make(OpKind::MulI, {start, index(strides[d])}, context_.index()));
    if (lengths[d] == 1) continue;
    Op *count = create(OpKind::Iota, {}, {type});
    IotaOp(*count).setDim(static_cast<int64_t>(d));
    Value *along = count->result();
    if (strides[d] != 1) along = make(OpKind::MulI, {along, b.constantInt(type, strides[d])}, type);
    inPiece = inPiece ? make(OpKind::AddI, {inPiece, along}, type) : along;
  }
  if (!inPiece) inPiece = b.constantInt(type, 0);
  if (first) inPiece = make(OpKind::AddI, {inPiece, make(OpKind::Splat, {first}, type)}, type);
  return rows(inPiece);
}

Value *Distribution::rows(Value *vector) {
  std::vector<int64_t> shape(vector->type().shape().begin(), vector->type().shape().end());
  if (shape.size() == 2) return vector;
  return make(OpKind::Reshape, {vector}, context_.vector(asRows(shape), vector->type().elem()));
}

Value *Distribution::scattered(Value *buffer, Value *offsets) {
  std::vector<int64_t> shape(offsets->type().shape().begin(), offsets->type().shape().end());
  TypeData tile = context_.tile(std::move(shape), buffer->type().elem(), nullptr, Order::RowMajor, MemorySpace::Slm).data();
  tile.scatter = true;
  return make(OpKind::InitTile, {buffer, offsets}, context_.intern(std::move(tile)));
}

// Writes all elements in row-major order to a buffer of one dimension.
Value *Distribution::publishElements(const Value *value) {
  Type type = value->type();
  Pieces pieces = piecesOf(type);
  Value *buffer = slmBuffer({type.elementCount()}, type.elem());
  waitForReaders();
  onlyWhere(copyDigits(*type.layout()), [&] {
    for (size_t k = 0; k < pieces.count(); ++k) {
      Value *part = rows(of(value)[k]), *tile = scattered(buffer, elementOffsets(pieces, k, rowMajor(type.shape())));
      create(OpKind::StoreScatter, {part, allTrue(part->type()), tile}, {});
    }
  });
  published();
  return buffer;
}

Value *Distribution::allTrue(Type like) { return b.constantInt(context_.withElem(like, Elem::I1), 1); }

// Gathers each piece of the result from the buffer, where dimension d of the result has the stride strides[d].
void Distribution::gatherPieces(const Op &op, Value *buffer, const std::vector<int64_t> &strides) {
  Type to = op.result()->type();
  Pieces pieces = piecesOf(to);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Value *tile = scattered(buffer, elementOffsets(pieces, k, strides));
    Type part = context_.vector(asRows(pieces.lengths()), to.elem());
    Value *read = make(OpKind::LoadGather, {tile, allTrue(part)}, part);
    Type piece = pieceType(to, pieces);
    results.push_back(part == piece ? read : make(OpKind::Reshape, {read}, piece));
  }
  bind(op.result(), std::move(results));
}

void Distribution::exchangeElements(const Op &op) {
  Value *buffer = publishElements(op.operand(0));
  std::vector<int64_t> strides = rowMajor(op.result()->type().shape());
  if (op.kind() == OpKind::Transpose) {
    std::vector<int64_t> from = rowMajor(op.operand(0)->type().shape()), permutation = permutationOf(op);
    for (size_t d = 0; d < strides.size(); ++d) strides[d] = from[static_cast<size_t>(permutation[d])];
  }
  gatherPieces(op, buffer, strides);
}

Value *Distribution::wholeByElements(const Value *value, Value *buffer) {
  Type type = value->type();
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  Type flat = context_.vector({1, type.elementCount()}, type.elem());
  Op *count = create(OpKind::Iota, {}, {context_.withElem(flat, Elem::Index)});
  IotaOp(*count).setDim(1);
  Value *read = make(OpKind::LoadGather, {scattered(buffer, count->result()), allTrue(flat)}, flat);
  return make(OpKind::Reshape, {read}, context_.vector(std::move(shape), type.elem()));
}

} // namespace xt
