// What a nest copies before it multiplies: packs panels of b, and stages rows of a that cannot be read in place.
#include "targets/cpu/nest_emitter.h"

#include "ir/base/check.h"
#include "targets/cpu/register_transpose.h"

#include <algorithm>

namespace xt {

LlvmValue *NestEmitter::multiplied(Elem from, LlvmValue *chunk) {
  LlvmValue *value = e_.ops_.fromStorage(from, chunk);
  return from == elem_ ? value : e_.ops_.mmaOperand(value, from);
}

LlvmValue *NestEmitter::registerAt(Elem from, LlvmValue *at, int count) {
  return b.CreateAlignedLoad(e_.ops_.storageType(from, count), at, llvm::Align(1));
}

LlvmValue *NestEmitter::inAllLanes(Elem from, LlvmValue *at) {
  return multiplied(from, e_.ops_.splat(registerAt(from, at, 0), lanes_));
}

void NestEmitter::stageLeft(const Block &block) {
  if (inSlices()) forgetKey();
  const int64_t each = inSlices() ? elements_ : 1; // elements that are read per step
  LlvmValue *first = b.CreateMul(block.first, number(each)), *depth = b.CreateMul(block.depth, number(each));
  if (left_.turned) {
    stageTurned(true, first, depth, number(0), rows_, [&](const LlvmValues &lines, LlvmValue *row, LlvmValue *k) {
      for (int i = 0; i < lanes_; ++i)
        stageRow(rowOf(kNestLeft, b.CreateAdd(row, number(i))), k, lines[static_cast<size_t>(i)]);
    });
    return;
  }
  // A block has a piece of each row, and the hardware does not prefetch the start of the next piece. With AMX bf16
  // 1000x1000x1000 takes 0.83 of the time if the matrices come from memory, and 0.96 if they are in the L3 cache; f16 with AVX2
  // 0.97.
  constexpr int64_t kAhead = 4;
  KernelEmitter::TileAccess from = left_.access;
  from.ahead = b.CreateMul(from.rowStride, number(kAhead));
  forLoop(b, number(0), rows_, number(1), [&](LlvmValue *row) {
    KernelEmitter::RowAccess access = e_.accessRow(from, row);
    LlvmValue *line = rowOf(kNestLeft, row), *whole = stageWhole(from, access, line, first, depth);
    forLoop(b, whole, depth, number(lanes_), [&](LlvmValue *k) {
      LlvmValue *at = b.CreateAdd(first, k);
      if (readsWords()) return stageRow(line, k, wordsAlong(from, access, at));
      LlvmValue *chunk = e_.loadChunk(from, access, at, lanes_);
      stageRow(line, k, from.elem == leftElem_ ? chunk : multiplied(from.elem, chunk));
    });
  });
}

// Stages the first registers of a row of a, as far as they are in bounds, if they are converted or copied as words: four at a
// time, without branches. Returns the step where they end. f16 8192x64x64 takes 0.975 of the time, 256x256x256 0.98, bf16 and
// bytes 37x1111x513 0.96 to 0.98 (Zen 5).
LlvmValue *NestEmitter::stageWhole(const KernelEmitter::TileAccess &from, const KernelEmitter::RowAccess &row, LlvmValue *line,
                                   LlvmValue *first, LlvmValue *depth) {
  if (!from.unitStride || from.pack != 1 || inSlices() || (!inWords() && from.elem == leftElem_)) return number(0);
  const int64_t bytes = elements_ * elemInfo(from.elem).storageBytes, each = 4 * lanes_; // bytes per step; steps per iteration
  LlvmValue *element = b.CreateMul(first, number(elements_)), *elements = most(b.CreateSub(row.high, element), number(0));
  LlvmValue *inside =
      b.CreateSelect(e_.isFromLow(element, from.columnLow), b.CreateUDiv(elements, number(elements_)), number(0));
  LlvmValue *end = b.CreateAnd(least(inside, depth), number(-each)),
            *source = byteOffset(b, row.pointer, b.CreateMul(first, number(bytes)));
  forLoop(b, number(0), end, number(each), [&](LlvmValue *k) {
    LlvmValue *at = byteOffset(b, source, b.CreateMul(k, number(bytes)));
    for (int64_t byte = 0; byte < each * bytes; byte += kCacheLine)
      e_.askFor(byteOffset(b, byteOffset(b, at, from.ahead), number(byte)));
    for (int64_t i = 0; i < each; i += lanes_) {
      LlvmValue *chunk = registerAt(from.elem, byteOffset(b, at, number(i * bytes)), elements_ * lanes_);
      stageRow(line, b.CreateAdd(k, number(i)), inWords() ? asWords(from.elem, chunk) : multiplied(from.elem, chunk));
    }
  });
  return end;
}

// Stores a register of a staged row of a, from step `k` of the block on.
void NestEmitter::stageRow(LlvmValue *line, LlvmValue *k, LlvmValue *value) {
  if (inSlices()) return stageSlices(line, k, value);
  const int64_t bytes = leftElemBytes();
  b.CreateAlignedStore(value, byteOffset(b, line, b.CreateMul(k, number(bytes))),
                       llvm::Align(static_cast<uint64_t>(lanes_ * bytes)));
}

// A panel of a b that needs no conversion. Panels in bounds are read in place, or packed by the first tile of rows while it
// multiplies, which saves 7% of f32 144x1111x513 compared with packing first (Intel Xeon with AMX).
NestEmitter::Panel NestEmitter::plainPanel(const Block &block, LlvmValue *column, LlvmValue *isInside) {
  LlvmValue *source = sourceOf(block, column);
  LlvmValue *isRead = isInside, *copied = isCopied(block, isInside);
  if (LlvmValue *width = widthAt(column)) { // a narrow panel may be in bounds, too
    LlvmValue *isNarrow = b.CreateICmpSLT(width, number(panelColumns())),
              *ends = b.CreateICmpSLE(b.CreateAdd(column, width), columns_);
    isRead = b.CreateOr(isRead, b.CreateAnd(b.CreateAnd(isNarrow, ends), block.rightInside));
  }
  LlvmValue *isDirect = b.CreateAnd(holds(&NestPlan::rightInPlace), isRead);
  isDirect = b.CreateOr(isDirect, block.handsOn); // handsOn reads nothing
  LlvmValues packed = ifElse(
      b, isDirect, [&] { return LlvmValues{source, b.getFalse(), b.getFalse()}; },
      [&] {
        Panel panel = packPanel(block, column, copied);
        return LlvmValues{panel.right, panel.shared.found, panel.shared.mustFill};
      });
  Panel panel{};
  panel.column = column;
  panel.right = packed[0];
  panel.step = b.CreateSelect(isDirect, right_.access.rowStride, number(panelPitch()));
  panel.shared = {packed[0], packed[1], packed[2]};
  panel.source = source;
  panel.copies = b.CreateAnd(copied, panel.shared.mustFill);
  panel.asks = rules_.prefersInPlace ? b.CreateOr(panel.copies, isDirect) : panel.copies;
  return panel;
}

// Whether the first tile packs a panel that has to be packed.
LlvmValue *NestEmitter::isCopied(const Block &block, LlvmValue *isInside) {
  if (!rules_.mayCopy) return b.getFalse();
  return b.CreateAnd(b.CreateAnd(isInside, b.CreateNot(block.handsOn)), holds(&NestPlan::hasRowsToCopy));
}

// The address in b of the block's first row and the given column.
LlvmValue *NestEmitter::sourceOf(const Block &block, LlvmValue *column) {
  LlvmValue *first = byteOffset(b, right_.access.origin, b.CreateMul(block.first, right_.access.rowStride));
  return byteOffset(b, first, b.CreateMul(column, number(sourceBytes())));
}

// A packed panel: one that this or another workgroup packs for all, or the workgroup's own. If `copied` holds, it is not filled
// here.
NestEmitter::Panel NestEmitter::packPanel(const Block &block, LlvmValue *column, LlvmValue *copied) {
  Panel panel{column, addressOf(kNestPanel), number(panelPitch()), nullptr, {nullptr, b.getFalse(), b.getTrue()}};
  panel.panels = panelsFrom(block, column);
  panel.width = widthAt(column);
  if (shares_) {
    panel.shared = takePanel(block, panel);
    panel.right = b.CreateSelect(panel.shared.found, panel.shared.address, panel.right);
  }
  ifThen(b, b.CreateAnd(panel.shared.mustFill, b.CreateNot(copied)), [&] {
    fillPanel(block, panel);
    if (shares_) ifThen(b, panel.shared.found, [&] { e_.panelIsReady(panel.shared); });
  });
  if (rules_.mayAskForSource && !rules_.mayBeDirect) { // plainPanel sets them otherwise
    panel.source = sourceOf(block, column);
    panel.asks = panel.shared.mustFill;
    panel.copies = b.CreateAnd(copied, panel.shared.mustFill);
  }
  if (asksForLeast())
    panel.least = b.CreateAlignedLoad(b.getInt64Ty(), byteOffset(b, panel.right, behindPanels(block, panel)), llvm::Align(8));
  if (movesLeft_) panel.columnSums = byteOffset(b, panel.right, panelBytes(block));
  if (looksBeside()) panel.leftLeast = leastBeside(b, panel.least);
  return panel;
}

KernelEmitter::SharedPanel NestEmitter::takePanel(const Block &block, const Panel &panel) {
  LlvmValues key{panel.column, block.first, block.depth};
  for (LlvmValue *part : {panel.panels, panel.width})
    if (part) key.push_back(part);
  key.append(e_.parts_.at(op_.operand(1)));
  LlvmValue *isOwn = rules_.inTiles ? b.getFalse() : holds(&NestPlan::ownPanels);
  return e_.takePanel(shares_, isOwn, std::move(key), toNextPanel(block, panel));
}

// Bytes of a packed panel. Its rows of K are rounded up to a multiple of the lanes.
LlvmValue *NestEmitter::panelBytes(const Block &block) {
  LlvmValue *rows = b.CreateAnd(b.CreateAdd(block.depth, number(lanes_ - 1)), number(-lanes_));
  return b.CreateMul(rows, number(panelPitch() * slices_));
}

// The byte distance to the facts about the panels that are packed together.
LlvmValue *NestEmitter::behindPanels(const Block &block, const Panel &panel) {
  LlvmValue *bytes = panelBytes(block);
  return panel.panels ? b.CreateMul(bytes, panel.panels) : bytes;
}

// The byte distance of shared panels that were packed one after the other.
LlvmValue *NestEmitter::toNextPanel(const Block &block, const Panel &panel) {
  return b.CreateAdd(behindPanels(block, panel), number(movesLeft_ ? panelPitch() : kCacheLine));
}

// The address of column `n` of packed panels, in the row of K that is at `line` in the first panel.
LlvmValue *NestEmitter::packedAt(const Packed &to, LlvmValue *line, LlvmValue *n) {
  if (!to.panels) return byteOffset(b, line, b.CreateMul(n, number(bytes_)));
  LlvmValue *wide = number(panelColumns()), *panel = b.CreateUDiv(n, wide), *distance = b.CreateMul(panel, to.panelStep);
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(panel)) distance = known->isZero() ? panel : to.panelStep;
  return byteOffset(b, byteOffset(b, line, distance), b.CreateMul(b.CreateURem(n, wide), number(bytes_)));
}

void NestEmitter::fillPanel(const Block &block, const Panel &panel) {
  Packed to{panel.right, panelBytes(block), panel.panels, panel.width};
  if (movesLeft_) storePanelRow(LlvmValues(static_cast<size_t>(tile_.vectors), e_.ops_.zero(elem_, lanes_)), columnSumsOf(to));
  LlvmValue *smallest = packInto(block, panel.column, to);
  if (movesLeft_) turnColumnSums(columnSumsOf(to));
  if (asksForLeast()) b.CreateAlignedStore(smallest, byteOffset(b, panel.right, behindPanels(block, panel)), llvm::Align(8));
}

// Returns the least magnitude of bf16, or the key of sliced floats.
LlvmValue *NestEmitter::packInto(const Block &block, LlvmValue *column, const Packed &to) {
  if (inSlices()) forgetKey();
  if (right_.turned) return packTurned(block, column, to);
  LlvmValue *inside = insideSteps(block, column, to), *end = b.CreateAdd(block.first, block.depth);
  LlvmValue *smallest = packInside(column, to, {block.first, block.first, inside});
  if (endsInside()) {
    fillRows(to, {block.first, inside, end});
  } else {
    LlvmValue *outside = end;
    if (usesTiles(style_)) { // tiles are whole, and may have many steps behind b
      LlvmValue *steps = b.CreateUDiv(b.CreateAdd(right_.access.rowHigh, number(elements_ - 1)), number(elements_));
      outside = most(inside, least(steps, end));
      fillRows(to, {block.first, outside, end});
    }
    smallest = packRows(column, to, {block.first, inside, outside}, {}, smallest);
  }
  if (inSlices()) return knownKey();
  return isBf16() ? leastBits(b, smallest) : nullptr;
}

LlvmValue *NestEmitter::packTurned(const Block &block, LlvmValue *column, const Packed &to) {
  if (inSlices()) return packTurnedSlices(block, column, to);
  stageTurned(false, column, columnsOf(to), block.first, block.depth, [&](const LlvmValues &lines, LlvmValue *k, LlvmValue *n) {
    for (int i = 0; i < lanes_; ++i)
      b.CreateAlignedStore(lines[static_cast<size_t>(i)], packedAt(to, packedLine(to, b.CreateAdd(k, number(i))), n),
                           vectorAlign());
  });
  if (movesLeft_) sumPackedColumns(block, to);
  if (!isBf16()) return nullptr;
  LlvmValue *lines =
      to.panels ? b.CreateMul(block.depth, to.panels) : block.depth; // AMX's depths are whole registers, so there is no gap
  return leastMagnitude(b, {to.first, lines, number(panelPitch()), number(panelPitch())}, lanes_);
}

// Packs rows that are in bounds, of one panel or two.
LlvmValue *NestEmitter::packInside(LlvmValue *column, const Packed &to, Steps steps) {
  XT_CHECK(panelColumns() * (to.panels ? kMostPanels : 1) <= 64 && (!to.panels || e_.cpu_.maskedAccess),
           "insideBits are of 64 columns");
  LlvmValue *bits = e_.cpu_.maskedAccess ? e_.insideBits(right_.access, right_.access.columnHigh, column) : number(-1);
  auto pack = [&](int64_t panels) {
    return LlvmValues{packRows(column, to, steps, {bits, panels * panelColumns()}, leastOfNone(b, lanes_))};
  };
  if (inSlices()) return pack(kMostPanels)[0]; // as many columns as there are; those of two panels are prefetched
  if (!to.panels) return pack(1)[0];
  return ifElse(b, b.CreateICmpSGT(to.panels, number(1)), [&] { return pack(kMostPanels); }, [&] { return pack(1); })[0];
}

// Whether all rows of b behind those of insideSteps are out of bounds.
bool NestEmitter::endsInside() const {
  const KernelEmitter::TileAccess &from = right_.access;
  return from.unitStride && from.pack == 1 && e_.cpu_.maskedAccess && !inWords() && KernelEmitter::isKnownZero(from.rowLow);
}

void NestEmitter::fillRows(const Packed &to, Steps steps) {
  XT_CHECK(!movesRight_, "these are stored as they are multiplied");
  forLoop(b, steps.begin, steps.end, number(1), [&](LlvmValue *step) {
    LlvmValue *line = packedLine(to, b.CreateSub(step, steps.first));
    forLoop(b, number(0), columnsOf(to), number(lanes_), [&](LlvmValue *n) {
      LlvmValue *at = packedAt(to, line, n);
      for (int i = 0; i < slices_; ++i)
        b.CreateAlignedStore(e_.ops_.zero(elem_, lanes_), byteOffset(b, at, number(i * TileMicrokernel::kDepth * panelPitch())),
                             vectorAlign());
    });
  });
}

// The end of the block's first steps of K whose rows are in bounds of b and contiguous in memory. Without masked loads, all
// columns of the panel that are multiplied must be in bounds, too.
LlvmValue *NestEmitter::insideSteps(const Block &block, LlvmValue *column, const Packed &to) {
  const KernelEmitter::TileAccess &from = right_.access;
  if (!from.unitStride || from.pack != 1) return block.first;
  LlvmValue *inside = e_.isFromLow(b.CreateMul(block.first, number(elements_)), from.rowLow);
  if (!e_.cpu_.maskedAccess) {
    LlvmValue *end = b.CreateAdd(column, columnsOf(to));
    inside = b.CreateAnd(inside, b.CreateAnd(b.CreateICmpSLE(end, from.columnHigh), e_.isFromLow(column, from.columnLow)));
  }
  LlvmValue *end = least(b.CreateUDiv(from.rowHigh, number(elements_)), b.CreateAdd(block.first, block.depth));
  return b.CreateSelect(inside, most(end, block.first), block.first);
}

// Packs rows of b. Returns the least magnitude (leastWith) of `least` and these rows.
LlvmValue *NestEmitter::packRows(LlvmValue *column, const Packed &to, Steps steps, const Inside &inside, LlvmValue *least) {
  const bool sumsColumns = movesLeft_ && wordsTogether(inside) > 0;
  LlvmValues known =
      forLoop(b, steps.begin, steps.end, number(1), sumsColumns ? panelRow(columnSumsOf(to)) : LlvmValues{least},
              [&](LlvmValue *step, llvm::ArrayRef<LlvmValue *> carried) {
                LlvmValue *line = packedLine(to, b.CreateSub(step, steps.first));
                if (inside.bits) prefetchRows(step, column, inside.columns);
                if (inSlices()) {
                  packPairs(step, column, line, to, inside);
                  return LlvmValues{carried[0]};
                }
                if (inWords()) return packWords(step, column, line, to, inside, LlvmValues(carried));
                const KernelEmitter::TileAccess &from = right_.access;
                KernelEmitter::RowAccess row =
                    inside.bits ? KernelEmitter::RowAccess{byteOffset(b, from.origin, e_.rowDistance(from, step)), nullptr}
                                : e_.accessRow(from, step);
                auto pack = [&](LlvmValue *n) {
                  // Registers that a narrow panel does not multiply may lie behind b: the first one is loaded instead.
                  LlvmValue *read = to.width && inside.bits ? b.CreateSelect(b.CreateICmpSLT(n, to.width), n, number(0)) : n;
                  LlvmValue *value = multiplied(from.elem, panelChunk(row, column, read, inside.bits, lanes_));
                  b.CreateAlignedStore(value, byteOffset(b, line, b.CreateMul(n, number(bytes_))), vectorAlign());
                };
                if (!inside.bits)
                  forLoop(b, number(0), columnsOf(to), number(lanes_), pack); // rare, so emitted as a loop
                else
                  for (int v = 0; v < tile_.vectors; ++v) pack(number(v * lanes_));
                return LlvmValues{carried[0]};
              });
  if (!sumsColumns) return known[0];
  storePanelRow(known, columnSumsOf(to));
  return least;
}

// A panel has a short piece of each row, which the hardware does not prefetch. Lines are prefetched by their last bytes: if a
// piece begins within a line, that line is mostly the last one of the panel before. This saves 4% of bytes of 37x1111x513 and
// 3% of 1000x1000x1000 (Zen 5).
void NestEmitter::prefetchRows(LlvmValue *step, LlvmValue *column, int64_t columns) {
  const KernelEmitter::TileAccess &from = right_.access;
  int64_t bytes = elemInfo(from.elem).storageBytes, width = columns * bytes;
  const bool toFirst = usesTiles(style_) && !inSlices(); // saves 5% of bf16 and bytes of 256 to 512
  LlvmValue *ahead = planned(&NestPlan::packAhead);
  LlvmValue *row = b.CreateAdd(b.CreateMul(step, number(elements_)), ahead);
  LlvmValue *line =
      byteOffset(b, from.origin, b.CreateAdd(b.CreateMul(column, number(bytes)), b.CreateMul(row, from.rowStride)));
  for (int i = 0; i < elements_; ++i, line = byteOffset(b, line, from.rowStride)) {
    for (int64_t at = 0; at < width; at += kCacheLine)
      e_.askFor(byteOffset(b, line, number(std::min(at + kCacheLine, width) - 1)), toFirst);
  }
}

// Loads `count` neighbouring columns of a panel, from column `n` on.
LlvmValue *NestEmitter::panelChunk(const KernelEmitter::RowAccess &row, LlvmValue *column, LlvmValue *n, LlvmValue *inside,
                                   int count) {
  const KernelEmitter::TileAccess &from = right_.access;
  LlvmValue *at = b.CreateAdd(column, n);
  if (!inside) return e_.loadChunk(from, row, at, count);
  LlvmValue *address = byteOffset(b, row.pointer, b.CreateMul(at, number(elemInfo(from.elem).storageBytes)));
  if (!e_.cpu_.maskedAccess) return registerAt(from.elem, address, count);
  llvm::Type *type = e_.ops_.storageType(from.elem, count);
  LlvmValue *mask = e_.laneMask(b.CreateLShr(inside, n), count);
  return b.CreateMaskedLoad(type, address, llvm::Align(1), mask, llvm::Constant::getNullValue(type));
}

void NestEmitter::stageTurned(bool ofLeft, LlvmValue *row, LlvmValue *rows, LlvmValue *column, LlvmValue *columns,
                              llvm::function_ref<void(const LlvmValues &, LlvmValue *, LlvmValue *)> put) {
  const KernelEmitter::TileAccess &from = ofLeft ? left_.access : right_.access;
  // The inner loop goes along the rows, whose elements are neighbours in memory.
  forLoop(b, number(0), rows, number(lanes_), [&](LlvmValue *r) {
    forLoop(b, number(0), columns, number(lanes_), [&](LlvmValue *c) {
      LlvmValue *firstRow = b.CreateAdd(row, r), *firstColumn = b.CreateAdd(column, c);
      auto any = [&] { return squareAt(ofLeft, firstRow, firstColumn); };
      LlvmValues lines = !readsWords() && from.unitStride && from.pack == 1
                             ? ifElse(
                                   b, e_.areInside(from, {firstRow, lanes_}, {firstColumn, lanes_}),
                                   [&] {
                                     // Rows are far apart, and the hardware does not prefetch them. Prefetches those of the next square, even behind the
                                     // last one.
                                     KernelEmitter::TileAccess withAhead = from;
                                     withAhead.ahead = b.CreateMul(from.rowStride, number(lanes_));
                                     LlvmValues inside = e_.insideSquare(withAhead, firstRow, firstColumn, lanes_);
                                     for (LlvmValue *&line : inside) line = multiplied(from.elem, line);
                                     return inside;
                                   },
                                   any)
                             : any();
      transposeRegisters(b, lines);
      put(lines, c, r);
    });
  });
}

LlvmValues NestEmitter::squareAt(bool ofLeft, LlvmValue *row, LlvmValue *column) {
  const KernelEmitter::TileAccess &from = ofLeft ? left_.access : right_.access;
  auto square = [&](bool inside) {
    return e_.squareOf(e_.ops_.type(elem_, lanes_), number(lanes_), [&](LlvmValue *i) {
      LlvmValue *at = b.CreateAdd(row, i);
      if (!readsWords()) return multiplied(from.elem, e_.loadChunk(from, e_.accessRow(from, at), column, lanes_));
      return ofLeft ? wordsAcross(from, at, column, inside) : movedRight(wordsAlong(from, e_.accessRow(from, at), column));
    });
  };
  if (!readsWords() || !ofLeft || !from.unitStride || from.pack != 1) return square(false);
  LlvmValue *inside = e_.areInside(from, {b.CreateMul(row, number(elements_)), elements_ * lanes_}, {column, lanes_});
  return ifElse(b, inside, [&] { return square(true); }, [&] { return square(false); });
}

} // namespace xt
