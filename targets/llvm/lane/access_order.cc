#include "targets/llvm/lane/access_order.h"

#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

enum class Found : uint8_t { Nothing, Barrier, Write };

// Asynchronous copies write from where they begin to where they are waited for. What is on its way must not be read, so that what
// comes before a copy has to be ordered with its beginning, and what comes after it with the wait.
bool writesSlm(const Op &op, bool forwards) {
  if (op.kind() == OpKind::AsyncWait) return !forwards;
  if (op.kind() == OpKind::AsyncCopy) return forwards;
  if (!has(op.info().effects, Effect::Writes)) return false;
  auto isGlobal = [](const Value *operand) {
    Type type = operand->type();
    return !(type.isWindow() || type.isMemRef()) || type.data().space == MemorySpace::Global;
  };
  return !std::ranges::all_of(op.operands(), isGlobal);
}

Found foundAt(const Op &op, bool forwards) {
  if (op.kind() == OpKind::Barrier || op.kind() == OpKind::SubgroupBarrier) return Found::Barrier;
  bool writes = writesSlm(op, forwards);
  for (size_t r = 0; r < op.regionCount(); ++r)
    walk(*op.region(r), [&](const Op &inner) { writes |= writesSlm(inner, forwards); });
  return writes ? Found::Write : Found::Nothing;
}

// The first barrier or write from `op` on, forwards or backwards, to the end of its block.
Found firstFrom(const Op *op, bool forwards) {
  for (; op; op = forwards ? op->next() : op->previous())
    if (Found found = foundAt(*op, forwards); found != Found::Nothing) return found;
  return Found::Nothing;
}

// The same beyond the block, for each way that leads on: the surrounding op's block, and the next iteration of a loop.
bool noWriteFrom(const Op &op, bool forwards) {
  const Op *from = forwards ? op.next() : op.previous();
  Found here = firstFrom(from, forwards);
  if (here != Found::Nothing) return here == Found::Barrier;
  const Block *block = op.block();
  const Op *parent = block->parentOp();
  if (!parent) return true;
  if (carriedAt(*parent).loops &&
      (parent->regionCount() != 1 || firstFrom(forwards ? block->first() : block->last(), forwards) == Found::Write))
    return false;
  return noWriteFrom(*parent, forwards);
}

} // namespace

bool isOrderedByBarriers(const Op &load) { return noWriteFrom(load, false) && noWriteFrom(load, true); }

} // namespace xt
