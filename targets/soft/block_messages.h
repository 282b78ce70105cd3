// Block messages of a subgroup: 2D blocks of a matrix (cl_intel_subgroup_2d_block_io), and adjacent elements in
// memory (block reads and writes of cl_intel_subgroups).
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"
#include "targets/soft/group_functions.h"

#include <optional>

namespace xt::soft {

// Returns the operation of a function intel_sub_group_2d_block_*; nullopt for other names and for shapes that no message has.
// The driver's library (targets/xe/library) determines which functions exist, and the target's BlockRules which matrices are
// valid. In registers, the rows of a block, after it was transformed or transposed, follow each other without a gap: component
// i of lane l is element i * 16 + l of this sequence, in elements of the destination's type. If a message has several blocks
// side by side, each begins with a new component. A read gives zeros outside of the matrix, and a write stores nothing there.
std::optional<Collective> blockMessage2d(const BuiltinName &name, const TargetInfo &target);

// Returns the operation of a function _xt_raw_send_DESCRIPTOR, which stands for a message in inline assembly
// (extension_calls.h): loads a block that the address payload in the lanes describes, into the `result`, which has as many
// bytes as the registers that it fills. nullopt for other names and other messages. _xt_raw_store_DESCRIPTOR_REGISTERS stores a
// block from words of the lanes.
std::optional<Collective> rawSend(const BuiltinName &name, const ValueType &result, const TargetInfo &target);

// Returns the operation of a function intel_sub_group_block_{read,write}* or OpSubgroupBlock{Read,Write}INTEL; nullopt for
// other names. A lane reads or writes `bytes` bytes, in elements of `elementBytes` bytes.
std::optional<Collective> lineMessage(const BuiltinName &name, int64_t elementBytes, int64_t bytes, const TargetInfo &target);

// Whether the kernel may access all of this memory; otherwise reports a failure.
bool accessible(Meeting &meeting, uint64_t address, int64_t bytes);

} // namespace xt::soft
