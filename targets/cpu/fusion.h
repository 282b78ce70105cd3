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
  // A value that has a buffer, and is evaluated by the loop of `reduction`, the first to use it, which fills the buffer on
  // the way; null: none.
  Value *filledBy(const Op &reduction) const;
  // The reduction that does so; null: the op that defines `value` has a loop of its own.
  const Op *fillerOf(const Value *value) const;
  // Of a load that has a buffer, and a loop of its own that fills it: the one op in whose loops all that uses it is evaluated,
  // where nothing writes memory in between. It may be read where it lies; if the op is a store, then only if the matrices are
  // apart. null: none.
  const Op *readerOf(const Value *load) const;
  // What an evaluation of `value` computes, operands first, and the values in buffers that it reads (`value` alone
  // where it has a buffer, unless it is what the loop fills). Without duplicates; scalars are left out.
  std::vector<Value *> nodes(Value *value, const Value *filled = nullptr) const;
  // The same for an op that runs its own loop: its result comes last.
  std::vector<Value *> nodesOf(const Op &op) const;
  // Of nodes, those in buffers; of an op, the buffers that its loop reads.
  std::vector<Value *> leaves(Value *value, const Value *filled = nullptr) const;
  std::vector<Value *> leavesOf(const Op &op) const;

  // The nest whose sums a store_tile takes from the registers, and the store that an inline nest runs in; null: none.
  const Op *nestInto(const Op &store) const;
  const Op *storeOf(const Op &nest) const;

private:
  friend class FusionPlanner;
  std::vector<Value *> buffersBehind(const std::vector<Value *> &nodes, const Value *except) const;
  void collect(Value *value, const Value *filled, std::unordered_set<const Value *> &seen, std::vector<Value *> &order) const;
  std::unordered_set<const Value *> inline_;
  std::unordered_map<const Op *, const Op *> nests_; // by store, and stores by nest; looked up only
  std::unordered_map<const Op *, Value *> filled_;   // by reduction; looked up only
  std::unordered_map<const Value *, const Op *> fillers_, readers_;
};

// Constants, splats, iota, masks and broadcasts are inline everywhere. A pointwise op or a load_tile is inline when
// everything that uses it is evaluated in the loop of one op of its own block: a pointwise op, a store_tile, a
// reduction, or an operand of a tile_mma. A load_tile only if nothing writes memory between it and that loop, and never
// into a store_tile: the tiles may overlap. A nest whose sum starts at 0 is inline in the loop of a store_tile, which it
// then runs around: the first such nest only, and only if nothing writes memory in between. What several loops use is
// evaluated in the first of them where that is a reduction, which keeps it for the others: one value for each reduction.
FusionPlan planFusion(const Kernel &kernel);

} // namespace xt
