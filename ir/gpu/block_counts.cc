#include "ir/gpu/block_counts.h"

#include "ir/base/text.h"
#include "ir/gpu/line_reads.h"
#include "ir/gpu/matrix_operands.h"
#include "ir/gpu/slm_layout.h"
#include "ir/op_kinds.h"
#include "ir/print.h"
#include "ir/views/tile.h"

#include <algorithm>

namespace xt {
namespace {

// The counts and their names in singular and plural, in output order.
struct Row {
  int64_t BlockCounts::*count;
  std::string_view one, several;
};
constexpr Row kRows[] = {
    {&BlockCounts::dpas, "dpas", "dpas"},
    {&BlockCounts::products, "product by elements", "products by elements"},
    {&BlockCounts::loads, "load", "loads"},
    {&BlockCounts::stores, "store", "stores"},
    {&BlockCounts::prefetches, "prefetch", "prefetches"},
    {&BlockCounts::maskedLoads, "masked load", "masked loads"},
    {&BlockCounts::maskedStores, "masked store", "masked stores"},
    {&BlockCounts::atomics, "atomic", "atomics"},
    {&BlockCounts::exchanges, "exchange between lanes", "exchanges between lanes"},
    {&BlockCounts::barriers, "barrier", "barriers"},
    {&BlockCounts::others, "other", "others"},
};

// Whether a transpose packs elements of a column into words of 32 bits (VNNI), or unpacks them: no element changes its lane.
bool packs(const Op &transpose) { return permutationOf(transpose) == std::vector<int64_t>{0, 2, 1}; }

// Whether 1D block messages load the rows of a tile: its lanes hold them in a layout for these.
bool loadsRows(const Op &load, const TargetInfo &target) {
  const TypeData &tile = load.operand(0)->type().data();
  const Layout *layout = load.result()->type().layout();
  return layout && tile.space == MemorySpace::Global && load.operandCount() == 1 && lineRead(target, *layout, tile.elem);
}

int64_t BlockCounts::*rowOf(const Op &op, const TargetInfo *target) {
  bool asMatrix = target && target->cooperativeMatrices && movedOperand(op);
  switch (op.info().typeRule) {
  case TypeRule::Dpas: return &BlockCounts::dpas;
  case TypeRule::Nest:
  case TypeRule::TileMma: return &BlockCounts::products;
  case TypeRule::LoadNd: return &BlockCounts::loads;
  case TypeRule::StoreNd: return &BlockCounts::stores;
  case TypeRule::PrefetchNd:
  case TypeRule::PrefetchTile:
  case TypeRule::PrefetchTdesc: return &BlockCounts::prefetches;
  case TypeRule::LoadTile: {
    bool byMessages = asMatrix || (target && loadsRows(op, *target));
    return byMessages ? &BlockCounts::loads : &BlockCounts::maskedLoads;
  }
  case TypeRule::LoadGather:
  case TypeRule::GatherTdesc: return &BlockCounts::maskedLoads;
  case TypeRule::StoreTile: return asMatrix ? &BlockCounts::stores : &BlockCounts::maskedStores;
  case TypeRule::StoreScatter:
  case TypeRule::ScatterTdesc: return &BlockCounts::maskedStores;
  case TypeRule::AtomicUpdate:
  case TypeRule::AtomicTdesc: return &BlockCounts::atomics;
  case TypeRule::Shuffle:
  case TypeRule::SubgroupReduce: return &BlockCounts::exchanges;
  case TypeRule::Transpose: return packs(op) ? &BlockCounts::others : &BlockCounts::exchanges;
  case TypeRule::Reduction: {
    int64_t dim = ReductionOp(op).dim();
    return dim + 1 == op.operand(0)->type().rank() ? &BlockCounts::exchanges : &BlockCounts::others;
  }
  default: break;
  }
  bool waits = op.kind() == OpKind::Barrier || op.kind() == OpKind::NbarrierWait;
  return waits ? &BlockCounts::barriers : &BlockCounts::others;
}

// Returns the counts of the block and of all nested blocks; appends the innermost loops to `kernel`.
BlockCounts count(const Block &block, const TargetInfo *target, KernelCounts &kernel) {
  BlockCounts all = countBlocks(block, target);
  for (const Op &op : block) {
    bool loop = op.regionCount() && carriedAt(op).loops;
    size_t before = kernel.innermost.size();
    for (size_t r = 0; r < op.regionCount(); ++r) {
      BlockCounts inner = count(*op.region(r), target, kernel);
      if (loop && kernel.innermost.size() == before) kernel.innermost.push_back({&op, inner});
      all = all + inner;
    }
  }
  return all;
}

} // namespace

BlockCounts countBlocks(const Block &block, const TargetInfo *target) {
  BlockCounts counts;
  for (const Op &op : block) ++(counts.*rowOf(op, target));
  return counts;
}

BlockCounts operator+(BlockCounts a, const BlockCounts &b) {
  for (const Row &row : kRows) a.*row.count += b.*row.count;
  return a;
}

std::string text(const BlockCounts &counts) {
  std::vector<std::string> parts;
  for (const Row &row : kRows)
    if (int64_t n = counts.*row.count) parts.push_back(str(n, " ", n == 1 ? row.one : row.several));
  return join(parts, ", ");
}

KernelCounts countKernel(const Kernel &kernel, const TargetInfo *target) {
  KernelCounts counts;
  counts.all = count(kernel.body, target, counts);
  counts.slmBytes = slmLayout(kernel).bytes;
  return counts;
}

std::string countsText(const Module &module, const SourceManager &sources, const TargetInfo *target) {
  std::string out;
  for (const auto &kernel : module.kernels) {
    KernelCounts counts = countKernel(*kernel, target);
    out += str(symbolText(kernel->name), ": ", text(counts.all),
               counts.slmBytes ? str(", ", counts.slmBytes, " bytes of SLM") : "", "\n");
    for (const LoopCounts &loop : counts.innermost)
      out += str("  loop at line ", sources.file(loop.loop->range().file).lineColumn(loop.loop->range().begin).line, ": ",
                 text(loop.counts), "\n");
  }
  return out;
}

} // namespace xt
