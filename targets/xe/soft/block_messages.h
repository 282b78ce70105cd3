// Block messages of a subgroup: 2D blocks of a matrix (cl_intel_subgroup_2d_block_io) and neighbours in memory
// (cl_intel_subgroups' block reads and writes).
#pragma once
#include "ir/target_info.h"
#include "targets/xe/soft/builtin_name.h"
#include "targets/xe/soft/collective.h"

#include <optional>

namespace xt::soft {

// Functions intel_sub_group_2d_block_*; nothing for other names and for shapes that no message has. Which of them there are
// the driver's library says (targets/xe/library). What a matrix must be is the target's BlockRules. Registers: rows of a block, after it was transformed or transposed, lie one after the
// other without a gap; lane l's component i is element i * 16 + l of them, in elements of the destination's type. Each
// of several blocks side by side begins with a component of its own. Outside of the matrix there are zeros, and nothing
// is stored.
std::optional<Collective> blockMessage2d(const BuiltinName &name, const TargetInfo &target);

// Functions intel_sub_group_block_{read,write}* and OpSubgroupBlock{Read,Write}INTEL.
// `bytes` is the size of what one lane reads or writes, `elementBytes` that of an element of it.
std::optional<Collective> lineMessage(const BuiltinName &name, int64_t elementBytes, int64_t bytes,
                                      const TargetInfo &target);

} // namespace xt::soft
