// Which blocks of a kernel go as 2D block messages, and what a launch must keep for that.
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/xe/emit/block_call.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/emit/index_ranges.h"
#include "targets/xe/emit/window_origins.h"

#include <unordered_map>

namespace xt {

struct BlockPlan {
  std::unordered_map<const Op *, BlockCall> calls; // of load_nd, store_nd, prefetch_nd; looked up only
  std::vector<XeBlockUse> uses;                    // in program order
  // What the rules of block messages say of the matrices: they have a row, and columns of so many bytes.
  std::vector<ExtentFacts> facts;
};

// Blocks that no message takes are remarked: each lane moves its own elements.
BlockPlan planBlocks(const Kernel &kernel, const TargetInfo &target, const XeEmitOptions &options,
                     const WindowOrigins &origins, Diagnostics &diagnostics);

} // namespace xt
