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

// Loads, computations and stores of one block that can be performed part by part. A sweep has two dimensions, the rows and
// columns of the stored values. A dimension of another value follows one of them if no element along it depends on others; a
// part of the sweep then needs only those elements of the value that are in this part.
struct TileSweep {
  // In program order. All can be performed in place of the last one, which is a store or a reduction of `sums`.
  std::vector<Op *> ops;
  // The reductions in `ops` along a dimension that is cut. The results of the parts are combined, and are not used in the
  // sweep.
  std::vector<const Op *> sums;
  std::array<int64_t, 2> extents = {};
  std::array<bool, 2> inParts = {true, true}; // whether each dimension may be cut into parts
  ArgumentPromise needs = ArgumentPromise::Nothing;
  std::unordered_map<const Value *, Follows> follows; // for the results of `ops`, except for sums; for lookup only

  bool inPart(Follows dims) const { return cuts(dims[0]) || cuts(dims[1]); }
  bool cuts(int dim) const { return dim != kWhole && inParts[static_cast<size_t>(dim)]; }
  bool isSum(const Op &op) const { return std::find(sums.begin(), sums.end(), &op) != sums.end(); }
  // The dimensions of the sweep that an operand of the op follows, if the op's result follows `result`. For a store or a sum,
  // `result` describes the value that is stored or summed up.
  Follows followsOfOperand(const Op &op, size_t operand, Follows result) const;
};

// Whether any part of the op's result can be made where it is used, from scalars alone.
bool isMadeAnywhere(const Op &op);

// Finds the sweeps of a block (not of blocks inside it) whose tiles have at least `fewestElements` elements. `most`: the
// strongest promise about the arguments that they may need.
std::vector<TileSweep> findSweeps(Block &block, int64_t fewestElements, ArgumentPromise most);

} // namespace xt
