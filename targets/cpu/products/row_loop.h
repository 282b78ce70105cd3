// Multiplies the rows of `a`, tile after tile, by one panel of `b`. Smaller tiles take the last rows, narrower ones the last
// columns.
#pragma once
#include "targets/cpu/products/register_tiles.h"

namespace xt {

class RowLoop {
public:
  RowLoop(NestContext &context, PanelPrefetcher &prefetcher, SumPlaces &sums, RegisterTiles &tiles)
      : n(context), p(context.problem), b(context.b), prefetcher_(prefetcher), sums_(sums), tiles_(tiles) {}

  void emitRows(const NestBlock &block, NestPanel panel);

private:
  struct TileCounts { // the tiles of a panel: the number of full ones, which come first, and of all
    LlvmValue *whole, *count;
  };
  TileCounts tilesOf(const NestBlock &block, const NestPanel &panel);
  LlvmValues multiplyFirst(const NestBlock &block, const NestPanel &panel, const NestTile &tile);
  LlvmValues multiplyTile(const NestBlock &block, const NestPanel &panel, const TileCounts &tiles, const NestTile &tile);
  NestPanel copying(const NestPanel &panel);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  PanelPrefetcher &prefetcher_;
  SumPlaces &sums_;
  RegisterTiles &tiles_;
};

} // namespace xt
