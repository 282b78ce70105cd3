// Reports for each op of a kernel how the code computes it (remark XT0621).
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/cpu/analysis/buffer_assignment.h"
#include "targets/cpu/analysis/cpu_info.h"

namespace xt {

void remarkCode(const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion, const BufferAssignment &buffers,
                Diagnostics &diagnostics);

} // namespace xt
