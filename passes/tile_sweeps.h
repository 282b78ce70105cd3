// Internal to the pass block-tiles: finds work on large tiles that can be done for one part of the tiles after the
// other, so that no value exists as a whole.
#pragma once
#include "ir/module.h"
#include "passes/sweep_accesses.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

namespace xt {

// Loads, computations and stores of one block that belong together. Those dimensions of their values along which no
// element depends on others follow one of the sweep's two dimensions (rows and columns of what is stored), and a part
// of the sweep needs of a value only the elements of that part.
struct TileSweep {
  // In program order. All can be performed in place of the last one, which is a store or a reduction of `sums`.
  std::vector<Op *> ops;
  // Reductions among them along a dimension that is cut: the parts are combined. Their results are not used in the sweep.
  std::vector<const Op *> sums;
  std::array<int64_t, 2> extents = {};
  std::array<bool, 2> inParts = {true, true}; // dimensions that may be cut
  ArgumentPromise needs = ArgumentPromise::Nothing;
  std::unordered_map<const Value *, Follows> follows; // of the results of `ops`, except for sums; for lookup only

  bool inPart(Follows dims) const { return cuts(dims[0]) || cuts(dims[1]); }
  bool cuts(int dim) const { return dim != kWhole && inParts[static_cast<size_t>(dim)]; }
  bool isSum(const Op &op) const { return std::find(sums.begin(), sums.end(), &op) != sums.end(); }
  // What the op's operand follows, where the op's result, or what it stores or sums up, follows `result`.
  Follows followsOfOperand(const Op &op, size_t operand, Follows result) const;
};

// Whether a part of the op's result can be made where it is used, from scalars alone.
bool isMadeAnywhere(const Op &op);

// The sweeps of a block (not of blocks inside it) whose tiles have at least `fewestElements`. `most`: what they may assume
// of the arguments.
std::vector<TileSweep> findSweeps(Block &block, int64_t fewestElements, ArgumentPromise most);

} // namespace xt
