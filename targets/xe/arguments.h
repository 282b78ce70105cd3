// What a launch gives a kernel in SPIR-V: its arguments in order (kernel_abi.h), and whether its buffers keep the rules
// of block messages.
#pragma once
#include "ir/interp/launch_state.h"
#include "ir/target_info.h"
#include "targets/xe/device/device.h"
#include "targets/xe/kernel_abi.h"

#include <functional>

namespace xt {

// The device's address of a host address; nullopt: it is in no buffer of the launch.
using DeviceAddress = std::function<std::optional<uint64_t>(const void *host)>;

// The same values, but matrices of one row that go by block messages have a stride that those take: it leads nowhere.
std::vector<RuntimeValue> withPitches(const XeKernel &code, std::vector<RuntimeValue> values, const BlockRules &rules);

// `values` are bindArguments' of these `args`; `grid` is that of the kernel's variables. A host address that a kernel is
// given as an integer becomes the device's where it points into a buffer of the launch.
std::vector<XeArgument> xeArguments(const Kernel &kernel, const std::vector<RuntimeValue> &values,
                                    const std::vector<GridRange> &grid, const DeviceAddress &deviceAddress,
                                    std::optional<uint64_t> outcome);

// Which of a kernel's buffers breaks a rule of its block messages, and how: "`%A`: a row has 30 bytes; …". "": none.
std::string whyNoBlocks(const XeKernel &code, const Kernel &kernel, const std::vector<RuntimeValue> &values,
                        const TargetInfo &target, const DeviceAddress &deviceAddress);

} // namespace xt
