// Counts the hardware operations of a kernel whose tiles were cut into blocks, by kind: for `xtc --report`, and for tests that
// expect these numbers.
#pragma once
#include "ir/base/source.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <string>
#include <vector>

namespace xt {

struct BlockCounts {
  int64_t loads = 0, stores = 0, prefetches = 0; // block messages; prefetches of all kinds
  int64_t maskedLoads = 0, maskedStores = 0;     // blocks accessed element by element, including gathers and scatters
  int64_t atomics = 0;
  int64_t dpas = 0, products = 0; // products: matrix products that the hardware does not have
  int64_t exchanges = 0;          // exchanges between lanes: transposes, reductions along a row
  int64_t barriers = 0;
  int64_t others = 0;
  bool operator==(const BlockCounts &) const = default;
};

// Counts the ops of a block, without those of nested blocks. With `target`, blocks that it moves between memory and cooperative
// matrices count as loads and stores.
BlockCounts countBlocks(const Block &block, const TargetInfo *target = nullptr);
BlockCounts operator+(BlockCounts a, const BlockCounts &b);
// "32 dpas, 16 loads, 16 stores, 80 others": counts of 0 are left out.
std::string text(const BlockCounts &counts);

// The counts of one innermost loop: each op of its body counts once.
struct LoopCounts {
  const Op *loop;
  BlockCounts counts;
};
// The counts of a whole kernel, in which each op counts once, and those of its innermost loops.
struct KernelCounts {
  BlockCounts all;
  std::vector<LoopCounts> innermost;
  int64_t slmBytes = 0;
};
KernelCounts countKernel(const Kernel &kernel, const TargetInfo *target = nullptr);
// One line with the counts of each kernel, followed by a line for each of its innermost loops.
std::string countsText(const Module &module, const SourceManager &sources, const TargetInfo *target = nullptr);

} // namespace xt
