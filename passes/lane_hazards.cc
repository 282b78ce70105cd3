#include "passes/lane_hazards.h"

#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/tile_roots.h"

#include <cstdlib>

namespace xt {
namespace {

constexpr size_t kMostPending = 64; // further accesses count as accesses to any element of the memory space
constexpr int kMostSums = 16;       // maximum number of additions that are traced to find the root of an offset

struct Place {
  const Value *root; // null: the place is the constant `offset`
  int64_t offset = 0;
};

bool isConstant(const Value *value, int64_t &number) {
  const Op *op = value->definingOp();
  if (!op || op->kind() != OpKind::Constant || !value->type().isIndex()) return false;
  const auto *found = std::get_if<int64_t>(&ConstantOp(*op).value());
  if (!found) return false;
  number = *found;
  return true;
}

Place placeOf(const Value *value) {
  Place place = {value};
  int64_t number;
  for (int sums = 0; sums < kMostSums; ++sums) {
    if (isConstant(place.root, number)) return {nullptr, place.offset + number};
    const Op *op = place.root->definingOp();
    if (!op || op->kind() != OpKind::AddI) return place;
    size_t known = isConstant(op->operand(0), number) ? 0 : 1;
    if (!isConstant(op->operand(known), number)) return place;
    place.offset += number;
    place.root = op->operand(1 - known);
  }
  return place;
}

// The distance in rows and columns between the origins of two windows with the same base; false if it is not known.
bool distance(const Op &a, const Op &b, int64_t (&apart)[2]) {
  size_t row = rowOffsetAt(a);
  if (a.operandCount() != b.operandCount() || row != rowOffsetAt(b)) return false;
  for (size_t i = 0; i < a.operandCount(); ++i) {
    bool own = i == row || i == row + 1;
    if (!own && a.operand(i) != b.operand(i)) return false;
    if (!own) continue;
    Place x = placeOf(a.operand(i)), y = placeOf(b.operand(i));
    if (x.root != y.root) return false;
    apart[i - row] = y.offset - x.offset;
  }
  return true;
}

// Whether two accesses conflict: at least one writes, and they may touch the same element from different lanes.
bool mayMeet(const LaneAccess &a, const LaneAccess &b) {
  if (a.space != b.space || (!a.writes && !b.writes)) return false;
  if (a.buffer && b.buffer && a.buffer != b.buffer) return false; // plan-slm puts a barrier between buffers that share memory
  if (!a.init || !b.init) return true;
  int64_t apart[2];
  if (!distance(*a.init, *b.init, apart)) return true;
  Type first = a.init->result()->type(), second = b.init->result()->type();
  // Of the lanes that hold copies of an element all load it, but only the first one stores it.
  bool sameLanes = a.layout && a.layout == b.layout && ((a.writes && b.writes) || !a.layout->isReplicated(Axis::Lane));
  if (apart[0] == 0 && apart[1] == 0 && sameLanes) return false;
  for (int d = 0; d < 2; ++d)
    if (apart[d] >= first.extent(d) || -apart[d] >= second.extent(d)) return false;
  return true;
}

} // namespace

bool LaneHazards::meets(const LaneAccess &access) const {
  for (const LaneAccess &earlier : pending_)
    if (mayMeet(earlier, access)) return true;
  return false;
}

void LaneHazards::note(const LaneAccess &access) {
  LaneAccess noted = access;
  if (pending_.size() >= kMostPending) noted.init = nullptr, noted.buffer = nullptr;
  for (const LaneAccess &earlier : pending_)
    if (!earlier.init && earlier.space == noted.space && earlier.writes == noted.writes &&
        (!earlier.buffer || earlier.buffer == noted.buffer))
      return;
  pending_.push_back(noted);
}

LaneHazards::State LaneHazards::enter(const Op &structure) {
  State before = pending_;
  if (!carriedAt(structure).loops) return before;
  for (size_t r = 0; r < structure.regionCount(); ++r)
    walk(*structure.region(r), [&](Op &op) {
      for (LaneAccess access : laneAccesses(op)) {
        access.init = nullptr;
        note(access);
      }
    });
  return before;
}

void LaneHazards::leave(const State &before) {
  for (const LaneAccess &access : before) note(access);
}

std::vector<LaneAccess> laneAccesses(const Op &op) {
  if (op.info().dialect == Dialect::XeGpu) return {}; // the lanes of a subgroup perform these ops together
  if (op.kind() == OpKind::AsyncWait) return {LaneAccess{.space = MemorySpace::Slm, .writes = true}}; // copies land
  LaneAccess access;
  if (op.kind() == OpKind::AsyncCopy) {
    auto of = [&](size_t operand) {
      const Op *init = op.operand(operand)->definingOp();
      return LaneAccess{op.operand(operand)->type().data().space, operand == 1,
                        init && init->kind() == OpKind::InitTile ? init : nullptr, slmBufferOf(op.operand(operand))};
    };
    return {of(0), of(1)};
  }
  for (const Value *operand : op.operands()) {
    Type type = operand->type();
    if (!type.isTile() && !type.isMemRef()) continue;
    access.space = type.data().space;
    access.buffer = slmBufferOf(operand);
    const Op *init = type.isTile() && !type.data().scatter ? operand->definingOp() : nullptr;
    if (init && init->kind() == OpKind::InitTile) access.init = init;
  }
  std::vector<LaneAccess> accesses;
  if (op.kind() == OpKind::PrefetchTile || op.regionCount()) return accesses;
  if (has(op.info().effects, Effect::Reads)) accesses.push_back(access);
  access.writes = true;
  if (has(op.info().effects, Effect::Writes)) accesses.push_back(access);
  return accesses;
}

} // namespace xt
