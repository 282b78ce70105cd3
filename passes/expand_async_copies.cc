#include "passes/expand_async_copies.h"

#include "ir/builder.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/facts.h"

namespace xt {
namespace {

bool isToken(const Value *value) { return value->type().is(TypeKind::Token); }

void expandCopies(Context &context, Op &op) {
  AsyncCopyOp copy(op);
  Builder build(context, *op.block());
  build.setRange(op.range());
  build.setBefore(&op);
  Type tile = copy.from()->type();
  Op *load = build.create(OpKind::LoadTile, {copy.from()},
                          {context.vector({tile.shape().begin(), tile.shape().end()}, tile.elem(), tile.layout())});
  if (const AttrValue *padding = copy.padding()) LoadTileOp(*load).setPadding(*padding);
  build.create(OpKind::StoreTile, {load->result(), copy.to()}, {});
}

// Removes the uses of the tokens that a loop or a branch carries, which are yields and initial values. Goes from the last token
// to the first, so that indices stay valid.
void dropCarriedTokens(Op &op) {
  CarriedAt at = carriedAt(op);
  for (size_t i = op.resultCount(); i-- > 0;) {
    if (!isToken(op.result(i))) continue;
    for (size_t r = 0; r < op.regionCount(); ++r) op.region(r)->last()->eraseOperand(i + at.yield);
    if (at.loops) op.eraseOperand(i + at.operand);
  }
}

// Removes the carried tokens themselves, after all their uses have been removed.
void eraseCarriedTokens(Op &op) {
  CarriedAt at = carriedAt(op);
  for (size_t i = op.resultCount(); i-- > 0;) {
    if (!isToken(op.result(i))) continue;
    if (at.loops) op.region()->eraseParam(i + at.param);
    op.eraseResult(i);
  }
}

} // namespace

void expandAsyncCopies(Kernel &kernel, Context &context) {
  std::vector<Op *> structures, waits, commits, copies;
  walk(kernel.body, [&](Op &op) {
    if (op.regionCount()) structures.push_back(&op);
    if (op.kind() == OpKind::AsyncWait) waits.push_back(&op);
    if (op.kind() == OpKind::AsyncCommit) commits.push_back(&op);
    if (op.kind() == OpKind::AsyncCopy) copies.push_back(&op);
  });
  for (Op *op : copies) expandCopies(context, *op);
  for (Op *op : waits) op->block()->erase(op);
  for (Op *op : structures) dropCarriedTokens(*op);
  for (Op *op : structures) eraseCarriedTokens(*op);
  for (Op *op : commits) op->block()->erase(op);
  for (Op *op : copies) op->block()->erase(op);
}

Result<void> expandAsyncCopies(Module &module, Diagnostics &) {
  for (const auto &kernel : module.kernels) expandAsyncCopies(*kernel, module.context());
  return {};
}

} // namespace xt
