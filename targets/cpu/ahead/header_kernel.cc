#include "targets/cpu/ahead/header_kernel.h"

#include "ir/builder.h"
#include "ir/op_kinds.h"

#include <unordered_map>

namespace xt {

std::unique_ptr<Kernel> headerKernel(const Kernel &kernel, Context &context) {
  auto made = std::make_unique<Kernel>();
  made->name = kernel.name + ".header";
  made->range = kernel.range, made->nameRange = kernel.nameRange;
  made->scope = Scope::Workgroup;
  made->forms = kernel.forms;
  std::unordered_map<const Value *, Value *> copies; // used for lookup only (no deterministic order)
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    const Value &param = *kernel.param(i);
    copies[kernel.gridBlock.param(i)] = made->body.addParam(param.type(), param.name(), param.range());
    made->gridBlock.addParam(param.type(), param.name(), param.range());
  }
  Type array = context.memref({kDynamic}, kIndexElem);
  Value *computed = made->body.addParam(array, "computed", kernel.nameRange);
  made->gridBlock.addParam(array, "computed", kernel.nameRange);
  made->paramCount = kernel.paramCount + 1;
  Builder builder(context, made->body);
  for (const Op &op : kernel.gridBlock) {
    std::vector<Value *> operands;
    for (size_t i = 0; i < op.operandCount(); ++i) operands.push_back(copies.at(op.operand(i)));
    std::vector<Type> results;
    for (size_t i = 0; i < op.resultCount(); ++i) results.push_back(op.result(i)->type());
    Op *copy = builder.create(op.kind(), std::move(operands), results);
    copyAttrs(op, *copy);
    for (size_t i = 0; i < op.resultCount(); ++i) copies[op.result(i)] = copy->result(i);
  }
  int64_t place = 0;
  auto store = [&](Value *number) { builder.create(OpKind::Store, {number, computed, builder.index(place++)}, {}); };
  for (const GridDim &dim : kernel.grid)
    for (const Value *bound : {dim.lower, dim.upper, dim.step}) store(copies.at(bound));
  for (const Requirement &required : kernel.requirements) {
    store(builder.value(OpKind::Select, {copies.at(required.condition), builder.index(1), builder.index(0)}, context.index()));
    bool compares = comparesIndices(*required.condition);
    for (size_t i = 0; i < 2; ++i) store(compares ? copies.at(required.condition->definingOp()->operand(i)) : builder.index(0));
  }
  return made;
}

} // namespace xt
