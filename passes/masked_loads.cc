#include "passes/masked_loads.h"

#include "ir/builder.h"
#include "ir/op_kinds.h"
#include "ir/padding.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

constexpr size_t kMaskOperand = 1;

void expand(Op &load, Context &context) {
  Builder build(context, *load.block());
  build.setRange(load.range());
  build.setBefore(load.next());
  Value *loaded = load.result(), *mask = load.operand(kMaskOperand), *padding = paddingOf(build, load, loaded->type());
  Op *chosen = build.create(OpKind::Select, {mask}, {loaded->type()});
  loaded->replaceAllUsesWith(chosen->result());
  chosen->addOperand(loaded);
  chosen->addOperand(padding);
  chosen->result()->setName(loaded->name());
  load.eraseOperand(kMaskOperand);
}

} // namespace

void expandMaskedLoads(Kernel &kernel, Context &context) {
  std::vector<Op *> masked;
  walk(kernel.body, [&](Op &op) {
    if (op.kind() == OpKind::LoadTile && op.operandCount() > kMaskOperand) masked.push_back(&op);
  });
  for (Op *load : masked) expand(*load, context);
}

} // namespace xt
