// Compiles kernels for a device in the way that its driver takes.
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/gpu/device.h"
#include "targets/xe/emit/emit.h"

namespace xt {

// Whether a device takes inline assembly (GpuDevice::inlineAssembly), asked while no other thread uses it.
Result<DriverAnswer> inlineAssemblyOf(GpuDevice &device);

// As compileToSpirv. With SpirvExtensions::Auto, kernels in which inline assembly saves something have it if the driver takes
// it (GpuDevice::inlineAssembly); if not, they are compiled without. `remarks` (null: none) says which it is, and why. An Error
// also if the driver cannot be asked.
Result<GpuCode> compileForDevice(const Module &module, const TargetInfo &target, XeEmitOptions options, GpuDevice &device,
                                 Diagnostics &diagnostics, Diagnostics *remarks);

} // namespace xt
