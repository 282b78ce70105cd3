#include "passes/masked_loads.h"

#include "ir/block_mask.h"
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

// The constant that stands for elements which are out of bounds or which the mask excludes.
Value *paddingOf(Builder &build, const Op &load) {
  Type type = load.result()->type();
  const AttrValue *padding = LoadTileOp(load).padding();
  const double *number = padding ? std::get_if<double>(padding) : nullptr;
  const int64_t *integer = padding ? std::get_if<int64_t>(padding) : nullptr;
  if (!isFloat(type.elem())) return build.constantInt(type, integer ? *integer : 0);
  return build.constantFloat(type, number ? *number : integer ? static_cast<double>(*integer) : 0);
}

void expandMask(Op &load, Context &context) {
  Builder build(context, *load.block());
  build.setRange(load.range());
  build.setBefore(load.next());
  Value *loaded = load.result(), *mask = blockMaskOf(load), *padding = paddingOf(build, load);
  Op *chosen = build.create(OpKind::Select, {mask}, {loaded->type()});
  loaded->replaceAllUsesWith(chosen->result());
  chosen->addOperand(loaded);
  chosen->addOperand(padding);
  chosen->result()->setName(loaded->name());
  load.eraseOperand(accessedTileIndex(load) + 1);
}

} // namespace

void expandMaskedLoads(Kernel &kernel, Context &context) {
  std::vector<Op *> masked;
  walk(kernel.body, [&](Op &op) {
    if (op.kind() == OpKind::LoadTile && blockMaskOf(op)) masked.push_back(&op);
  });
  for (Op *load : masked) expandMask(*load, context);
}

} // namespace xt
