// Creates ops that compute on vectors, for kernels of tests.
#pragma once
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <string>
#include <utility>
#include <vector>

namespace xt {

// Arithmetic, conversions, products, and ops that move elements. Types of results follow from the operands.
class VectorOps {
public:
  // Ops are created where `b` inserts them.
  explicit VectorOps(Builder &b) : b_(b) {}

  Value *mma(Value *left, Value *right, Value *sum, Elem elem) {
    Type type = b_.context().vector({left->type().extent(0), right->type().extent(1)}, elem);
    return b_.value(OpKind::TileMma, sum ? std::vector{left, right, sum} : std::vector{left, right}, type);
  }
  Value *binary(OpKind kind, Value *x, Value *y) { return b_.value(kind, {x, y}, x->type()); }
  Value *unary(OpKind kind, Value *x) { return b_.value(kind, {x}, x->type()); }
  Value *cast(OpKind kind, Value *x, Elem to) { return b_.value(kind, {x}, b_.context().withElem(x->type(), to)); }
  Value *compare(std::string kind, Value *x, Value *y) {
    OpKind op = isFloat(x->type().elem()) ? OpKind::CmpF : OpKind::CmpI;
    Value *result = b_.value(op, {x, y}, b_.context().withElem(x->type(), Elem::I1));
    result->definingOp()->setAttr("kind", std::move(kind));
    return result;
  }

  Value *splat(Value *x, std::vector<int64_t> shape) {
    return b_.value(OpKind::Splat, {x}, b_.context().vector(std::move(shape), x->type().elem()));
  }
  Value *iota(Type type, int d) {
    Value *value = b_.value(OpKind::Iota, {}, type);
    value->definingOp()->setAttr("dims", std::vector<int64_t>{d});
    return value;
  }
  Value *mask(std::vector<Value *> extents, std::vector<int64_t> shape) {
    return b_.value(OpKind::CreateMask, std::move(extents), b_.context().vector(std::move(shape), Elem::I1));
  }

  Value *reduce(const char *kind, Value *x, int d, int64_t size = 0) {
    std::vector<int64_t> shape(x->type().shape().begin(), x->type().shape().end());
    int64_t &extent = shape[static_cast<size_t>(d)];
    extent = size ? extent / size : 1;
    Op *op = alongDimension(OpKind::Reduction, x, d, b_.context().vector(shape, x->type().elem()));
    op->setAttr("kind", std::string(kind));
    if (size) op->setAttr("reduction_size", size);
    return op->result();
  }
  // Broadcasts to `extent`; with `size`, repeats each element `size` times.
  Value *broadcast(Value *x, int d, int64_t extent, int64_t size = 0) {
    std::vector<int64_t> shape(x->type().shape().begin(), x->type().shape().end());
    shape[static_cast<size_t>(d)] = extent;
    Op *op = alongDimension(OpKind::Broadcast, x, d, b_.context().vector(shape, x->type().elem()));
    if (size) op->setAttr("broadcast_size", size);
    return op->result();
  }
  Value *transpose(Value *x) {
    return b_.value(OpKind::Transpose, {x}, b_.context().vector({x->type().extent(1), x->type().extent(0)}, x->type().elem()));
  }
  Value *reshape(Value *x, std::vector<int64_t> shape) {
    return b_.value(OpKind::Reshape, {x}, b_.context().vector(std::move(shape), x->type().elem()));
  }
  Value *extract(Value *x, std::vector<Value *> at) {
    at.insert(at.begin(), x);
    return b_.value(OpKind::Extract, std::move(at), b_.context().scalar(x->type().elem()));
  }
  Value *insert(Value *scalar, Value *x, std::vector<Value *> at) {
    at.insert(at.begin(), {scalar, x});
    return b_.value(OpKind::Insert, std::move(at), x->type());
  }

private:
  Op *alongDimension(OpKind kind, Value *x, int d, Type result) {
    Op *op = b_.create(kind, {x}, {result});
    op->setAttr("dims", std::vector<int64_t>{d});
    return op;
  }
  Builder &b_;
};

} // namespace xt
