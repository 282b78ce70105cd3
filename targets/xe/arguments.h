// The arguments that a launch passes to a kernel in SPIR-V, in order (kernel_abi.h), and the check that its buffers obey the
// rules of block messages.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/interp/launch_state.h"
#include "targets/xe/device/device.h"
#include "targets/xe/kernel_abi.h"

#include <functional>

namespace xt {

// Returns the device's address of a host address; nullopt: it is in no buffer of the launch.
using DeviceAddress = std::function<std::optional<uint64_t>(const void *host)>;

// Returns the same values, except that matrices of one row that block messages access get a row stride that those accept. The
// stride is never used to compute an address.
std::vector<RuntimeValue> withPitches(const XeKernel &code, std::vector<RuntimeValue> values, const BlockRules &rules);

// `values` are the result of bindArguments for the launch; `grid` has one range per grid variable of the kernel. A host address
// that is passed as an integer is translated to the device's address if it points into a buffer of the launch.
std::vector<XeArgument> xeArguments(const Kernel &kernel, const std::vector<RuntimeValue> &values,
                                    const std::vector<GridRange> &grid, const DeviceAddress &deviceAddress,
                                    std::optional<uint64_t> outcome);

// Names the first buffer that breaks a rule of the kernel's block messages, and the rule: "`%A`: a row has 30 bytes; …". "" if
// there is none.
std::string whyNoBlocks(const XeKernel &code, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                        const TargetInfo &target, const DeviceAddress &deviceAddress);

} // namespace xt
