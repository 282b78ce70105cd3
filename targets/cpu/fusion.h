// Decides which vector values are evaluated inside the loop of their one consumer instead of having memory.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace xt {

// Ops that one fused loop may hold: bounds its register pressure and the depth of walks over it.
inline constexpr int kMaxFusedOps = 48;

class FusionPlan {
public:
  // Evaluated chunk by chunk where it is used; has no buffer. Also true of values that nothing uses.
  bool isInline(const Value *value) const { return inline_.contains(value); }
  // What an evaluation of `value` computes, operands first, and the values in buffers that it reads (`value` alone
  // where it has a buffer). Without duplicates; scalars are left out.
  std::vector<Value *> nodes(Value *value) const;
  // The same for an op that runs its own loop: its result comes last.
  std::vector<Value *> nodesOf(const Op &op) const;
  // Of nodes, those in buffers; of an op, the buffers that its loop reads.
  std::vector<Value *> leaves(Value *value) const;
  std::vector<Value *> leavesOf(const Op &op) const;

  // The nest whose sums a store_tile takes from the registers, and the store that an inline nest runs in; null: none.
  const Op *nestInto(const Op &store) const;
  const Op *storeOf(const Op &nest) const;

private:
  friend class FusionPlanner;
  std::vector<Value *> buffersBehind(const std::vector<Value *> &nodes, const Value *except) const;
  void collect(Value *value, std::unordered_set<const Value *> &seen, std::vector<Value *> &order) const;
  std::unordered_set<const Value *> inline_;
  std::unordered_map<const Op *, const Op *> nests_; // by store, and stores by nest; looked up only
};

// Constants, splats, iota, masks and broadcasts are inline everywhere. A pointwise op or a load_tile is inline when
// everything that uses it is evaluated in the loop of one op of its own block: a pointwise op, a store_tile, a
// reduction, or an operand of a tile_mma. A load_tile only if nothing writes memory between it and that loop, and never
// into a store_tile: the tiles may overlap. A nest whose sum starts at 0 is inline in the loop of a store_tile, which it
// then runs around: the first such nest only, and only if nothing writes memory in between.
FusionPlan planFusion(const Kernel &kernel);

} // namespace xt
