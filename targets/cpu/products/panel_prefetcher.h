// Determines the data that the tiles of a panel prefetch while they multiply: the next packed panel, the next panel in `b`, or
// the next block.
#pragma once
#include "targets/cpu/products/nest_context.h"

namespace xt {

class PanelPrefetcher {
public:
  explicit PanelPrefetcher(NestContext &context) : n(context), p(context.problem), b(context.b), e_(context.e) {}

  PanelPrefetch nextOf(const NestBlock &block, const NestPanel &panel);
  // Returns the address of the first line that a tile prefetches, and the distance per loop iteration.
  std::pair<LlvmValue *, LlvmValue *> prefetchedBy(const NestBlock &block, const NestPanel &panel, const NestTile &tile,
                                                   LlvmValue *tilesInSource);
  // Prefetches the columns of the panel in the rows of the next block.
  void prefetchNextBlock(const NestBlock &block, const NestPanel &panel);

private:
  LlvmValue *toNextSource(const NestBlock &block, const NestPanel &panel);
  LlvmValue *turnsOf(const NestBlock &block) { return b.CreateUDiv(block.depth, n.number(p.tile.steps)); }

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
};

} // namespace xt
