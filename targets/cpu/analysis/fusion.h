// Decides which vector values are evaluated inside the loop of their only consumer instead of being stored in a buffer, and
// which loops compute two values.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace xt {

// The maximum number of ops that one fused loop may hold. This bounds its register pressure and the depth of recursion over it.
inline constexpr int kMaxFusedOps = 48;

class FusionPlan {
public:
  // Whether the value is evaluated chunk by chunk at its use and has no buffer. Also true of values that nothing uses.
  bool isInline(const Value *value) const { return inline_.contains(value); }
  // The value whose buffer the loop of `op`, a reduction or a pointwise op, fills: this loop evaluates it and stores it for
  // later uses. Null: none.
  Value *filledBy(const Op &op) const;
  // The op whose loop fills the buffer of `value`. Null: the op that defines `value` has its own loop.
  const Op *fillerOf(const Value *value) const;
  // For a load that has a buffer and its own loop to fill it: the only op whose loops use the result, if nothing writes memory
  // between the load and that op. That op may read the tile in place; if it is a store, only if the two matrices do not
  // overlap. Null: none.
  const Op *readerOf(const Value *load) const;
  // The values that an evaluation of `value` computes, operands first, and the values in buffers that it reads. Only `value` if
  // it has a buffer, unless it is `filled`, the value whose buffer the loop fills. Without duplicates and without scalars.
  std::vector<Value *> nodes(Value *value, const Value *filled = nullptr) const;
  // Like nodes(), for an op that runs its own loop; the op's result comes last.
  std::vector<Value *> nodesOf(const Op &op) const;
  // The values of nodes() or nodesOf() that are in buffers, which the loop reads.
  std::vector<Value *> leaves(Value *value, const Value *filled = nullptr) const;
  std::vector<Value *> leavesOf(const Op &op) const;

  // nestInto: the nest whose sums a store_tile takes from registers. storeOf: the store in which an inline nest runs. Null:
  // none.
  const Op *nestInto(const Op &store) const;
  const Op *storeOf(const Op &nest) const;

private:
  friend class FusionPlanner;
  std::vector<Value *> buffersBehind(const std::vector<Value *> &nodes, const Value *filled, const Value *result) const;
  void collect(Value *value, const Value *filled, std::unordered_set<const Value *> &seen, std::vector<Value *> &order) const;
  std::unordered_set<const Value *> inline_;
  std::unordered_map<const Op *, const Op *> nests_; // from store to nest and back; used for lookup only
  std::unordered_map<const Op *, Value *> filled_; // by the op whose loop fills it; used for lookup only
  std::unordered_map<const Value *, const Op *> fillers_, readers_;
};

// Constants, splats, iota, masks and broadcasts are always inline. A pointwise op or a load_tile is inline if all its uses are
// evaluated in the loop of one op of its block: a pointwise op, a store_tile, a reduction, or an operand of a tile_mma. A
// load_tile additionally requires that nothing writes memory between it and that loop, and is never inline in a store_tile,
// because the two tiles may overlap. A nest whose sum starts at 0 is inline in a store_tile, which then runs inside the nest;
// only the first such nest, and only if nothing writes memory in between.
//
// Where several loops use a value, the first of them evaluates it and stores it for the others, if it is the loop of a
// reduction or of a pointwise op. Two loops of pointwise ops become one if they use a value that no other loop needs and
// nothing between them needs a buffer or a loop; it also fills the buffer of the first op. Each loop fills at most one value.
FusionPlan planFusion(const Kernel &kernel);

} // namespace xt
