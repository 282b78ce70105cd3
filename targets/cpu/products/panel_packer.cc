#include "targets/cpu/products/panel_packer.h"

#include "ir/base/check.h"
#include "targets/cpu/products/words.h"

#include <algorithm>

namespace xt {

void PanelPacker::fillPanel(const NestBlock &block, const NestPanel &panel) {
  PackedPanels to{panel.right, n.panelBytes(block), panel.panels, panel.width};
  if (p.movesLeft)
    storePanelRow(LlvmValues(static_cast<size_t>(p.tile.vectors), e_.context.ops.zero(p.elem, p.lanes())), columnSumsOf(to));
  LlvmValue *smallest = packInto(block, panel.column, to);
  if (p.movesLeft) correctColumnSums(columnSumsOf(to));
  if (p.needsLeastMagnitude())
    b.CreateAlignedStore(smallest, byteOffset(b, panel.right, n.behindPanels(block, panel)), llvm::Align(8));
}

// Packs one panel or two. Returns the least magnitude of bf16, or the key of sliced floats.
LlvmValue *PanelPacker::packInto(const NestBlock &block, LlvmValue *column, const PackedPanels &to) {
  if (p.inSlices()) slices_.forgetKey();
  if (p.right.transposed) return packTransposed(block, column, to);
  LlvmValue *inside = insideSteps(block, column, to), *end = b.CreateAdd(block.first, block.depth);
  LlvmValue *smallest = packInside(column, to, {block.first, block.first, inside});
  if (endsInside()) {
    fillRows(to, {block.first, inside, end});
  } else {
    LlvmValue *outside = end;
    if (usesTiles(p.style)) { // AMX tiles are whole, and may have many steps past the end of `b`
      LlvmValue *steps = b.CreateUDiv(b.CreateAdd(n.right.rowHigh, n.number(p.elements() - 1)), n.number(p.elements()));
      outside = most(b, inside, least(b, steps, end));
      fillRows(to, {block.first, outside, end});
    }
    smallest = packRows(column, to, {block.first, inside, outside}, {}, smallest);
  }
  if (p.inSlices()) return slices_.knownKey();
  return p.isBf16() ? leastBits(b, smallest) : nullptr;
}

LlvmValue *PanelPacker::packTransposed(const NestBlock &block, LlvmValue *column, const PackedPanels &to) {
  if (p.inSlices()) return packTransposedSlices(block, column, to);
  reader_.stageTransposed(
      false, column, columnsOf(to), block.first, block.depth, [&](const LlvmValues &lines, LlvmValue *k, LlvmValue *at) {
        for (int i = 0; i < p.lanes(); ++i)
          b.CreateAlignedStore(lines[static_cast<size_t>(i)], packedAt(to, packedLine(to, b.CreateAdd(k, n.number(i))), at),
                               n.vectorAlign());
      });
  if (p.movesLeft) sumPackedColumns(block, to);
  if (!p.isBf16()) return nullptr;
  LlvmValue *lines =
      to.panels ? b.CreateMul(block.depth, to.panels) : block.depth; // with AMX, depths are whole registers, so there is no gap
  return leastMagnitude(b, {to.first, lines, n.number(p.panelPitch()), n.number(p.panelPitch())}, p.lanes());
}

// Packs rows that are in bounds, of one panel or two.
LlvmValue *PanelPacker::packInside(LlvmValue *column, const PackedPanels &to, StepRange steps) {
  XT_CHECK(p.panelColumns() * (to.panels ? kMostPanels : 1) <= 64 && (!to.panels || e_.context.cpu.maskedAccess),
           "insideBits are of 64 columns");
  LlvmValue *bits = e_.context.cpu.maskedAccess ? e_.tiles.insideBits(n.right, n.right.columnHigh, column) : n.number(-1);
  auto pack = [&](int64_t panels) {
    return LlvmValues{packRows(column, to, steps, {bits, panels * p.panelColumns()}, leastOfNone(b, p.lanes()))};
  };
  if (p.inSlices()) return pack(kMostPanels)[0]; // packs one panel or two, but prefetches the columns of two
  if (!to.panels) return pack(1)[0];
  return ifElse(b, b.CreateICmpSGT(to.panels, n.number(1)), [&] { return pack(kMostPanels); }, [&] { return pack(1); })[0];
}

// Whether all rows of `b` after those of insideSteps() are out of bounds.
bool PanelPacker::endsInside() const {
  const TileAccess &from = n.right;
  return from.unitStride && from.pack == 1 && e_.context.cpu.maskedAccess && !p.inWords() &&
         TileMemory::isKnownZero(from.rowLow);
}

void PanelPacker::fillRows(const PackedPanels &to, StepRange steps) {
  XT_CHECK(!p.movesRight, "these are stored as they are multiplied");
  forLoop(b, steps.begin, steps.end, n.number(1), [&](LlvmValue *step) {
    LlvmValue *line = packedLine(to, b.CreateSub(step, steps.first));
    forLoop(b, n.number(0), columnsOf(to), n.number(p.lanes()), [&](LlvmValue *column) {
      LlvmValue *at = packedAt(to, line, column);
      for (int i = 0; i < p.slices(); ++i)
        b.CreateAlignedStore(e_.context.ops.zero(p.elem, p.lanes()),
                             byteOffset(b, at, n.number(i * TileMicrokernel::kDepth * p.panelPitch())), n.vectorAlign());
    });
  });
}

// Returns the end of those first steps of the block whose rows are in bounds of `b` and contiguous in memory. Without masked
// loads, all columns of the panel that are multiplied must be in bounds, too.
LlvmValue *PanelPacker::insideSteps(const NestBlock &block, LlvmValue *column, const PackedPanels &to) {
  const TileAccess &from = n.right;
  if (!from.unitStride || from.pack != 1) return block.first;
  LlvmValue *inside = e_.tiles.isFromLow(b.CreateMul(block.first, n.number(p.elements())), from.rowLow);
  if (!e_.context.cpu.maskedAccess) {
    LlvmValue *end = b.CreateAdd(column, columnsOf(to));
    inside =
        b.CreateAnd(inside, b.CreateAnd(b.CreateICmpSLE(end, from.columnHigh), e_.tiles.isFromLow(column, from.columnLow)));
  }
  LlvmValue *end = least(b, b.CreateUDiv(from.rowHigh, n.number(p.elements())), b.CreateAdd(block.first, block.depth));
  return b.CreateSelect(inside, most(b, end, block.first), block.first);
}

// Packs rows of `b`. Returns the least magnitude (leastWith) of `least` and these rows.
LlvmValue *PanelPacker::packRows(LlvmValue *column, const PackedPanels &to, StepRange steps, const InsideColumns &inside,
                                 LlvmValue *least) {
  const bool sumsColumns = p.movesLeft && wordsTogether(inside) > 0;
  LlvmValues known =
      forLoop(b, steps.begin, steps.end, n.number(1), sumsColumns ? n.panelRow(columnSumsOf(to)) : LlvmValues{least},
              [&](LlvmValue *step, llvm::ArrayRef<LlvmValue *> carried) {
                LlvmValue *line = packedLine(to, b.CreateSub(step, steps.first));
                if (inside.bits) prefetchRows(step, column, inside.columns);
                if (p.inSlices()) {
                  packPairs(step, column, line, to, inside);
                  return LlvmValues{carried[0]};
                }
                if (p.inWords()) return packWords(step, column, line, to, inside, LlvmValues(carried));
                const TileAccess &from = n.right;
                RowAccess row = inside.bits ? RowAccess{byteOffset(b, from.origin, e_.tiles.rowDistance(from, step)), nullptr}
                                            : e_.tiles.accessRow(from, step);
                auto pack = [&](LlvmValue *at) {
                  // The registers of a narrow panel that are not multiplied may be past the end of `b`: the first register is
                  // loaded instead.
                  LlvmValue *read =
                      to.width && inside.bits ? b.CreateSelect(b.CreateICmpSLT(at, to.width), at, n.number(0)) : at;
                  LlvmValue *value = n.multiplied(from.elem, panelChunk(row, column, read, inside.bits, p.lanes()));
                  b.CreateAlignedStore(value, byteOffset(b, line, b.CreateMul(at, n.number(p.bytes()))), n.vectorAlign());
                };
                if (!inside.bits)
                  forLoop(b, n.number(0), columnsOf(to), n.number(p.lanes()), pack); // rare, so emitted as a loop
                else
                  for (int v = 0; v < p.tile.vectors; ++v) pack(n.number(v * p.lanes()));
                return LlvmValues{carried[0]};
              });
  if (!sumsColumns) return known[0];
  storePanelRow(known, columnSumsOf(to));
  return least;
}

// Prefetches rows that will be packed later: a panel has a short piece of each row, which the hardware does not prefetch. Lines
// are prefetched by the address of their last byte: if a piece begins within a line, that line is mostly the last one of the
// previous panel.
void PanelPacker::prefetchRows(LlvmValue *step, LlvmValue *column, int64_t columns) {
  const TileAccess &from = n.right;
  int64_t bytes = elemInfo(from.elem).storageBytes, width = columns * bytes;
  const bool toL1 = usesTiles(p.style) && !p.inSlices();
  LlvmValue *ahead = n.planned(&NestPlan::packPrefetchRows);
  LlvmValue *row = b.CreateAdd(b.CreateMul(step, n.number(p.elements())), ahead);
  LlvmValue *line =
      byteOffset(b, from.origin, b.CreateAdd(b.CreateMul(column, n.number(bytes)), b.CreateMul(row, from.rowStride)));
  for (int i = 0; i < p.elements(); ++i, line = byteOffset(b, line, from.rowStride)) {
    for (int64_t at = 0; at < width; at += kCacheLine)
      e_.tiles.prefetchLine(byteOffset(b, line, n.number(std::min(at + kCacheLine, width) - 1)), toL1);
  }
}

// Loads `count` adjacent columns of a row of a panel, from column `at` on.
LlvmValue *PanelPacker::panelChunk(const RowAccess &row, LlvmValue *column, LlvmValue *at, LlvmValue *inside, int count) {
  const TileAccess &from = n.right;
  LlvmValue *place = b.CreateAdd(column, at);
  if (!inside) return e_.tiles.loadChunk(from, row, place, count);
  LlvmValue *address = byteOffset(b, row.pointer, b.CreateMul(place, n.number(elemInfo(from.elem).storageBytes)));
  if (!e_.context.cpu.maskedAccess) return n.registerAt(from.elem, address, count);
  llvm::Type *type = e_.context.ops.storageType(from.elem, count);
  LlvmValue *mask = e_.tiles.laneMask(b.CreateLShr(inside, at), count);
  return b.CreateMaskedLoad(type, address, llvm::Align(1), mask, llvm::Constant::getNullValue(type));
}

// The address of column `at` of packed panels, in the row of K that is at address `line` in the first panel.
LlvmValue *PanelPacker::packedAt(const PackedPanels &to, LlvmValue *line, LlvmValue *at) {
  if (!to.panels) return byteOffset(b, line, b.CreateMul(at, n.number(p.bytes())));
  LlvmValue *wide = n.number(p.panelColumns()), *panel = b.CreateUDiv(at, wide), *distance = b.CreateMul(panel, to.panelStep);
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(panel)) distance = known->isZero() ? panel : to.panelStep;
  return byteOffset(b, byteOffset(b, line, distance), b.CreateMul(b.CreateURem(at, wide), n.number(p.bytes())));
}

} // namespace xt
