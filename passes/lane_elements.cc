#include "passes/lane_elements.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/index_arithmetic.h"
#include "passes/part_values.h"
#include "passes/vector_slices.h"

namespace xt {

Value *LaneElements::arith(OpKind kind, Value *x, int64_t constant) {
  if (constant == 1 && kind != OpKind::RemSI) return x;
  return b_.value(kind, {x, b_.index(constant)}, b_.context().index());
}

void LaneElements::iota(const Op &op) {
  Type type = values_.typeOf(op.result());
  auto dim = static_cast<int>(dimensionOf(op));
  Value *value = places_.indices(layouts_.of(op.result()), dim);
  Type wide = b_.context().withElem(type, Elem::I64);
  if (isFloat(type.elem()))
    value = b_.value(OpKind::SIToFP, {b_.value(OpKind::IndexCast, {value}, wide)}, type);
  else if (type.elem() != Elem::Index)
    value = b_.value(OpKind::IndexCast, {value}, type);
  values_.bind(op.result(), value);
}

void LaneElements::createMask(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  Type type = values_.typeOf(op.result());
  Value *all = nullptr;
  for (size_t d = 0; d < op.operandCount(); ++d) {
    Value *at = places_.indices(layout, static_cast<int>(d));
    Op *inside = b_.create(OpKind::CmpI, {at, splatOf(b_, values_.of(op.operand(d)), at->type())}, {type});
    CmpIOp(*inside).setKind(CmpIKind::Slt);
    all = all ? b_.value(OpKind::AndI, {all, inside->result()}, type) : inside->result();
  }
  values_.bind(op.result(), all);
}

void LaneElements::insert(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  Type type = values_.typeOf(op.result()), truth = b_.context().withElem(type, Elem::I1);
  Value *here = nullptr;
  for (size_t d = 0; d + 2 < op.operandCount(); ++d) {
    Value *at = places_.indices(layout, static_cast<int>(d));
    Op *same = b_.create(OpKind::CmpI, {at, splatOf(b_, values_.of(op.operand(2 + d)), at->type())}, {truth});
    CmpIOp(*same).setKind(CmpIKind::Eq);
    here = here ? b_.value(OpKind::AndI, {here, same->result()}, truth) : same->result();
  }
  values_.bind(op.result(),
               b_.value(OpKind::Select, {here, splatOf(b_, values_.of(op.operand(0)), type), values_.of(op.operand(1))}, type));
}

// The digits of the index give the lane that holds the element and its position in the lane's fragment. The result is
// 0 out of bounds.
void LaneElements::extract(const Op &op) {
  const Layout *layout = layouts_.of(op.operand(0));
  std::vector<Value *> operands = {values_.of(op.operand(0))};
  Value *lane = nullptr, *inside = nullptr;
  for (int d = 0; d < layout->rank(); ++d) {
    Value *at = values_.of(op.operand(1 + static_cast<size_t>(d))), *own = nullptr;
    Op *within = b_.create(OpKind::CmpI, {at, b_.index(layout->shape()[static_cast<size_t>(d)])}, {b_.context().i1()});
    CmpIOp(*within).setKind(CmpIKind::Ult); // as unsigned numbers, negative indices are large
    inside = inside ? b_.value(OpKind::AndI, {inside, within->result()}, b_.context().i1()) : within->result();
    at = b_.value(OpKind::Select, {within->result(), at, b_.index(0)}, b_.context().index());
    int64_t weight = 1, inLane = 1;
    std::span<const Factor> factors = layout->factors(d);
    for (size_t i = factors.size(); i-- > 0; weight *= factors[i].extent) {
      bool ofLane = factors[i].axis == Axis::Lane;
      Value *digit = arith(OpKind::RemSI, arith(OpKind::DivSI, at, weight), factors[i].extent);
      digit = arith(OpKind::MulI, digit, ofLane ? factors[i].stride : inLane);
      (ofLane ? lane : own) = sumOf(b_, ofLane ? lane : own, digit);
      if (!ofLane) inLane *= factors[i].extent;
    }
    operands.push_back(orZero(b_, own));
  }
  Value *element = b_.value(OpKind::Extract, std::move(operands), op.result()->type());
  if (lane) element = exchange_.shuffled(element, lane);
  Type type = op.result()->type();
  Value *zero = zerosOf(b_, type);
  values_.bind(op.result(), inside ? b_.value(OpKind::Select, {inside, element, zero}, type) : element);
}

} // namespace xt
