#include "passes/widen_reductions.h"

#include "ir/builder.h"
#include "ir/combine.h"
#include "ir/context.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

bool isReduction(const Op &op) {
  return op.kind() == OpKind::Reduction || op.kind() == OpKind::Scan || op.kind() == OpKind::SubgroupReduce;
}

void widen(Context &context, Op &op) {
  Type narrow = op.result()->type();
  Elem within = reductionElem(*combiningOp(op), narrow.elem());
  if (within == narrow.elem()) return;
  Builder build(context, *op.block());
  build.setRange(op.range());
  build.setBefore(&op);
  Value *from = op.operand(0);
  op.setOperand(0, build.value(OpKind::ExtF, {from}, context.withElem(from->type(), within)));
  op.result()->setType(context.withElem(narrow, within));
  build.setBefore(op.next());
  Op *rounded = build.create(OpKind::TruncF, {}, {narrow});
  op.result()->replaceAllUsesWith(rounded->result());
  rounded->addOperand(op.result());
  rounded->result()->setName(op.result()->name());
}

} // namespace

Result<void> widenReductions(Module &module, Diagnostics &) {
  for (const auto &kernel : module.kernels) {
    std::vector<Op *> reductions;
    walk(kernel->body, [&](Op &op) {
      if (isReduction(op)) reductions.push_back(&op);
    });
    for (Op *op : reductions) widen(module.context(), *op);
  }
  return {};
}

} // namespace xt
