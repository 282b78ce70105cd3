#include "passes/fragment_memory.h"

#include "ir/op_kinds.h"
#include "passes/conditional_ops.h"
#include "passes/part_values.h"
#include "passes/vector_slices.h"

namespace xt {

void FragmentMemory::before(const Op &op, const Layout *layout) {
  std::vector<LaneAccess> accesses = laneAccesses(op);
  bool meets = false;
  for (LaneAccess &access : accesses) {
    access.layout = layout;
    meets |= hazards_.meets(access);
  }
  if (meets) {
    b_.create(OpKind::SubgroupBarrier, {}, {});
    hazards_.clear();
  }
  for (const LaneAccess &access : accesses) hazards_.note(access);
}

void FragmentMemory::loadTile(const Op &op) {
  const Value *tile = op.operand(0);
  const Layout *layout = layouts_.of(op.result());
  before(op, transposes(op) ? nullptr : layout); // a transposed load: other lanes own these elements in memory
  Type type = values_.typeOf(op.result());
  values_.bind(op.result(), assembled(type, tile, layout, [&](const Piece &piece) {
                 Value *window = windows_.at(tile, layout, piece, transposes(op));
                 return values_.copy(op, {window}, {b_.context().vector(piece.shape, type.elem())})->result();
               }));
}

// Loads the pieces of a fragment and puts them together.
Value *FragmentMemory::assembled(Type type, const Value *tile, const Layout *layout,
                                 const std::function<Value *(const Piece &)> &load) {
  Value *result = nullptr;
  for (const Piece &piece : windows_.piecesOf(tile, layout)) {
    Value *part = load(piece);
    if (!result && part->type() != type) result = zerosOf(b_, type);
    result = result ? withSlice(b_, part, result, piece.own) : part;
  }
  return result;
}

void FragmentMemory::storeTile(const Op &op) {
  const Value *tile = op.operand(1);
  const Layout *layout = layouts_.of(op.operand(0));
  before(op, layout);
  onlyWhere(b_, places_.isFirstCopy(layout), [&] {
    for (const Piece &piece : windows_.piecesOf(tile, layout)) {
      Value *window = windows_.at(tile, layout, piece);
      values_.copy(op, {sliceOf(b_, values_.of(op.operand(0)), piece.own, piece.shape), window}, {});
    }
  });
}

void FragmentMemory::storeScalar(const Op &op) {
  before(op, nullptr);
  onlyWhere(b_, places_.isFirst(), [&] { values_.repeat(op); });
}

// --- scatter tiles, atomics ------------------------------------------------------------------------------------------

void FragmentMemory::gather(const Op &op) {
  before(op, layouts_.of(op.result()));
  values_.repeat(op);
}

void FragmentMemory::scatter(const Op &op) {
  const Layout *layout = layouts_.of(op.operand(0));
  before(op, layout);
  Value *mask = values_.of(op.operand(1));
  if (Value *first = places_.isFirstCopy(layout))
    mask = b_.value(OpKind::AndI, {mask, splatOf(b_, first, mask->type())}, mask->type());
  values_.copy(op, {values_.of(op.operand(0)), mask, values_.of(op.operand(2))}, {});
}

// Of the lanes that hold the same element, one performs the atomic op and broadcasts the old value to the others.
void FragmentMemory::atomic(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  const Value *tile = op.operand(1);
  before(op, layout);
  Type type = values_.typeOf(op.result());
  auto perform = [&] {
    if (tile->type().data().scatter) return values_.copy(op, values_.ofAll(op.operands()), {type})->result();
    return assembled(type, tile, layout, [&](const Piece &piece) {
      Value *window = windows_.at(tile, layout, piece);
      Value *value = sliceOf(b_, values_.of(op.operand(0)), piece.own, piece.shape);
      return values_.copy(op, {value, window}, {value->type()})->result();
    });
  };
  Value *old = valueWhere(b_, places_.isFirstCopy(layout), type, perform, [&] { return zerosOf(b_, type); });
  if (layout->isReplicated(Axis::Lane)) old = exchange_.shuffled(old, places_.firstCopy(layout));
  values_.bind(op.result(), old);
}

} // namespace xt
