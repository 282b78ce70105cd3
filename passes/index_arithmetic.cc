#include "passes/index_arithmetic.h"

#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

Value *sumOf(Builder &builder, Value *x, Value *y) {
  if (!x || !y) return x ? x : y;
  return builder.value(OpKind::AddI, {x, y}, builder.context().index());
}

Value *sumOf(Builder &builder, Value *x, int64_t constant) { return constant ? sumOf(builder, x, builder.index(constant)) : x; }

Value *differenceOf(Builder &builder, Value *x, int64_t constant) {
  return constant ? builder.value(OpKind::SubI, {x, builder.index(constant)}, builder.context().index()) : x;
}

Value *orZero(Builder &builder, Value *x) { return x ? x : builder.index(0); }

Value *isEqual(Builder &builder, Value *x, int64_t constant) {
  Op *compare = builder.create(OpKind::CmpI, {x, builder.index(constant)}, {builder.context().i1()});
  CmpIOp(*compare).setKind(CmpIKind::Eq);
  return compare->result();
}

} // namespace xt
