// The limits of a GPU: whether its hardware can execute a kernel's XeGPU ops, subgroups, named barriers and shared local
// memory. Applies to kernels that users wrote and to kernels that passes made. The output of block-tiles obeys all limits
// except those of shared local memory and of the workgroup.
//
// Each limit is checked at its op and reported with what the target has:
//   load_nd, store_nd, prefetch_nd   a 2D block in global memory is moved by one message (BlockShape), alone or as several
//                                    blocks side by side; else lanes move their own elements, with a warning. A 1D block is
//                                    contiguous and moved by one message too (lineAlignment), in global or shared local
//                                    memory; it begins at a word of its message.
//                                    vnni_axis = 1 without transpose changes nothing in memory or registers; transposing
//                                    into the VNNI form (vnni_axis = 0) turns groups of 32 bits.
//   create_nd_tdesc                  types and constants against the rules for the base and the first column (BlockRules).
//                                    Values known only to descriptors are left to run time.
//   update_nd_offset                 constant steps along the row: from one allowed first column to another
//   create_tdesc                     in mode vc, the numbers of lanes and of consecutive elements per message
//   dpas                             types and sizes (MmaShape), and at lane scope the subgroup's size
//   alloc_nbarrier, create_nbarrier  constant counts and ids
//   print                            no target prints: a warning
//   kernels                          subgroups times the subgroup size (the one that products need, else the smallest),
//                                    `lanes(m)`, and the bytes of all alloc_slm
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

namespace xt {

// The most messages per kernel.
inline constexpr size_t kMostLimitReports = 20;

// Whether a workgroup of the kernel, whose subgroups have `lanes` lanes (or more, if `atLeast`), fits the target.
Result<void> checkWorkgroupSize(const Module &module, const Kernel &kernel, int64_t lanes, bool atLeast,
                                const TargetInfo &target, Diagnostics &diagnostics);

// `sources`: for the lines in the table of buffers.
Result<void> checkTargetLimits(const Module &module, const TargetInfo &target, const SourceManager &sources,
                               Diagnostics &diagnostics);

} // namespace xt
