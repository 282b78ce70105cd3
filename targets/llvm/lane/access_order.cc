#include "targets/llvm/lane/access_order.h"

#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

enum class Found : uint8_t { Nothing, Barrier, Write };

// Asynchronous copies write from where they begin to where they are waited for. What is on its way must not be read, so that what
// comes before a copy has to be ordered with its beginning, and what comes after it with the wait.
bool writesTo(const Op &op, MemorySpace space, bool forwards) {
  if (op.kind() == OpKind::AsyncWait) return space == MemorySpace::Slm && !forwards;
  if (op.kind() == OpKind::AsyncCopy) return space == MemorySpace::Slm && forwards;
  if (!has(op.info().effects, Effect::Writes)) return false;
  bool elsewhere = false; // whether it is known to write other memory
  for (const Value *operand : op.operands()) {
    Type type = operand->type();
    if (!type.isWindow() && !type.isMemRef()) continue;
    if (type.data().space == space) return true;
    elsewhere = true;
  }
  return space == MemorySpace::Global && !elsewhere;
}

Found foundAt(const Op &op, MemorySpace space, bool forwards) {
  if (op.kind() == OpKind::Barrier || op.kind() == OpKind::SubgroupBarrier) return Found::Barrier;
  bool writes = writesTo(op, space, forwards);
  for (size_t r = 0; r < op.regionCount(); ++r)
    walk(*op.region(r), [&](const Op &inner) { writes |= writesTo(inner, space, forwards); });
  return writes ? Found::Write : Found::Nothing;
}

// The first barrier or write from `op` on, forwards or backwards, to the end of its block.
Found firstFrom(const Op *op, MemorySpace space, bool forwards) {
  for (; op; op = forwards ? op->next() : op->previous())
    if (Found found = foundAt(*op, space, forwards); found != Found::Nothing) return found;
  return Found::Nothing;
}

// The same beyond the block, for each way that leads on: the surrounding op's block, and the next iteration of a loop.
bool noWriteFrom(const Op &op, MemorySpace space, bool forwards) {
  const Op *from = forwards ? op.next() : op.previous();
  Found here = firstFrom(from, space, forwards);
  if (here != Found::Nothing) return here == Found::Barrier;
  const Block *block = op.block();
  const Op *parent = block->parentOp();
  if (!parent) return true;
  if (carriedAt(*parent).loops &&
      (parent->regionCount() != 1 || firstFrom(forwards ? block->first() : block->last(), space, forwards) == Found::Write))
    return false;
  return noWriteFrom(*parent, space, forwards);
}

} // namespace

bool isOrderedByBarriers(const Op &load, MemorySpace space) {
  return noWriteFrom(load, space, false) && noWriteFrom(load, space, true);
}

} // namespace xt
