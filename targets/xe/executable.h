// Kernels in SPIR-V on a device: what a launch of them does.
#pragma once
#include "targets/target.h"
#include "targets/xe/device/device.h"
#include "targets/xe/kernel_abi.h"

#include <functional>

namespace xt {

struct XeExecutableOptions {
  XeDevice *device = nullptr;         // outlives the executable
  const TargetInfo *target = nullptr; // what the program was compiled for
  // The same kernels compiled for a target without block messages; called once, when a launch first needs it.
  std::function<Result<XeProgram>()> withoutBlocks;
  bool optimise = true;               // the driver's work
  const SourceManager *sources = nullptr; // as CompileOptions::sources
  Diagnostics *remarks = nullptr; // takes them, where it wants any; outlives the executable
};

// The program's kernels are those of `module`, in its order; launches name kernels of it. Builds it on the device: the
// Error holds the driver's build log.
Result<std::unique_ptr<Executable>> makeXeExecutable(const Module &module, XeProgram program, XeExecutableOptions options);

} // namespace xt
