// Which operands of products are the same for several workgroups.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace xt {

// Operands b of a tile_mma that are to be packed once for all workgroups of a launch: blocks that are turned or converted before
// they are multiplied, large enough (kLeastSharedBytes), with no store between the load and the product, of a parameter that the
// kernel does not store to, and the same for workgroups that do other rows of a. Only in kernels all of whose lasting effects
// are tiles stored to parameters: where those are apart from what is read, as the launch finds out, nothing changes what was
// packed.
struct SharedOperands {
  struct Operand {
    const Op *load;
    const Value *read;          // the parameter
    std::vector<bool> gridDims; // that it depends on
  };
  std::unordered_map<const Op *, Operand> ofMma; // looked up only
  std::unordered_set<const Op *> loads;          // of those; looked up only
  std::vector<const Value *> stored;             // parameters
};
SharedOperands findSharedOperands(const Kernel &kernel);

} // namespace xt
