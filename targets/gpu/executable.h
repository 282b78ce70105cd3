// Launches of compiled kernels on a device.
#pragma once
#include "targets/gpu/device.h"
#include "targets/gpu/kernel_abi.h"
#include "targets/target.h"

#include <functional>

namespace xt {

struct GpuExecutableOptions {
  GpuDevice *device = nullptr;         // outlives the executable
  std::shared_ptr<GpuDevice> owned;    // the device, if it is only for this executable
  const TargetInfo *target = nullptr; // the target that the program was compiled for
  // Returns the same kernels compiled with fewer assumptions. Called at most once for each set of assumptions, by the first
  // launch that needs it.
  std::function<Result<GpuCode>(GpuAssumptions)> again;
  bool optimise = true; // whether the driver optimises
  const SourceManager *sources = nullptr; // as in CompileOptions::sources
  Diagnostics *remarks = nullptr; // receives remarks if it wants any; outlives the executable
};

// Builds the program on the device. Its kernels must be those of `module`, in the same order; a launch selects a kernel by its
// name. The Error contains the driver's build log.
Result<std::unique_ptr<Executable>> makeGpuExecutable(const Module &module, GpuCode program, GpuExecutableOptions options);

} // namespace xt
