#include "targets/cpu/products/panel_prefetcher.h"

#include <algorithm>

namespace xt {

// Panels that were packed earlier are nearly always in the order of their use, and in the L3 cache: the tiles of such a panel
// prefetch the next panel, a part of it each. If a panel is packed by a tile, converted, or read in place, and there are few
// tiles of rows, they prefetch the next panel in `b` (prefetchedBy). The loop of all other tiles, which always prefetches,
// prefetches the first line of their own panel.
PanelPrefetch PanelPrefetcher::nextOf(const NestBlock &block, const NestPanel &panel) {
  LlvmValue *wasPacked = b.CreateAnd(panel.shared.found, b.CreateNot(panel.shared.mustFill)), *zero = n.number(0);
  LlvmValue *turns = turnsOf(block), *turn = b.CreateMul(n.planned(&NestPlan::nextStep), n.number(p.tile.steps));
  LlvmValue *behind = n.toNextPanel(block, panel);
  PanelPrefetch next{byteOffset(b, panel.right, b.CreateSelect(wasPacked, behind, zero)),
                     b.CreateSelect(wasPacked, b.CreateMul(turns, turn), zero), b.CreateSelect(wasPacked, turn, zero)};
  if (!n.rules.mayPrefetchSource) return next;
  next.source = byteOffset(b, panel.source, toNextSource(block, panel));
  next.tilesInSource = b.CreateSelect(panel.prefetchesSource, n.planned(&NestPlan::sourceTiles), n.number(0));
  next.lastInSource = n.rules.prefersInPlace
                          ? b.CreateSelect(panel.prefetchesSource, n.planned(&NestPlan::lastSourceTiles), n.number(0))
                          : next.tilesInSource;
  return next;
}

// The byte distance to the panel in `b` that is probably read next: the next panel in the same rows; after the last panel, the
// first panel in the rows of the next block; after the last block, the panel next to this workgroup's columns in the first
// rows. The prefetch is useless if that panel is narrow, belongs to another thread, or is past the last one, or if workgroups
// begin in the middle (firstPanel).
LlvmValue *PanelPrefetcher::toNextSource(const NestBlock &block, const NestPanel &panel) {
  LlvmValue *wide = n.number(p.sourcePitch()), *rowStep = n.right.rowStride;
  LlvmValue *isLast = b.CreateICmpSGE(b.CreateAdd(panel.column, n.number(p.panelColumns())), n.columns);
  LlvmValue *back = b.CreateMul(b.CreateSub(panel.column, n.columnBegin), n.number(p.right.bytes()));
  LlvmValue *nextRows = b.CreateSub(b.CreateMul(block.depth, rowStep), back),
            *beside = b.CreateSub(wide, b.CreateMul(block.first, rowStep));
  return b.CreateSelect(isLast, b.CreateSelect(block.isLast, beside, nextRows), wide);
}

// Returns the address of the first line that a tile prefetches, and the distance per loop iteration. The first `tilesInSource`
// tiles after the first tile prefetch the next panel in `b`. Each takes one line of each row, of as many rows as it has
// iterations, so that it can use the loop of other tiles: together, these tiles prefetch all lines of the first rows, and then
// those of the next rows. Prefetching the lines of a row one after the other takes more instructions.
std::pair<LlvmValue *, LlvmValue *> PanelPrefetcher::prefetchedBy(const NestBlock &block, const NestPanel &panel,
                                                                  const NestTile &tile, LlvmValue *tilesInSource) {
  const PanelPrefetch &next = panel.next;
  auto ofPacked = [&] { return LlvmValues{byteOffset(b, next.first, b.CreateMul(tile.index, next.tileStep)), next.step}; };
  if (!n.rules.mayPrefetchSource) return {ofPacked()[0], next.step};
  LlvmValue *index = b.CreateSub(tile.index, n.number(1));
  LlvmValues firstAndStep = ifElse(
      b, b.CreateICmpULT(index, tilesInSource),
      [&] {
        const int64_t lines = p.linesOfSource();
        LlvmValue *line = b.CreateMul(b.CreateURem(index, n.number(lines)), n.number(kCacheLine));
        LlvmValue *rows = b.CreateMul(b.CreateMul(b.CreateUDiv(index, n.number(lines)), turnsOf(block)), n.right.rowStride);
        LlvmValue *lastByte =
            b.CreateSub(least(b, b.CreateAdd(line, n.number(kCacheLine)), n.number(p.sourcePitch())), n.number(1));
        return LlvmValues{byteOffset(b, next.source, b.CreateAdd(rows, lastByte)), n.right.rowStride};
      },
      ofPacked);
  return {firstAndStep[0], firstAndStep[1]};
}

void PanelPrefetcher::prefetchNextBlock(const NestBlock &block, const NestPanel &panel) {
  LlvmValue *first = byteOffset(b, panel.source, b.CreateMul(block.depth, n.right.rowStride));
  forLoop(b, n.number(0), block.depth, n.number(1), {first}, [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> carried) {
    for (int64_t at = 0; at < p.panelPitch(); at += kCacheLine)
      e_.tiles.prefetchLine(byteOffset(b, carried[0], n.number(std::min(at + kCacheLine, p.panelPitch()) - 1)));
    return LlvmValues{byteOffset(b, carried[0], n.right.rowStride)};
  });
}

} // namespace xt
