// The arguments that a launch passes to a kernel, in order (kernel_abi.h), and the check that the buffers of a
// launch obey the rules of block messages.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/interp/launch_state.h"
#include "targets/gpu/device.h"
#include "targets/gpu/kernel_abi.h"

#include <functional>

namespace xt {

// Returns the device's address of a host address; nullopt if the host address is in no buffer of the launch.
using DeviceAddress = std::function<std::optional<uint64_t>(const void *host)>;

// Returns `values`, in which matrices of one row that block messages access have a row stride that these messages accept. The
// stride of a single row is never used to compute an address.
std::vector<RuntimeValue> withPitches(const GpuKernel &code, std::vector<RuntimeValue> values, const BlockRules &rules);

// Returns the arguments of the kernel's entry point (targets/llvm/lane/lane_kernel.h). `values` are the result of
// bindArguments for the launch; `grid` has one range per grid variable of the kernel; `outcome` is the address of the outcome
// word, or nullopt if the kernel reports no failures. A host address that is passed as an integer is translated to the
// device's address if it points into a buffer of the launch.
std::vector<GpuArgument> gpuArguments(const Kernel &kernel, const std::vector<RuntimeValue> &values,
                                      const std::vector<GridRange> &grid, const DeviceAddress &deviceAddress,
                                      std::optional<uint64_t> outcome);

// Names the first buffer that breaks a rule of the kernel's block messages, and the rule: "`%A`: a row has 30 bytes; …". "" if
// no buffer breaks a rule.
std::string whyNoBlocks(const GpuKernel &code, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                        const TargetInfo &target, const DeviceAddress &deviceAddress);

// Names the first buffer that is not as aligned as the kernel's code needs, and why (LaneKernel::alignments). "" if there is none.
std::string whyNotAligned(const GpuKernel &code, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                          const DeviceAddress &deviceAddress);

} // namespace xt
