#include "passes/fragment_windows.h"

#include "ir/op_kinds.h"
#include "passes/index_arithmetic.h"
#include "passes/tile_roots.h"

namespace xt {
namespace {

using Piece = FragmentWindows::Piece;

const Op *initOf(const Value *tile) {
  const Op *op = tile->definingOp();
  return op && op->kind() == OpKind::InitTile ? op : nullptr;
}

// Cuts a lane's elements into runs of adjacent elements, which the register digits after the last lane digit of each dimension
// count.
std::vector<Piece> runsOf(const Layout *layout) {
  std::vector<Piece> pieces = {{{}, {}, {}}};
  for (int d = 0; d < layout->rank(); ++d) {
    int64_t run = 1;
    std::span<const Factor> factors = layout->factors(d);
    for (size_t i = factors.size(); i-- > 0 && factors[i].axis != Axis::Lane;) run *= factors[i].extent;
    std::vector<int64_t> own = layout->sliceOf(Axis::Lane, 0, d);
    std::vector<Piece> finer;
    for (const Piece &piece : pieces)
      for (size_t at = 0; at < own.size(); at += static_cast<size_t>(run)) {
        finer.push_back(piece);
        finer.back().own.push_back(static_cast<int64_t>(at));
        finer.back().shape.push_back(run);
        finer.back().start.push_back(own[at]);
      }
    pieces = std::move(finer);
  }
  return pieces;
}

// Cuts a lane's elements into pieces of one element.
std::vector<Piece> elementsOf(const Layout *layout) {
  std::vector<Piece> elements;
  for (const Piece &piece : runsOf(layout))
    for (int64_t row = 0; row < piece.shape[0]; ++row)
      for (int64_t column = 0; column < piece.shape[1]; ++column)
        elements.push_back(
            {{piece.own[0] + row, piece.own[1] + column}, {1, 1}, {piece.start[0] + row, piece.start[1] + column}});
  return elements;
}

} // namespace

std::vector<Piece> FragmentWindows::piecesOf(const Value *tile, const Layout *layout) const {
  bool anyShape = initOf(tile) && !tile->type().data().packed;
  return anyShape ? runsOf(layout) : elementsOf(layout);
}

Value *FragmentWindows::at(const Value *tile, const Layout *layout, const Piece &piece, bool turned) {
  size_t down = turned ? 1 : 0, right = turned ? 0 : 1;
  auto offset = [&](Value *from, size_t dim) {
    return sumOf(b_, sumOf(b_, from, places_.of(layout, static_cast<int>(dim))), piece.start[dim]);
  };
  const Op *init = initOf(tile);
  if (!init) {
    Value *y = offset(nullptr, down), *x = offset(nullptr, right);
    return b_.value(OpKind::UpdateTileOffset, {values_.of(tile), orZero(b_, y), orZero(b_, x)}, values_.of(tile)->type());
  }
  size_t row = rowOffsetAt(*init);
  std::vector<Value *> operands;
  for (size_t i = 0; i < init->operandCount(); ++i) {
    Value *operand = values_.of(init->operand(i));
    operands.push_back(i == row ? offset(operand, down) : i == row + 1 ? offset(operand, right) : operand);
  }
  TypeData data = tile->type().data();
  data.layout = nullptr;
  data.shape = {piece.shape[down], piece.shape[right]};
  return b_.value(OpKind::InitTile, std::move(operands), b_.context().intern(std::move(data)));
}

} // namespace xt
