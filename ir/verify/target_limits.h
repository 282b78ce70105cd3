// The limits of a GPU: whether its hardware can do what a kernel asks of it with XeGPU ops, subgroups, named barriers and
// shared local memory. For kernels that users wrote and for those that passes made; what block-tiles makes keeps all
// limits but that of shared local memory and those of the workgroup.
//
// Checked, each at its op and with what the target has:
//   load_nd, store_nd, prefetch_nd   a 2D block is one message's (BlockShape), alone or as several blocks side by side, in
//                                    global memory; else lanes move their own elements: a warning. A 1D block is contiguous and one message's too (lineAlignment), in
//                                    global or shared local memory; it begins at a word of its message.
//                                    vnni_axis = 1 without transpose changes nothing in memory or registers; transposing
//                                    into the VNNI form (vnni_axis = 0) turns groups of 32 bits.
//   create_nd_tdesc                  what types and constants say of the base and of the first column (BlockRules). Left
//                                    to run time: what only descriptors know.
//   update_nd_offset                 constant steps along the row: from one first column that may be to another
//   create_tdesc                     in mode vc, how many lanes and neighbours one message has
//   dpas                             types and sizes (MmaShape), and at lane scope the subgroup's size
//   alloc_nbarrier, create_nbarrier  constant counts and ids
//   print                            no target prints: a warning
//   kernels                          subgroups times the subgroup's size (the one that products need, else the smallest),
//                                    `lanes(m)`, and the bytes of all alloc_slm
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "ir/target_info.h"

namespace xt {

// At most so many messages for a kernel.
inline constexpr size_t kMostLimitReports = 20;

// `sources`: for the lines in the table of buffers.
Result<void> checkTargetLimits(const Module &module, const TargetInfo &target, const SourceManager &sources, Diagnostics &diagnostics);

} // namespace xt
