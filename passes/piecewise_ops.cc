#include "passes/piecewise_ops.h"

#include "ir/op_kinds.h"
#include "passes/index_arithmetic.h"
#include "passes/part_values.h"

namespace xt {

// Copies an op whose operands and results have no pieces, so that each is one value.
void PiecewiseOps::plain(const Op &op) {
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(op.result(i)->type());
  Op *copy = b_.create(op.kind(), values_.ofAll(op.operands()), types);
  copyAttrs(op, *copy);
  for (size_t i = 0; i < op.resultCount(); ++i) values_.bind(op.result(i), {copy->result(i)});
}

// Applies the op to each piece. All tiles and vectors of the op have the same pieces. A copy becomes one for each piece, all of
// which its `async_commit` takes.
void PiecewiseOps::eachPiece(const Op &op) {
  Type like = op.resultCount() ? op.result()->type() : Type(); // the token of a copy has no pieces
  for (const Value *operand : op.operands())
    if (!like || !hasPieces(like)) like = operand->type();
  Pieces pieces(like);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values operands;
    for (const Value *operand : op.operands())
      operands.push_back(values_.of(operand).size() > 1 ? values_.of(operand)[k] : values_.one(operand));
    std::vector<Type> types;
    if (op.resultCount())
      types.push_back(hasPieces(op.result()->type()) ? pieceType(b_.context(), op.result()->type(), pieces)
                                                     : op.result()->type());
    Op *copy = b_.create(op.kind(), std::move(operands), types);
    copyAttrs(op, *copy);
    if (op.resultCount()) results.push_back(copy->result());
  }
  if (op.resultCount()) values_.bind(op.result(), std::move(results));
}

// Adds the offsets of each piece in the workgroup's tile to those of the tile.
void PiecewiseOps::initTile(const Op &op) {
  Type tile = op.result()->type();
  if (tile.data().scatter) return eachPiece(op);
  Pieces pieces(tile);
  Value *base = values_.one(op.operand(0));
  size_t rank = base->type().isMemRef() ? static_cast<size_t>(base->type().rank()) : 2;
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    std::vector<size_t> place = pieces.at(k);
    Values operands = values_.ofAll(op.operands());
    for (size_t d = 0; d < 2; ++d) {
      Value *&offset = operands[1 + rank - 2 + d];
      if (Value *inTile = places_.indexOf(pieces.dims[d], place[d])) offset = sumOf(b_, offset, inTile);
    }
    results.push_back(b_.value(OpKind::InitTile, std::move(operands), pieceType(b_.context(), tile, pieces)));
  }
  values_.bind(op.result(), std::move(results));
}

void PiecewiseOps::iota(const Op &op) {
  Type type = op.result()->type();
  Pieces pieces(type);
  size_t dim = dimensionOf(op);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k)
    results.push_back(
        iotaFrom(b_, op, pieceType(b_.context(), type, pieces), places_.indexOf(pieces.dims[dim], pieces.at(k)[dim])));
  values_.bind(op.result(), std::move(results));
}

// The operands count from the start of the whole vector, so the start of each piece is subtracted from them.
void PiecewiseOps::createMask(const Op &op) {
  Type type = op.result()->type();
  Pieces pieces(type);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values extents = values_.ofAll(op.operands());
    for (size_t d = 0; d < extents.size(); ++d)
      if (Value *first = places_.indexOf(pieces.dims[d], pieces.at(k)[d]))
        extents[d] = b_.value(OpKind::SubI, {extents[d], first}, b_.context().index());
    results.push_back(b_.value(OpKind::CreateMask, std::move(extents), pieceType(b_.context(), type, pieces)));
  }
  values_.bind(op.result(), std::move(results));
}

// An insert whose index is outside of the piece replaces nothing.
void PiecewiseOps::insert(const Op &op) {
  Type type = op.result()->type();
  Pieces pieces(type);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values operands = {values_.one(op.operand(0)), values_.of(op.operand(1))[k]};
    for (size_t d = 0; d < pieces.dims.size(); ++d) {
      Value *at = values_.one(op.operand(2 + d)), *first = places_.indexOf(pieces.dims[d], pieces.at(k)[d]);
      operands.push_back(first ? b_.value(OpKind::SubI, {at, first}, b_.context().index()) : at);
    }
    results.push_back(b_.value(OpKind::Insert, std::move(operands), pieceType(b_.context(), type, pieces)));
  }
  values_.bind(op.result(), std::move(results));
}

// Lets one of the subgroups that hold a piece store it.
void PiecewiseOps::writeOnce(const Op &op) {
  for (const Value *operand : op.operands())
    if (Type type = operand->type(); type.isTile())
      return places_.onlyWhereZero(copyDigits(*type.layout()), [&] { eachPiece(op); });
  eachPiece(op);
}

// Lets one subgroup store a value that all subgroups hold.
void PiecewiseOps::memoryStore(const Op &op) {
  places_.onlyInFirst([&] { plain(op); });
}

} // namespace xt
