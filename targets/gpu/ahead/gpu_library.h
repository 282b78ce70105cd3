// Makes a library for programs in C of the kernels of a module that were compiled for GPUs.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"
#include "targets/gpu/kernel_abi.h"
#include "targets/output.h"

namespace xt {

// The code of a library: what assumes as much as it can about arguments, and what assumes nothing (GpuAssumptions). The third is the
// first one for drivers that take inline assembly (GpuDevice::inlineAssembly); without kernels where that is no other. All have the same
// kernels in the same order.
struct GpuLibraryCode {
  GpuCode fast, careful, assembly = {};
};

// The files of the library NAME: NAME.h, libNAME.a, libNAME.so and NAME.json. Its functions are those of a library for CPUs
// (targets/cpu/ahead), and one that makes it run in a context of the caller. An Error as of linkLibrary(), or for a name of a kernel.
Result<std::vector<OutputFile>> makeGpuLibrary(const Module &module, const GpuLibraryCode &code, const TargetInfo &target,
                                               const OutputOptions &options, Diagnostics &diagnostics);

} // namespace xt
