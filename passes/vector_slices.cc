#include "passes/vector_slices.h"

#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

Value *sliceOf(Builder &builder, Value *vector, const std::vector<int64_t> &at, std::vector<int64_t> shape) {
  Type type = vector->type(), part = builder.context().vector(std::move(shape), type.elem());
  if (part == type) return vector;
  Op *made = builder.create(OpKind::ExtractStridedSlice, {vector}, {part});
  ExtractStridedSliceOp(*made).setOffsets(at);
  return made->result();
}

Value *withSlice(Builder &builder, Value *part, Value *into, const std::vector<int64_t> &at) {
  if (part->type() == into->type()) return part;
  Op *made = builder.create(OpKind::InsertStridedSlice, {part, into}, {into->type()});
  InsertStridedSliceOp(*made).setOffsets(at);
  return made->result();
}

Value *withShape(Builder &builder, Value *vector, std::span<const int64_t> shape) {
  Type type = builder.context().vector({shape.begin(), shape.end()}, vector->type().elem());
  return type == vector->type() ? vector : builder.value(OpKind::Reshape, {vector}, type);
}

Value *splatOf(Builder &builder, Value *scalar, Type like) {
  return builder.value(OpKind::Splat, {scalar}, builder.context().withElem(like, scalar->type().elem()));
}

} // namespace xt
