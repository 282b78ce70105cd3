// The peak number of registers that the vectors of a kernel at lane scope occupy: a lower bound for the register file that code
// generation needs.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace xt {

// The peak number of registers that a subgroup of `lanes` lanes needs while it runs `block`: for the vectors of the block, for
// those that are live on entry, and for those of nested blocks. No registers are counted for vectors that repeat one scalar or
// one lane's elements, for masks, and for values that only name a part of another vector. `block` is the body of a kernel or of
// a loop, or a branch.
int64_t registersAtOnce(const Block &block, int64_t lanes, const TargetInfo &target);

// The ops of a block that have regions, in order, each with the registers of vectors that are live while it runs, but that
// neither it nor an op in it uses: what is left of a thread's registers for its blocks is less by them, and by those beside the
// ops around it.
std::vector<std::pair<Op *, int64_t>> registersBesideRegions(Block &block, int64_t lanes, const TargetInfo &target);

// The largest register file, in registers, that each thread of a workgroup of `subgroups` subgroups can have. A core has enough
// threads for the largest workgroup if each thread uses the smallest register file, and half as many threads if each has twice
// the registers. 0 if the target gives no sizes.
int64_t registersOfThread(const TargetInfo &target, int64_t subgroups);

} // namespace xt
