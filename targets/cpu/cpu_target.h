// The CPU as a target: kernels compiled through LLVM and run by a pool of threads.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/target.h"

namespace xt {

Target &cpuTarget();

// Like cpuTarget().compile(), but for any processor whose code this machine can run (cpu_info.h, hostCanRun).
Result<std::unique_ptr<Executable>> compileForCpu(const Module &module, const CpuInfo &cpu, const CompileOptions &options,
                                                  Diagnostics &diagnostics);

} // namespace xt
