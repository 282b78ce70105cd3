#include "targets/prove/accesses.h"

#include "ir/atomic_update.h"
#include "ir/effects.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "targets/prove/integers.h"
#include "targets/prove/walk.h"

namespace xt {

namespace {
// Returns the facts about a kernel, and the condition that one of these ops is executed and its result leaves the range of its
// type. They are satisfiable if such an op may wrap around.
std::vector<Term> wraps(const KernelAccesses &accesses, std::span<const AssumedRange> ranges, Smt &smt) {
  std::vector<Term> facts = accesses.bounds, any;
  for (const AssumedRange &range : ranges) {
    Term both[] = {range.reached, smt.negation(range.fits)};
    any.push_back(smt.all(both));
  }
  facts.push_back(smt.any(any));
  return facts;
}

// Adds the ops whose results cannot be shown to stay in their ranges to `refuted`. First asks about all at once, because in
// most kernels all of them do.
void refute(const KernelAccesses &accesses, const std::vector<AssumedRange> &ranges, Smt &smt, Refuted &refuted) {
  if (ranges.empty() || smt.satisfiable(wraps(accesses, ranges, smt)) == Smt::Answer::No) return;
  for (const AssumedRange &range : ranges) {
    if (refuted.wraps.count(range.op) || smt.satisfiable(wraps(accesses, {&range, 1}, smt)) == Smt::Answer::No) continue;
    refuted.wraps.insert(range.op);
    bool number = isNumber(*range.op->result()) && !smt.mentions(range.fits, accesses.unknowns);
    if (number && !smt.timeIsOver()) refuted.shown.push_back(range.op);
  }
}

// Finds which parameters the access may write (all, if its address is computed from numbers), and whether it is padded.
void findMemory(Obstacle &obstacle, const Kernel &kernel, const MemoryOrigins &origins) {
  const Op &op = *obstacle.op;
  std::vector<bool> written(kernel.paramCount, false);
  bool found = false, anywhere = false;
  for (size_t k = 0; k < op.operandCount(); ++k) {
    if (!op.operand(k)->type().isMemRef() && !op.operand(k)->type().isWindow()) continue;
    std::vector<bool> own = origins.of(op.operand(k));
    for (size_t p = 0; p < own.size(); ++p) {
      if (!own[p]) continue;
      found = true;
      if (has(effectsOn(op, k), Effect::Writes)) written[p] = true;
      anywhere = anywhere || !kernel.param(p)->type().isMemRef();
    }
  }
  anywhere = anywhere || !found;
  obstacle.writes = std::move(written);
  if (has(op.info().effects, Effect::Writes) && anywhere) obstacle.writes.assign(kernel.paramCount, true);
  obstacle.atomic = AtomicUpdate::is(op) || AtomicUpdate::isOnDescriptor(op);
  obstacle.padded = op.kind() == OpKind::LoadGather && LoadGatherOp(op).padding() && !anywhere;
}
} // namespace

KernelAccesses accessesOf(const Kernel &kernel, Smt &smt) {
  Refuted refuted;
  KernelAccesses accesses;
  for (bool again = true; again;) {
    size_t before = refuted.size();
    AccessWalk walk(kernel, smt, refuted);
    accesses = walk.run();
    refute(accesses, walk.ranges(), smt, refuted);
    again = refuted.size() > before;
  }
  accesses.wrapping = std::move(refuted.shown);
  for (Access &access : accesses.accesses) {
    for (Term first : access.first) {
      access.addressKnown = access.addressKnown && !smt.mentions(first, accesses.unknowns);
      access.fromMemory = access.fromMemory || smt.mentions(first, accesses.fromMemory);
    }
    access.known = access.addressKnown && !smt.mentions(access.when, accesses.unknowns);
  }
  if (!accesses.obstacles.empty()) {
    MemoryOrigins origins(kernel);
    for (Obstacle &obstacle : accesses.obstacles) findMemory(obstacle, kernel, origins);
  }
  return accesses;
}

} // namespace xt
