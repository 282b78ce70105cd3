#include "targets/llvm/lane/access_order.h"

#include "ir/op_kinds.h"
#include "passes/tile_roots.h"

#include <algorithm>

namespace xt {
namespace {

enum class Found : uint8_t { Nothing, Barrier, Write };

// What a load reads: a memory, or only one buffer in shared local memory. plan-slm puts a barrier between buffers that share
// memory.
struct Read {
  MemorySpace space;
  const Value *buffer = nullptr;
};

// Asynchronous copies write from where they begin to where they are waited for. What is on its way must not be read, so that what
// comes before a copy has to be ordered with its beginning, and what comes after it with the wait.
bool writesTo(const Op &op, const Read &read, bool forwards) {
  auto isOther = [&](const Value *window) {
    const Value *buffer = slmBufferOf(window);
    return buffer && read.buffer && buffer != read.buffer;
  };
  if (op.kind() == OpKind::AsyncWait) return read.space == MemorySpace::Slm && !forwards;
  if (op.kind() == OpKind::AsyncCopy) return read.space == MemorySpace::Slm && forwards && !isOther(op.operand(1));
  if (!has(op.info().effects, Effect::Writes)) return false;
  bool elsewhere = false; // whether it is known to write other memory
  for (const Value *operand : op.operands()) {
    Type type = operand->type();
    if (!type.isWindow() && !type.isMemRef()) continue;
    if (type.data().space == read.space && !isOther(operand)) return true;
    elsewhere = true;
  }
  return read.space == MemorySpace::Global && !elsewhere;
}

Found foundAt(const Op &op, const Read &read, bool forwards) {
  if (op.kind() == OpKind::Barrier || op.kind() == OpKind::SubgroupBarrier) return Found::Barrier;
  bool writes = writesTo(op, read, forwards);
  for (size_t r = 0; r < op.regionCount(); ++r)
    walk(*op.region(r), [&](const Op &inner) { writes |= writesTo(inner, read, forwards); });
  return writes ? Found::Write : Found::Nothing;
}

// The first barrier or write from `op` on, forwards or backwards, to the end of its block.
Found firstFrom(const Op *op, const Read &read, bool forwards) {
  for (; op; op = forwards ? op->next() : op->previous())
    if (Found found = foundAt(*op, read, forwards); found != Found::Nothing) return found;
  return Found::Nothing;
}

// The same beyond the block, for each way that leads on: the surrounding op's block, and the next iteration of a loop.
bool noWriteFrom(const Op &op, const Read &read, bool forwards) {
  const Op *from = forwards ? op.next() : op.previous();
  Found here = firstFrom(from, read, forwards);
  if (here != Found::Nothing) return here == Found::Barrier;
  const Block *block = op.block();
  const Op *parent = block->parentOp();
  if (!parent) return true;
  if (carriedAt(*parent).loops &&
      (parent->regionCount() != 1 || firstFrom(forwards ? block->first() : block->last(), read, forwards) == Found::Write))
    return false;
  return noWriteFrom(*parent, read, forwards);
}

} // namespace

bool isOrderedByBarriers(const Op &load, MemorySpace space) {
  Read read{space, space == MemorySpace::Slm ? slmBufferOf(load.operand(0)) : nullptr};
  return noWriteFrom(load, read, false) && noWriteFrom(load, read, true);
}

} // namespace xt
