#include "passes/part_values.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

Value *iotaFrom(Builder &builder, const Op &iota, Type type, Value *first) {
  Context &context = builder.context();
  Type indices = context.withElem(type, Elem::Index), wide = context.withElem(type, Elem::I64);
  Op *count = builder.create(OpKind::Iota, {}, {first ? indices : type});
  IotaOp(*count).setDim(IotaOp(iota).dim());
  if (!first) return count->result();
  Value *value = builder.value(OpKind::AddI, {count->result(), builder.value(OpKind::Splat, {first}, indices)}, indices);
  if (isFloat(type.elem())) return builder.value(OpKind::SIToFP, {builder.value(OpKind::IndexCast, {value}, wide)}, type);
  return type.elem() == Elem::Index ? value : builder.value(OpKind::IndexCast, {value}, type);
}

Value *zerosOf(Builder &builder, Type type) {
  return isFloat(type.elem()) ? builder.constantFloat(type, 0) : builder.constantInt(type, 0);
}

} // namespace xt
