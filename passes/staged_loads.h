// Internal to the pass stage-products: the loads of a loop that can be staged through shared local memory.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <span>
#include <string>
#include <vector>

namespace xt {

// A load of an operand of a product, from a tile that the loop carries and moves on by the same distance in each iteration.
struct StagedLoad {
  Op *load = nullptr, *update = nullptr;
  // The ops between the load and the products that take what it loads: transposes and conversions of layouts, which the load does
  // in their place.
  std::vector<Op *> folded;
  size_t carried = 0; // the number of the carried value
  Type loaded; // the tile as it is loaded
  const Layout *given = nullptr; // the layout of the operand, if the load can give each subgroup all that it multiplies
  Type copied; // the tile as it is copied: with the layout that shares the copying between subgroups
  Type buffer; // one buffer of the ring, with a swizzle that spreads its rows over the banks

  // The operand of the product.
  Value *operand() const { return (folded.empty() ? load : folded.back())->result(); }
  // Whether the operand is the transpose of the tile.
  bool turned() const;
};
struct StagedLoads {
  std::vector<StagedLoad> loads;
  std::string reason; // why the first other load of an operand is not among them; "" if there is none
  int64_t bytes() const;
};
// `beforeWrites`: whether the workgroup writes global memory only behind the loop, so that no barrier in it orders these writes and
// the loads.
StagedLoads stagedLoads(Op &loop, const Kernel &kernel, Context &context, const TargetInfo &target, bool beforeWrites);

// Whether each subgroup has all of K of an operand of a product: of `operand`, a in place 0 or b in place 1, as it is or as one of
// these loads gives it.
bool isWholeAlongK(const Value &operand, size_t place, std::span<const StagedLoad> loads);

bool writesGlobalMemory(const Op &op);

} // namespace xt
