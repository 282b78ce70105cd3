// Creates ops at a given position. The caller gives the result types.
#pragma once
#include "ir/module.h"

namespace xt {

class Builder {
public:
  Builder(Context &context, Block &block) : context_(&context), block_(&block) {}
  Context &context() const { return *context_; }
  Block &block() const { return *block_; }
  void setEnd(Block &block) { block_ = &block, before_ = nullptr; }
  void setBefore(Op *op) { block_ = op->block(), before_ = op; }
  void setRange(SourceRange range) { range_ = range; }
  SourceRange range() const { return range_; }

  Op *create(OpKind kind, std::vector<Value *> operands, const std::vector<Type> &results, size_t regions = 0) {
    return block_->insertBefore(before_, makeOp(kind, std::move(operands), results, range_, regions));
  }
  Value *value(OpKind kind, std::vector<Value *> operands, Type result) {
    return create(kind, std::move(operands), {result})->result();
  }
  // A constant of a scalar or vector type; the value is converted to the element type.
  Value *constantInt(Type type, int64_t value);
  Value *constantFloat(Type type, double value);
  Value *index(int64_t value) { return constantInt(context_->index(), value); }

private:
  Context *context_;
  Block *block_;
  Op *before_ = nullptr;
  SourceRange range_;
};

} // namespace xt
