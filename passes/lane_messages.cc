#include "passes/lane_messages.h"

#include "ir/base/check.h"
#include "ir/views/names.h"
#include "ir/views/xegpu.h"
#include "passes/vector_slices.h"

namespace xt {

// Loads the lane's elements of a block. The result has the layout `layout`. With vnni_axis = 1, groups of adjacent elements of
// a row may belong to several lanes, which `load_nd` does not allow. Without the attribute, each lane loads the same elements
// in the same order, and only has to reshape them.
Value *LaneMessages::loadBlock(const Op &op, const Layout *layout) {
  const Elem elem = op.result()->type().elem();
  if (LoadNdOp(op).vnniAxis() != 1)
    return values_.copy(op, {values_.of(op.operand(0))}, {values_.fragment(layout, elem)})->result();
  const std::vector<int64_t> groups = layout->ownerShape(Axis::Lane);
  Op *read = values_.copy(op, {values_.of(op.operand(0))}, {b_.context().vector({groups[0], groups[1] * groups[2]}, elem)});
  read->removeAttr(attr_names::kVnniAxis);
  return withShape(b_, read->result(), groups);
}

void LaneMessages::load(const Op &op) {
  const Layout *layout = layouts_.loaded(op, layouts_.ofBlock(op.operand(0)));
  XT_CHECK(layout, "a block in VNNI form has 32 bits of a column in one lane");
  values_.bind(op.result(), exchange_.converted(loadBlock(op, layout), layout, layouts_.of(op.result())));
}

void LaneMessages::store(const Op &op) {
  const Value *stored = op.operand(0), *block = op.operand(1);
  Value *fragment = exchange_.converted(values_.of(stored), layouts_.of(stored), layouts_.ofBlock(block));
  values_.copy(op, {fragment, values_.of(block)}, {});
}

} // namespace xt
