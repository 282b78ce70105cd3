// Exchanges and synchronisation between the lanes of a subgroup or the work-items of a workgroup: barriers, named
// barriers, shuffles, broadcasts, votes, reductions and scans.
#pragma once
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"

#include <optional>

namespace xt::soft {

// The value that a function exchanges.
struct ValueType {
  int elementBytes = 4, elements = 1;
  bool isFloat = false, isBool = false;
  size_t bytes() const { return static_cast<size_t>(elementBytes) * static_cast<size_t>(elements); }
};

// Returns the operation of __spirv_ControlBarrier, barrier, work_group_barrier, sub_group_barrier, named_barrier_init or
// work_group_named_barrier; nullopt for other names. The result of named_barrier_init (an integer of 32 or 64 bits) is the
// argument of work_group_named_barrier. (llvm-spirv-15 does not read SPIR-V's own instructions for named barriers.)
std::optional<Collective> barrierFunction(const BuiltinName &name, const ValueType &value);

// These return the operation of one of SPIR-V's group and non-uniform group instructions, or of Intel's subgroup shuffles;
// nullopt for other names. Reductions and scans process the lanes in order and round each step to the type. A shuffle from a
// lane that does not exist gives all bits set.
std::optional<Collective> exchangeFunction(const BuiltinName &name, const ValueType &value);
std::optional<Collective> reduceFunction(const BuiltinName &name, const ValueType &value);

} // namespace xt::soft
