#include "targets/cpu/products/nest_panels.h"
#include "targets/cpu/products/words.h"

namespace xt {

NestPanel NestPanels::panelAt(const NestBlock &block, LlvmValue *column, LlvmValue *isInside) {
  NestPanel panel{};
  panel.column = column;
  if (narrowTakesAnyRest(p.tile)) setNarrowWidth(panel);
  if (n.rules.mayBeDirect)
    readOrPack(block, panel, isInside);
  else
    pack(block, panel, isCopied(block, isInside));
  if (p.hasNarrow() && hasMiddleTile(p.tile)) setNarrowOrMiddle(panel);
  return panel;
}

// Sets whether a narrow tile multiplies the panel; columns past that tile are then not part of the panel. If the plan ends by
// two narrow tiles, a panel is narrow if at most a full panel and a register of columns remain from its first column on.
void NestPanels::setNarrowWidth(NestPanel &panel) {
  LlvmValue *full = n.number(p.panelColumns()), *narrow = n.number(narrowTile(p.tile).vectors * p.lanes());
  LlvmValue *limit = b.CreateSelect(n.isSet(&NestPlan::endsByTwoNarrow), n.number(p.panelColumns() + p.lanes()), narrow);
  panel.narrow = b.CreateICmpSLE(b.CreateSub(n.columns, panel.column), limit);
  panel.width = b.CreateSelect(panel.narrow, narrow, full);
}

// Sets whether the narrow tile or the middle one multiplies the panel: the smallest tile that the remaining columns fit into.
void NestPanels::setNarrowOrMiddle(NestPanel &panel) {
  LlvmValue *rest = b.CreateSub(n.columns, panel.column);
  panel.narrow = b.CreateICmpSLE(rest, n.number(middleTile(p.tile).vectors * p.lanes()));
  panel.middle = b.CreateICmpSGT(rest, n.number(narrowTile(p.tile).vectors * p.lanes()));
}

// Prepares a panel of a `b` that needs no conversion. A panel in bounds may be read in place, or packed by the first tile of
// rows while it multiplies.
void NestPanels::readOrPack(const NestBlock &block, NestPanel &panel, LlvmValue *isInside) {
  LlvmValue *source = sourceOf(block, panel.column);
  LlvmValue *isRead = isInside, *copied = isCopied(block, isInside);
  if (panel.width) { // a narrow panel may be in bounds, too
    LlvmValue *ends = b.CreateICmpSLE(b.CreateAdd(panel.column, panel.width), n.columns);
    isRead = b.CreateOr(isRead, b.CreateAnd(b.CreateAnd(panel.narrow, ends), block.rightInside));
  }
  LlvmValue *isDirect = b.CreateAnd(n.isSet(&NestPlan::rightInPlace), isRead);
  isDirect = b.CreateOr(isDirect, block.isEpilogueTurn); // the epilogue turn reads nothing
  LlvmValues packed = ifElse(
      b, isDirect, [&] { return LlvmValues{source, b.getFalse(), b.getFalse()}; },
      [&] {
        NestPanel filled = panel;
        pack(block, filled, copied);
        return LlvmValues{filled.right, filled.shared.found, filled.shared.mustFill};
      });
  panel.right = packed[0];
  panel.step = b.CreateSelect(isDirect, n.right.rowStride, n.number(p.panelPitch()));
  panel.shared = {packed[0], packed[1], packed[2]};
  panel.source = source;
  panel.copies = b.CreateAnd(copied, panel.shared.mustFill);
  panel.prefetchesSource = n.rules.prefersInPlace ? b.CreateOr(panel.copies, isDirect) : panel.copies;
}

// Prepares a packed panel: one that this or another workgroup packs for all, or the workgroup's own. If `copied` holds, it is
// not filled here, because the first tile of rows does so.
void NestPanels::pack(const NestBlock &block, NestPanel &panel, LlvmValue *copied) {
  panel.right = n.addressOf(kNestPanel);
  panel.step = n.number(p.panelPitch());
  panel.shared = {nullptr, b.getFalse(), b.getTrue()};
  panel.panels = panelsFrom(block, panel.column);
  if (n.shares) {
    panel.shared = sharing_.takePanel(block, panel);
    panel.right = b.CreateSelect(panel.shared.found, panel.shared.address, panel.right);
  }
  ifThen(b, b.CreateAnd(panel.shared.mustFill, b.CreateNot(copied)), [&] {
    packer_.fillPanel(block, panel);
    if (n.shares) ifThen(b, panel.shared.found, [&] { n.sharedPanels.isReady(panel.shared); });
  });
  if (n.rules.mayPrefetchSource && !n.rules.mayBeDirect) { // readOrPack sets them otherwise
    panel.source = sourceOf(block, panel.column);
    panel.prefetchesSource = panel.shared.mustFill;
    panel.copies = b.CreateAnd(copied, panel.shared.mustFill);
  }
  if (p.needsLeastMagnitude())
    panel.least = b.CreateAlignedLoad(b.getInt64Ty(), byteOffset(b, panel.right, n.behindPanels(block, panel)), llvm::Align(8));
  if (p.movesLeft) panel.columnSums = byteOffset(b, panel.right, n.panelBytes(block));
  if (p.scansLeftWhileMultiplying()) panel.leftLeast = leastNormalPartner(b, panel.least);
}

// Whether the first tile of rows packs a panel, if it has to be packed.
LlvmValue *NestPanels::isCopied(const NestBlock &block, LlvmValue *isInside) {
  if (!n.rules.mayCopy) return b.getFalse();
  return b.CreateAnd(b.CreateAnd(isInside, b.CreateNot(block.isEpilogueTurn)), n.isSet(&NestPlan::hasRowsToCopy));
}

// The address of the block's first row and the given column in `b`.
LlvmValue *NestPanels::sourceOf(const NestBlock &block, LlvmValue *column) {
  LlvmValue *first = byteOffset(b, n.right.origin, b.CreateMul(block.first, n.right.rowStride));
  return byteOffset(b, first, b.CreateMul(column, n.number(p.right.bytes())));
}

// Returns how many panels are packed together from `column` on. Null: the nest does not use AMX.
LlvmValue *NestPanels::panelsFrom(const NestBlock &block, LlvmValue *column) {
  if (!block.panels) return nullptr;
  return b.CreateSelect(b.CreateICmpSGT(b.CreateSub(n.columns, column), n.number(p.panelColumns())), block.panels, n.number(1));
}

// Whether all elements of `b` that the block reads are in bounds.
LlvmValue *NestPanels::isInsideRight(const NestBlock &block) {
  LlvmValue *end = least(b, b.CreateMul(b.CreateAdd(block.first, block.depth), n.number(p.elements())), n.elementDepth);
  return b.CreateICmpSLE(end, n.planned(&NestPlan::rightInside));
}

} // namespace xt
