// How many registers the vectors of a kernel at lane scope take at one time, at most: what code generation has to fit into
// a register file, before it computes anything else.
#pragma once
#include "ir/module.h"
#include "ir/target_info.h"

#include <cstdint>

namespace xt {

// Of a subgroup of so many lanes, while it runs `block`: the vectors of the block, those that come from outside of it, and
// those of the blocks in it. Vectors that repeat one scalar, one lane's elements for all lanes, and masks, take none;
// what only names a part of another vector counts as that one. `block`: the body of a kernel or of a loop, or a branch.
int64_t registersAtOnce(const Block &block, int64_t lanes, const TargetInfo &target);

// The largest register file that a thread of a workgroup of so many subgroups may have: a core has threads for the lanes of
// the largest workgroup with the smallest file, and half as many with twice the registers. 0: the target does not say.
int64_t registersOfThread(const TargetInfo &target, int64_t subgroups);

} // namespace xt
