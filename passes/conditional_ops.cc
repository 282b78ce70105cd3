#include "passes/conditional_ops.h"

#include "ir/op_kinds.h"

namespace xt {

void onlyWhere(Builder &builder, Value *condition, const std::function<void()> &body) {
  if (!condition) return body();
  Op *branch = builder.create(OpKind::If, {condition}, {}, 2);
  Builder around = builder;
  builder.setEnd(*branch->region(0));
  body();
  builder.create(OpKind::Yield, {}, {});
  builder.setEnd(*branch->region(1));
  builder.create(OpKind::Yield, {}, {});
  builder = around;
}

Value *valueWhere(Builder &builder, Value *condition, Type type, const std::function<Value *()> &body,
                  const std::function<Value *()> &otherwise) {
  if (!condition) return body();
  Op *branch = builder.create(OpKind::If, {condition}, {type}, 2);
  Builder around = builder;
  builder.setEnd(*branch->region(0));
  builder.create(OpKind::Yield, {body()}, {});
  builder.setEnd(*branch->region(1));
  builder.create(OpKind::Yield, {otherwise()}, {});
  builder = around;
  return branch->result();
}

} // namespace xt
