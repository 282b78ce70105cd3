#include "targets/cpu/products/row_loop.h"

namespace xt {

RowLoop::TileCounts RowLoop::tilesOf(const NestBlock &block, const NestPanel &panel) {
  LlvmValue *wholeTiles = n.planned(&NestPlan::wholeTiles);
  if (!p.hasRest()) return {wholeTiles, wholeTiles};
  LlvmValue *large = b.CreateNot(block.isEpilogueTurn); // the epilogue turn takes a few rows at a time
  auto tilesFor = [&](LlvmValue *rows, int64_t each) {
    return b.CreateUDiv(b.CreateAdd(rows, n.number(each - 1)), n.number(each));
  };
  LlvmValue *whole = b.CreateSelect(large, wholeTiles, n.number(0));
  if (n.rules.mayCopy) whole = most(b, whole, b.CreateZExt(panel.copies, b.getInt64Ty()));
  LlvmValue *left = most(b, b.CreateSub(n.rows, b.CreateMul(whole, n.number(p.tile.rows))), n.number(0));
  LlvmValue *count = b.CreateAdd(whole, tilesFor(left, lastRowsTile(p.tile).rows));
  if (!p.hasNarrow()) return {whole, count};
  LlvmValue *ofNarrow = tilesFor(n.rows, narrowTile(p.tile).rows), *byNarrow = b.CreateAnd(large, panel.narrow);
  return {b.CreateSelect(byNarrow, ofNarrow, whole), b.CreateSelect(byNarrow, ofNarrow, count)};
}

NestPanel RowLoop::copying(const NestPanel &panel) {
  NestPanel from = panel;
  from.right = panel.source;
  from.step = n.right.rowStride;
  from.copyTo = panel.right;
  return from;
}

// Emits the first tile, which packs the panel while it multiplies.
LlvmValues RowLoop::multiplyFirst(const NestBlock &block, const NestPanel &panel, const NestTile &tile) {
  tiles_.multiply(block, copying(panel), p.tile, tile);
  if (n.shares) ifThen(b, panel.shared.found, [&] { n.sharedPanels.isReady(panel.shared); });
  return tiles_.carried(); // it multiplies elements, which carry nothing
}

// Emits a tile of the shape that it has at run time. The branches are nested so that most tiles pass few of them.
LlvmValues RowLoop::multiplyTile(const NestBlock &block, const NestPanel &panel, const TileCounts &tiles,
                                 const NestTile &tile) {
  LlvmValue *multiplies = b.CreateNot(block.isEpilogueTurn);
  auto by = [&](RegisterTile shape) { return [&, shape] { return tiles_.multiply(block, panel, shape, tile); }; };
  auto byNarrow = [&] {
    return panel.middle ? ifElse(b, panel.middle, by(middleTile(p.tile)), by(narrowTile(p.tile))) : by(narrowTile(p.tile))();
  };
  auto byEither = [&] { return p.hasNarrow() ? ifElse(b, panel.narrow, byNarrow, by(p.tile)) : by(p.tile)(); };
  auto byFirst = [&] { return multiplyFirst(block, panel, tile); };
  auto byWhole = [&] {
    if (!n.rules.mayCopy) return byEither();
    return ifElse(b, b.CreateICmpULT(tile.index, b.CreateZExt(panel.copies, b.getInt64Ty())), byFirst, byEither);
  };
  auto byNone = [&] { return tiles_.carried(); };
  if (!p.hasRest()) return ifElse(b, multiplies, byWhole, byNone);
  auto byFew = [&] { return ifElse(b, multiplies, by(lastRowsTile(p.tile)), byNone); };
  return ifElse(b, b.CreateICmpSLT(tile.index, tiles.whole), byWhole, byFew);
}

// Iterates over the rows of `a`. The code that uses the sums is emitted once, after all kinds of tiles. Values that are equal
// for all tiles are computed before the first one.
void RowLoop::emitRows(const NestBlock &block, NestPanel panel) {
  sums_.placeSums(block, panel);
  if (!p.inWords()) panel.next = prefetcher_.nextOf(block, panel);
  TileCounts tiles = tilesOf(block, panel);
  if (n.rules.mayCopyPlain && !n.rules.prefersInPlace)
    ifThen(b, n.isSet(&NestPlan::prefetchesNextBlock), [&] { prefetcher_.prefetchNextBlock(block, panel); });
  LlvmValue *rowsOfWhole = n.number(p.tile.rows), *rowsOfFew = n.number(lastRowsTile(p.tile).rows);
  if (p.hasNarrow()) rowsOfWhole = b.CreateSelect(panel.narrow, n.number(narrowTile(p.tile).rows), rowsOfWhole);
  LlvmValue *prefetches = sums_.prefetchesResult(block), *sinks = b.CreateAnd(block.ready, b.CreateNot(panel.stores));
  LlvmValues begin{n.number(0)}; // the row, and the values that tiles carry
  begin.append(tiles_.carried());
  forLoop(b, n.number(0), tiles.count, n.number(1), begin, [&](LlvmValue *i, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValue *row = carried[0];
    LlvmValue *next = b.CreateAdd(row, b.CreateSelect(b.CreateICmpSLT(i, tiles.whole), rowsOfWhole, rowsOfFew));
    NestTile tile{i, row, least(b, next, n.rows)};
    if (sums_.storesRows())
      ifThen(b, prefetches, [&] {
        sums_.prefetchStored(sums_.storedRow(panel, tile.row), sums_.storedStep(), b.CreateSub(tile.rowEnd, tile.row));
      });
    LlvmValues following{next};
    following.append(
        tiles_.around(block, panel, tile, carried.drop_front(), [&] { return multiplyTile(block, panel, tiles, tile); }));
    ifThen(b, sinks, [&] { sums_.sinkTile(block, panel, tile); });
    return following;
  });
}

} // namespace xt
