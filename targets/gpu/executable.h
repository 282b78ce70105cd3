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
  // Compiles this kernel with fewer assumptions; the code may have other kernels beside it. Launches call it once for each
  // kernel and set of assumptions, and again after it has failed.
  std::function<Result<GpuCode>(GpuAssumptions, const Kernel &)> again;
  bool optimise = true; // whether the driver optimises
  const SourceManager *sources = nullptr; // as in CompileOptions::sources
  Diagnostics *remarks = nullptr; // receives remarks if it wants any; outlives the executable
};

// Builds the program on the device. Its kernels must be those of `module`, in the same order; a launch selects a kernel by its
// name. The Error contains the driver's build log.
Result<std::unique_ptr<Executable>> makeGpuExecutable(const Module &module, GpuCode program, GpuExecutableOptions options);

} // namespace xt
