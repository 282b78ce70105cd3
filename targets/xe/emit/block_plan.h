// Decides which blocks of a kernel become 2D block messages, and which conditions a launch must then meet.
#pragma once
#include "ir/base/diagnostics.h"
#include "targets/llvm/lane/index_ranges.h"
#include "targets/xe/emit/block_call.h"
#include "targets/xe/emit/emit.h"
#include "targets/xe/emit/window_origins.h"

#include <unordered_map>
#include <unordered_set>

namespace xt {

struct MessagePlan {
  std::unordered_map<const Op *, BlockCall> calls; // by load_nd, store_nd or prefetch_nd; used for lookup only
  // Those of them whose matrix no launch can check: the kernel does, and has code that moves the block by lanes beside the
  // message.
  std::unordered_set<const Op *> tested; // used for lookup only
  std::vector<GpuBlockUse> uses; // in program order
  // Ranges of the extents of matrices that follow from the rules of block messages.
  std::vector<ExtentFacts> facts;
};

// Plans the messages of a kernel. Reports a remark for each block that no message can move: each lane then moves its own
// elements.
MessagePlan planBlocks(const Kernel &kernel, const TargetInfo &target, const XeEmitOptions &options,
                       const WindowOrigins &origins, Diagnostics &diagnostics);

} // namespace xt
