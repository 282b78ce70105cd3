// Finds the operands of products that are the same for several workgroups.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace xt {

// The minimum size in bytes of a shared panel: finding a panel takes as long as packing a few KiB.
inline constexpr int64_t kLeastSharedBytes = 8 << 10;

// The operands `b` of tile_mma ops that are packed once for all workgroups of a launch. Such an operand is a block of a
// parameter that is transposed or converted before it is multiplied and is large enough (kLeastSharedBytes). Nothing stores
// between its load and the product, the kernel does not store to its parameter, and it is the same for workgroups that compute
// other rows of `a`. The kernel's only lasting effects must be tiles stored to parameters: if the launch finds that these do
// not overlap the parameter that is read, nothing changes the packed data.
struct SharedOperands {
  struct Operand {
    const Op *load;
    const Value *read; // the parameter that `load` reads
    std::vector<bool> gridDims; // the grid dimensions that the operand depends on
  };
  std::unordered_map<const Op *, Operand> ofMma; // used for lookup only
  std::unordered_set<const Op *> loads; // the loads of ofMma; used for lookup only
  std::vector<const Value *> stored; // the parameters that the kernel stores to
};
SharedOperands findSharedOperands(const Kernel &kernel);

} // namespace xt
