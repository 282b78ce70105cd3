// A kernel of a test with its parameters, its grid and its control flow.
#pragma once
#include "ir/builder.h"
#include "ir/op_kinds.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xt {

// Everything is added where the builder `b` inserts ops: at the end of the body, except in the bodies of loops and branches.
class KernelFrame {
  Block unused_;

public:
  KernelFrame() {
    module.kernels.push_back(std::make_unique<Kernel>());
    kernel = module.kernels.back().get();
    kernel->name = "k";
    b.setEnd(kernel->body);
  }
  // Adds a parameter. Parameters must be added first, then grid variables, then the body.
  Value *param(Type type) {
    kernel->gridBlock.addParam(type);
    ++kernel->paramCount;
    return kernel->body.addParam(type);
  }
  // Adds a grid variable from 0 to dim(param, d) with step `step`.
  Value *gridOver(size_t param, int64_t d, int64_t step) {
    Builder g(context, kernel->gridBlock);
    Value *lower = g.index(0), *by = g.index(step), *dimension = g.index(d);
    Value *upper = g.value(OpKind::Dim, {kernel->gridBlock.param(param), dimension}, context.index());
    return gridVariable(lower, upper, by);
  }
  Value *gridVariable(Value *lower, Value *upper, Value *step) {
    Value *variable = kernel->body.addParam(context.index());
    kernel->grid.push_back({variable, lower, upper, step});
    return variable;
  }

  Value *index(int64_t value) { return b.index(value); }
  Value *subgroup() { return b.value(OpKind::SubgroupId, {}, context.index()); }
  void barrier() { b.create(OpKind::Barrier, {}, {}); }
  void print(const char *text, std::vector<Value *> values) {
    b.create(OpKind::Print, std::move(values), {})->setAttr("text", std::string(text));
  }
  void assertThat(Value *condition, const char *text) {
    b.create(OpKind::Assert, {condition}, {})->setAttr("text", std::string(text));
  }

  // Builds `while condition`; body(carried) returns the next condition, then the values to carry on.
  template <class F> std::vector<Value *> whileLoop(Value *condition, std::vector<Value *> inits, F body) {
    std::vector<Type> types;
    for (Value *init : inits) types.push_back(init->type());
    std::vector<Value *> operands{condition};
    operands.insert(operands.end(), inits.begin(), inits.end());
    Op *op = b.create(OpKind::While, operands, types, 1);
    Block &region = *op->region(0);
    std::vector<Value *> carried;
    for (Type type : types) carried.push_back(region.addParam(type));
    Block &outside = b.block();
    b.setEnd(region);
    b.create(OpKind::Yield, body(carried), {});
    b.setEnd(outside);
    return resultsOf(*op);
  }
  // Builds `for i = lower to upper step step`; body(i, carried) returns the values to carry on.
  template <class F> std::vector<Value *> loop(Value *lower, Value *upper, Value *step, std::vector<Value *> inits, F body) {
    std::vector<Value *> operands{lower, upper, step};
    operands.insert(operands.end(), inits.begin(), inits.end());
    std::vector<Type> types;
    for (Value *init : inits) types.push_back(init->type());
    Op *op = b.create(OpKind::For, operands, types, 1);
    Block &region = *op->region(0);
    Value *i = region.addParam(context.index());
    std::vector<Value *> carried;
    for (Type type : types) carried.push_back(region.addParam(type));
    Block &outside = b.block();
    b.setEnd(region);
    b.create(OpKind::Yield, body(i, carried), {});
    b.setEnd(outside);
    return resultsOf(*op);
  }
  template <class F, class G> std::vector<Value *> branch(Value *condition, F then, G otherwise) {
    Op *op = b.create(OpKind::If, {condition}, {}, 2);
    Block &outside = b.block();
    b.setEnd(*op->region(0));
    std::vector<Value *> first = then();
    b.create(OpKind::Yield, first, {});
    b.setEnd(*op->region(1));
    b.create(OpKind::Yield, otherwise(), {});
    b.setEnd(outside);
    for (Value *value : first) op->addResult(value->type());
    return resultsOf(*op);
  }

  Context context;
  Module module{context};
  Kernel *kernel = nullptr;
  Builder b{context, unused_};
};

} // namespace xt
