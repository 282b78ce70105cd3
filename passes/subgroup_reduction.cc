#include "passes/subgroup_reduction.h"

#include "ir/combine.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

namespace xt {

// Reduces each `size` adjacent elements of a piece to one. The result has the shape `shape`.
Value *SubgroupReduction::reducePiece(const Op &op, Value *piece, std::vector<int64_t> shape, int64_t size) {
  size_t dim = dimensionOf(op);
  bool all = size == piece->type().extent(static_cast<int>(dim));
  Op *reduce = b_.create(OpKind::Reduction, {piece}, {b_.context().vector(std::move(shape), piece->type().elem())});
  ReductionOp made(*reduce);
  made.setKind(ReductionOp(op).kind(), op.range());
  made.setDim(ReductionOp(op).dim());
  if (!all) made.setReductionSize(size);
  return reduce->result();
}

void SubgroupReduction::reduce(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  size_t dim = dimensionOf(op);
  int64_t extent = from.extent(static_cast<int>(dim)), size = extent / to.extent(static_cast<int>(dim));
  Pieces source(from), target(to);
  // If blocks do not straddle pieces, each piece is reduced to one smaller piece.
  DimPieces smaller = source.dims[dim];
  bool whole = smaller.length % size == 0;
  for (int64_t &start : smaller.starts) whole &= start % size == 0, start /= size;
  for (SubgroupDigit &digit : smaller.digits) whole &= digit.weight % size == 0, digit.weight /= size;
  smaller.length /= size;
  if (whole && smaller == target.dims[dim] && source.dims[1 - dim] == target.dims[1 - dim]) {
    Values results;
    for (Value *piece : values_.of(op.operand(0))) results.push_back(reducePiece(op, piece, target.lengths(), size));
    return values_.bind(op.result(), std::move(results));
  }
  if (size == extent) return reduceAcross(op, source);
  // Blocks straddle subgroups: the elements that a piece of the result depends on are read back from shared local memory.
  Value *buffer = slm_.publish(op.operand(0));
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *first[2] = {places_.indexOf(target.dims[0], at[0]), places_.indexOf(target.dims[1], at[1])};
    if (first[dim]) first[dim] = b_.value(OpKind::MulI, {first[dim], b_.index(size)}, b_.context().index());
    std::vector<int64_t> shape = target.lengths();
    shape[dim] *= size;
    results.push_back(reducePiece(op, slm_.load(buffer, first[0], first[1], shape), target.lengths(), size));
  }
  return values_.bind(op.result(), std::move(results));
}

// Reduces the own elements of each subgroup, then the partial results, which are stored next to each other in shared local
// memory.
void SubgroupReduction::reduceAcross(const Op &op, const Pieces &source) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  size_t dim = dimensionOf(op);
  size_t kept = 1 - dim;
  int64_t owners = 1;
  std::vector<SubgroupDigit> places = source.dims[dim].digits; // position of a subgroup's partial results
  for (SubgroupDigit &digit : places) digit.weight = owners, owners *= digit.extent;
  std::vector<int64_t> shape(2), partial(2);
  shape[kept] = from.extent(static_cast<int>(kept));
  shape[dim] = owners;
  partial[kept] = source.dims[kept].length;
  partial[dim] = 1;
  OpKind combine = *combiningOp(op);
  Type part = b_.context().vector(partial, from.elem());
  Values sums(source.dims[kept].starts.size(), nullptr);
  for (size_t k = 0; k < source.count(); ++k) {
    Value *&sum = sums[source.at(k)[kept]];
    Value *own = reducePiece(op, values_.of(op.operand(0))[k], partial, source.dims[dim].length);
    sum = sum ? b_.value(combine, {sum, own}, part) : own;
  }
  Value *buffer = owners > 1 ? slm_.buffer(shape, from.elem()) : nullptr;
  Pieces target(to);
  if (buffer) {
    slm_.write(*from.layout(), [&] {
      for (size_t s = 0; s < sums.size(); ++s) {
        Value *at[2];
        at[kept] = places_.indexOf(source.dims[kept], s);
        at[dim] = places_.of(places);
        slm_.store(sums[s], buffer, at[0], at[1]);
      }
    });
    sums.clear();
    std::vector<int64_t> read(2);
    read[kept] = target.dims[kept].length;
    read[dim] = owners;
    for (size_t s = 0; s < target.dims[kept].starts.size(); ++s) {
      Value *at[2] = {nullptr, nullptr};
      at[kept] = places_.indexOf(target.dims[kept], s);
      sums.push_back(reducePiece(op, slm_.load(buffer, at[0], at[1], read), target.lengths(), owners));
    }
  }
  values_.bind(op.result(), std::move(sums));
}

} // namespace xt
