#include "passes/subgroup_movement.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/index_arithmetic.h"
#include "passes/vector_slices.h"

namespace xt {

// Piece (i, j) of the result is piece (j, i) of the tile, transposed by the load.
void SubgroupMovement::loadTransposed(const Op &op) {
  Pieces target(op.result()->type()), source(op.operand(0)->type());
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Op *load = b_.create(OpKind::LoadTile, {values_.of(op.operand(0))[source.number({at[1], at[0]})]},
                         {pieceType(b_.context(), op.result()->type(), target)});
    copyAttrs(op, *load);
    results.push_back(load->result());
  }
  values_.bind(op.result(), std::move(results));
}

void SubgroupMovement::transpose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  Type from = op.operand(0)->type(), to = op.result()->type();
  Pieces source(from), target(to);
  bool local = true;
  for (size_t d = 0; d < permutation.size(); ++d) local &= target.dims[d] == source.dims[static_cast<size_t>(permutation[d])];
  Values results;
  if (local) {
    for (size_t k = 0; k < target.count(); ++k) {
      std::vector<size_t> at = target.at(k), of0(at.size());
      for (size_t d = 0; d < at.size(); ++d) of0[static_cast<size_t>(permutation[d])] = at[d];
      Op *turn =
          b_.create(OpKind::Transpose, {values_.of(op.operand(0))[source.number(of0)]}, {pieceType(b_.context(), to, target)});
      TransposeOp(*turn).setPermutation(permutation);
      results.push_back(turn->result());
    }
    return values_.bind(op.result(), std::move(results));
  }
  if (from.rank() != 2) return elements_.exchange(op);
  bool swaps = permutation[0] == 1;
  Value *buffer = slm_.publish(op.operand(0));
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *first = places_.indexOf(target.dims[0], at[0]), *second = places_.indexOf(target.dims[1], at[1]);
    results.push_back(slm_.load(buffer, swaps ? second : first, swaps ? first : second, target.lengths(), swaps));
  }
  return values_.bind(op.result(), std::move(results));
}

// A subgroup needs all of K for its part of the result.
void SubgroupMovement::tileMma(const Op &op) {
  Type result = op.result()->type();
  Pieces target(result);
  auto operand = [&](size_t i) { // the rows of `a`, or the columns of `b`, for each piece
    const Value *value = op.operand(i);
    Pieces source(value->type());
    size_t k = i == 0 ? 1 : 0, kept = 1 - k;
    if (source.dims[k].whole()) return values_.of(value);
    Value *buffer = slm_.publish(value);
    Values parts;
    for (size_t s = 0; s < target.dims[kept].starts.size(); ++s) {
      std::vector<int64_t> shape(2);
      shape[k] = value->type().extent(static_cast<int>(k));
      shape[kept] = target.dims[kept].length;
      Value *at = places_.indexOf(target.dims[kept], s);
      parts.push_back(kept == 0 ? slm_.load(buffer, at, nullptr, shape) : slm_.load(buffer, nullptr, at, shape));
    }
    return parts;
  };
  Values a = operand(0), right = operand(1), results;
  XT_CHECK(a.size() == target.dims[0].starts.size() && right.size() == target.dims[1].starts.size(), "rows of a, columns of b");
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Values operands = {a[at[0]], right[at[1]]};
    if (op.operandCount() > 2) operands.push_back(values_.of(op.operand(2))[k]);
    results.push_back(b_.value(OpKind::TileMma, std::move(operands), pieceType(b_.context(), result, target)));
  }
  values_.bind(op.result(), std::move(results));
}

void SubgroupMovement::broadcast(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  size_t dim = dimensionOf(op);
  int64_t size = to.extent(static_cast<int>(dim)) / from.extent(static_cast<int>(dim));
  Pieces source(from), target(to);
  size_t kept = 1 - dim;
  int64_t block = std::min(size, target.dims[dim].length); // number of copies of an element in one piece
  auto stretch = [&](Value *piece) {
    if (block == 1 && piece->type().extent(static_cast<int>(dim)) == target.dims[dim].length) return piece;
    Op *copy = b_.create(OpKind::Broadcast, {piece}, {pieceType(b_.context(), to, target)});
    BroadcastOp(*copy).setDim(BroadcastOp(op).dim());
    if (piece->type().extent(static_cast<int>(dim)) != 1) BroadcastOp(*copy).setBroadcastSize(block);
    return copy->result();
  };
  bool fits = source.dims[kept] == target.dims[kept];
  bool one = source.dims[dim].whole() && source.dims[dim].length == 1;
  bool alike = source.dims[dim].starts.size() == target.dims[dim].starts.size() &&
               source.dims[dim].length * block == target.dims[dim].length;
  for (size_t s = 0; alike && s < source.dims[dim].starts.size(); ++s)
    alike = source.dims[dim].starts[s] == target.dims[dim].starts[s] / size;
  Values results;
  if (fits && (one || alike)) {
    for (size_t k = 0; k < target.count(); ++k) {
      std::vector<size_t> at = target.at(k);
      if (one) at[dim] = 0;
      results.push_back(stretch(values_.of(op.operand(0))[source.number(at)]));
    }
    return values_.bind(op.result(), std::move(results));
  }
  Value *buffer = slm_.publish(op.operand(0));
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *first[2] = {places_.indexOf(target.dims[0], at[0]), places_.indexOf(target.dims[1], at[1])};
    if (first[dim]) first[dim] = b_.value(OpKind::DivSI, {first[dim], b_.index(size)}, b_.context().index());
    std::vector<int64_t> shape = target.lengths();
    shape[dim] = std::max<int64_t>(1, shape[dim] / size);
    results.push_back(stretch(slm_.load(buffer, first[0], first[1], shape)));
  }
  return values_.bind(op.result(), std::move(results));
}

// A reshape does not change which elements a subgroup holds. If both sides have one piece, the elements stay in order, too;
// otherwise they are reordered through shared local memory.
void SubgroupMovement::reshape(const Op &op) {
  Pieces source(op.operand(0)->type()), target(op.result()->type());
  if (source.count() > 1 || target.count() > 1) return elements_.exchange(op);
  values_.bind(op.result(),
               {b_.value(OpKind::Reshape, {values_.one(op.operand(0))}, pieceType(b_.context(), op.result()->type(), target))});
}

void SubgroupMovement::extract(const Op &op) {
  Type from = op.operand(0)->type();
  Values operands = values_.ofAll(op.operands());
  bool all = true;
  for (const DimPieces &dim : Pieces(from).dims) all &= dim.whole();
  if (all) return values_.bind(op.result(), {b_.value(OpKind::Extract, std::move(operands), op.result()->type())});
  Values indices;
  if (from.rank() == 2) {
    indices = {slm_.publish(op.operand(0)), values_.one(op.operand(1)), values_.one(op.operand(2))};
  } else { // loads by the row-major number of the element
    Value *buffer = elements_.publish(op.operand(0)), *linear = values_.one(op.operand(1));
    for (int d = 1; d < from.rank(); ++d)
      linear = sumOf(b_, b_.value(OpKind::MulI, {linear, b_.index(from.extent(d))}, b_.context().index()),
                     values_.one(op.operand(1 + static_cast<size_t>(d))));
    indices = {buffer, linear};
  }
  values_.bind(op.result(), {b_.value(OpKind::Load, std::move(indices), op.result()->type())});
}

// Loads the pieces of a value of this type from the part of a buffer that begins at these offsets.
Values SubgroupMovement::loadPieces(Value *buffer, Type type, const std::vector<int64_t> &offsets) {
  Pieces pieces(type);
  Values loaded;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Value *at[2];
    for (size_t d = 0; d < 2; ++d) at[d] = sumOf(b_, places_.indexOf(pieces.dims[d], pieces.at(k)[d]), offsets[d]);
    loaded.push_back(slm_.load(buffer, at[0], at[1], pieces.lengths()));
  }
  return loaded;
}

namespace {

// Whether each subgroup's pieces of a slice are parts of its own pieces of the vector, at the slice's offsets: it holds a dimension
// completely, or the slice has all of the dimension and is divided as the vector is. The pieces then have the same numbers.
bool isCutInPieces(Type whole, Type part, const std::vector<int64_t> &offsets) {
  Pieces pieces(whole), cut(part);
  for (size_t d = 0; d < offsets.size(); ++d) {
    bool own = pieces.dims[d].whole() && cut.dims[d].whole();
    bool same = offsets[d] == 0 && part.shape()[d] == whole.shape()[d] && pieces.dims[d] == cut.dims[d];
    if (!own && !same) return false;
  }
  return true;
}

} // namespace

void SubgroupMovement::extractSlice(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  const std::vector<int64_t> &offsets = ExtractStridedSliceOp(op).offsets();
  if (isCutInPieces(from, to, offsets)) {
    Values cut;
    for (Value *piece : values_.of(op.operand(0))) cut.push_back(sliceOf(b_, piece, offsets, Pieces(to).lengths()));
    return values_.bind(op.result(), std::move(cut));
  }
  Value *buffer = slm_.publish(op.operand(0));
  values_.bind(op.result(), loadPieces(buffer, to, offsets));
}

void SubgroupMovement::insertSlice(const Op &op) {
  const Value *part = op.operand(0);
  const std::vector<int64_t> &offsets = InsertStridedSliceOp(op).offsets();
  if (isCutInPieces(op.result()->type(), part->type(), offsets)) {
    Values whole = values_.of(op.operand(1));
    for (size_t k = 0; k < whole.size(); ++k) whole[k] = withSlice(b_, values_.of(part)[k], whole[k], offsets);
    return values_.bind(op.result(), std::move(whole));
  }
  Value *buffer = slm_.publish(op.operand(1));
  slm_.writeAgain(*part->type().layout(), [&] {
    Pieces pieces(part->type());
    for (size_t k = 0; k < pieces.count(); ++k) {
      Value *at[2];
      for (size_t d = 0; d < 2; ++d) at[d] = sumOf(b_, places_.indexOf(pieces.dims[d], pieces.at(k)[d]), offsets[d]);
      slm_.store(values_.of(part)[k], buffer, at[0], at[1]);
    }
  });
  values_.bind(op.result(), loadPieces(buffer, op.result()->type(), {0, 0}));
}

} // namespace xt
