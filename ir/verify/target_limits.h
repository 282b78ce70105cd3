// The limits of a GPU: whether its hardware can execute a kernel's XeGPU ops, subgroups, named barriers and shared local
// memory. Applies to kernels that users wrote and to kernels that passes made. The output of block-tiles obeys all limits
// except those of shared local memory and of the workgroup.
//
// Each limit is checked at its op; the report says what the target has:
//   load_nd, store_nd, prefetch_nd   a 2D block in global memory is moved by one message (BlockShape), alone or as several
//                                    blocks side by side. Otherwise lanes move their own elements, and prefetches are removed,
//                                    with a warning. A 1D block is contiguous and also moved by one message (lineAlignment), in
//                                    global or shared local memory; it begins at a word of its message.
//                                    vnni_axis = 1 without transpose changes nothing in memory or registers; a transposed load
//                                    in VNNI form (vnni_axis = 0) transposes groups of 32 bits.
//   create_nd_tdesc                  types and constants must obey the rules for the base and the first column (BlockRules).
//                                    Values that are not constant are left to run time.
//   update_nd_offset                 constant steps along the row: from one allowed first column to another
//   create_tdesc                     in mode vc, the numbers of lanes and of consecutive elements per message
//   dpas                             types and sizes (MmaShape), and at lane scope the subgroup's size
//   alloc_nbarrier, create_nbarrier  constant counts and ids
//   print                            no GPU target can print, so the op is removed with a warning
//   kernels                          subgroups times the subgroup size (the one that products need, else the smallest),
//                                    `lanes(m)`, and the bytes of all alloc_slm
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// The ops of a kernel are checked until this number of errors has been reported.
inline constexpr size_t kMostLimitReports = 20;

// Reports an error if a workgroup of the kernel, whose subgroups have `lanes` lanes (or more, if `atLeast`), does not fit the
// target.
Result<void> checkWorkgroupSize(const Module &module, const Kernel &kernel, int64_t lanes, bool atLeast,
                                const TargetInfo &target, Diagnostics &diagnostics);

// Whether the target has a subgroup size for the layouts of a kernel at workgroup or subgroup scope (subgroupSizesFor).
Result<void> checkStatedLanes(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics);

// Checks all kernels of a module. `sources` gives the line numbers in the table of buffers.
Result<void> checkTargetLimits(const Module &module, const TargetInfo &target, const SourceManager &sources,
                               Diagnostics &diagnostics);

} // namespace xt
