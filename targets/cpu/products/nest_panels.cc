#include "targets/cpu/products/nest_panels.h"
#include "targets/cpu/products/words.h"

namespace xt {

NestPanel NestPanels::panelAt(const NestBlock &block, LlvmValue *column, LlvmValue *isInside) {
  return n.rules.mayBeDirect ? plainPanel(block, column, isInside) : packPanel(block, column, isCopied(block, isInside));
}

// A panel of a b that needs no conversion. Panels in bounds are read in place, or packed by the first tile of rows while it
// multiplies.
NestPanel NestPanels::plainPanel(const NestBlock &block, LlvmValue *column, LlvmValue *isInside) {
  LlvmValue *source = sourceOf(block, column);
  LlvmValue *isRead = isInside, *copied = isCopied(block, isInside);
  if (LlvmValue *width = widthAt(column)) { // a narrow panel may be in bounds, too
    LlvmValue *narrow = b.CreateICmpSLT(width, n.number(p.panelColumns())),
              *ends = b.CreateICmpSLE(b.CreateAdd(column, width), n.columns);
    isRead = b.CreateOr(isRead, b.CreateAnd(b.CreateAnd(narrow, ends), block.rightInside));
  }
  LlvmValue *isDirect = b.CreateAnd(n.isSet(&NestPlan::rightInPlace), isRead);
  isDirect = b.CreateOr(isDirect, block.isEpilogueTurn); // which reads nothing
  LlvmValues packed = ifElse(
      b, isDirect, [&] { return LlvmValues{source, b.getFalse(), b.getFalse()}; },
      [&] {
        NestPanel panel = packPanel(block, column, copied);
        return LlvmValues{panel.right, panel.shared.found, panel.shared.mustFill};
      });
  NestPanel panel{};
  panel.column = column;
  panel.right = packed[0];
  panel.step = b.CreateSelect(isDirect, n.right.access.rowStride, n.number(p.panelPitch()));
  panel.shared = {packed[0], packed[1], packed[2]};
  panel.source = source;
  panel.copies = b.CreateAnd(copied, panel.shared.mustFill);
  panel.prefetchesSource = n.rules.prefersInPlace ? b.CreateOr(panel.copies, isDirect) : panel.copies;
  return panel;
}

// A packed panel: one that this or another workgroup packs for all, or the workgroup's own. If `copied` holds, it is not filled
// here.
NestPanel NestPanels::packPanel(const NestBlock &block, LlvmValue *column, LlvmValue *copied) {
  NestPanel panel{column, n.addressOf(kNestPanel), n.number(p.panelPitch()), nullptr, {nullptr, b.getFalse(), b.getTrue()}};
  panel.panels = panelsFrom(block, column);
  panel.width = widthAt(column);
  if (n.shares) {
    panel.shared = sharing_.takePanel(block, panel);
    panel.right = b.CreateSelect(panel.shared.found, panel.shared.address, panel.right);
  }
  ifThen(b, b.CreateAnd(panel.shared.mustFill, b.CreateNot(copied)), [&] {
    packer_.fillPanel(block, panel);
    if (n.shares) ifThen(b, panel.shared.found, [&] { n.sharedPanels.isReady(panel.shared); });
  });
  if (n.rules.mayPrefetchSource && !n.rules.mayBeDirect) { // plainPanel sets them otherwise
    panel.source = sourceOf(block, column);
    panel.prefetchesSource = panel.shared.mustFill;
    panel.copies = b.CreateAnd(copied, panel.shared.mustFill);
  }
  if (p.needsLeastMagnitude())
    panel.least = b.CreateAlignedLoad(b.getInt64Ty(), byteOffset(b, panel.right, n.behindPanels(block, panel)), llvm::Align(8));
  if (p.movesLeft) panel.columnSums = byteOffset(b, panel.right, n.panelBytes(block));
  if (p.scansLeftWhileMultiplying()) panel.leftLeast = leastNormalPartner(b, panel.least);
  return panel;
}

// Whether the first tile packs a panel that has to be packed.
LlvmValue *NestPanels::isCopied(const NestBlock &block, LlvmValue *isInside) {
  if (!n.rules.mayCopy) return b.getFalse();
  return b.CreateAnd(b.CreateAnd(isInside, b.CreateNot(block.isEpilogueTurn)), n.isSet(&NestPlan::hasRowsToCopy));
}

// The address in b of the block's first row and the given column.
LlvmValue *NestPanels::sourceOf(const NestBlock &block, LlvmValue *column) {
  LlvmValue *first = byteOffset(b, n.right.access.origin, b.CreateMul(block.first, n.right.access.rowStride));
  return byteOffset(b, first, b.CreateMul(column, n.number(p.right.bytes())));
}

// Null: the processor does not use AMX.
LlvmValue *NestPanels::panelsFrom(const NestBlock &block, LlvmValue *column) {
  if (!block.panels) return nullptr;
  return b.CreateSelect(b.CreateICmpSGT(b.CreateSub(n.columns, column), n.number(p.panelColumns())), block.panels, n.number(1));
}

LlvmValue *NestPanels::widthAt(LlvmValue *column) {
  if (!narrowTakesAnyRest(p.tile)) return nullptr;
  return b.CreateSelect(isNarrow(column), n.number(narrowTile(p.tile).vectors * p.lanes()), n.number(p.panelColumns()));
}

LlvmValue *NestPanels::isNarrow(LlvmValue *column) {
  const int vectors = hasMiddleTile(p.tile) ? middleTile(p.tile).vectors : narrowTile(p.tile).vectors;
  LlvmValue *left = b.CreateSub(n.columns, column), *fits = b.CreateICmpSLE(left, n.number(vectors * p.lanes()));
  if (!narrowTakesAnyRest(p.tile)) return fits;
  LlvmValue *oneMore = b.CreateAnd(b.CreateICmpSGT(left, n.number(p.panelColumns())),
                                   b.CreateICmpSLE(left, n.number(p.panelColumns() + p.lanes())));
  return b.CreateOr(fits, oneMore); // endsByTwoNarrow
}

// Whether all of b that is read is in bounds.
LlvmValue *NestPanels::isInsideRight(const NestBlock &block) {
  LlvmValue *end = least(b, b.CreateMul(b.CreateAdd(block.first, block.depth), n.number(p.elements())), n.elementDepth);
  return b.CreateICmpSLE(end, n.planned(&NestPlan::rightInside));
}

} // namespace xt
