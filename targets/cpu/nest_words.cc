// Nests whose steps of K are words of 4 bytes: two bf16, four bytes, or two bytes as 16-bit integers. One instruction
// multiplies two words and adds up the products.
//
// Words of a are neighbours in memory, unless they are converted. Words of b are built from rows of K while a panel is packed.
#include "targets/cpu/nest_emitter.h"
#include "targets/cpu/register_transpose.h"

namespace xt {

// A register of words of one row, from `step` on.
LlvmValue *NestEmitter::wordsAlong(const KernelEmitter::TileAccess &from, const KernelEmitter::RowAccess &row,
                                   LlvmValue *step) {
  return asWords(from.elem, e_.loadChunk(from, row, b.CreateMul(step, number(elements_)), elements_ * lanes_));
}

LlvmValue *NestEmitter::asWords(Elem from, LlvmValue *chunk) {
  return b.CreateBitCast(inStaged(from, chunk), e_.ops_.type(elem_, lanes_));
}

// Converts elements to stagedElem, both in storage form.
LlvmValue *NestEmitter::inStaged(Elem from, LlvmValue *chunk) {
  if (stagedElem(from) == from) return chunk;
  auto *type = chunk->getType()->getWithNewType(b.getInt16Ty());
  return elemInfo(from).isUnsigned ? b.CreateZExt(chunk, type) : b.CreateSExt(chunk, type);
}

// K may end within a word. The padding of a is -0, so that its product with the 0 of b does not change a sum of -0. Such rows
// are always staged, because they end within the range that is read.
void NestEmitter::fillLastWord(const Block &block) {
  LlvmValue *isOdd = b.CreateICmpNE(b.CreateAnd(elementDepth_, number(1)), number(0));
  LlvmValue *behind = b.CreateSub(elementDepth_, b.CreateMul(block.first, number(elements_)));
  forLoop(b, number(0), b.CreateSelect(b.CreateAnd(isOdd, block.isLast), rows_, number(0)), number(1), [&](LlvmValue *row) {
    LlvmValue *at = byteOffset(b, rowOf(kNestLeft, row), b.CreateMul(behind, number(elemInfo(Elem::BF16).storageBytes)));
    b.CreateAlignedStore(b.getInt16(0x8000), at, llvm::Align(2));
  });
}

// The rows of a step. Rows that are known to be in bounds have only an address.
std::vector<KernelEmitter::RowAccess> NestEmitter::rowsOf(const KernelEmitter::TileAccess &from, LlvmValue *step, bool inside) {
  std::vector<KernelEmitter::RowAccess> rows;
  LlvmValue *first = b.CreateMul(step, number(elements_)),
            *line = byteOffset(b, from.origin, b.CreateMul(first, from.rowStride));
  for (int i = 0; i < elements_; ++i) {
    if (inside && i > 0) line = byteOffset(b, line, from.rowStride);
    rows.push_back(inside ? KernelEmitter::RowAccess{line, nullptr} : e_.accessRow(from, b.CreateAdd(first, number(i))));
  }
  return rows;
}

// The words of a step in `lanes_` columns; `inside`: they are known to be in bounds. The rows are far apart, and the hardware
// does not prefetch them: those of the next words of these columns are prefetched if that is half a line or more of each. With
// AMX bf16 2048x2048x2048 of a turned a takes 0.93 of the time, 1024x1024x1024 that comes from memory 0.97; bytes would take
// 1.02 (Intel Xeon with AMX).
LlvmValue *NestEmitter::wordsAcross(const KernelEmitter::TileAccess &from, LlvmValue *step, LlvmValue *column, bool inside) {
  llvm::Type *type = e_.ops_.storageType(from.elem, lanes_);
  const int64_t elementBytes = elemInfo(from.elem).storageBytes;
  const bool asks = inside && 2 * elementBytes * lanes_ >= kCacheLine;
  LlvmValue *bytes = b.CreateMul(column, number(elementBytes)),
            *ahead = b.CreateMul(from.rowStride, number(elements_ * lanes_));
  LlvmValues chunks;
  for (const KernelEmitter::RowAccess &row : rowsOf(from, step, inside)) {
    LlvmValue *address = inside ? byteOffset(b, row.pointer, bytes) : nullptr;
    if (asks) e_.askFor(byteOffset(b, address, ahead));
    chunks.push_back(inStaged(from.elem, inside ? b.CreateAlignedLoad(type, address, llvm::Align(1))
                                                : e_.loadChunk(from, row, column, lanes_)));
  }
  return sideBySide(b, e_.ops_, stagedElem(from.elem), chunks, elem_, lanes_);
}

// The number of registers of a row of panels whose words are built at once; 0: one at a time, in a loop.
int64_t NestEmitter::wordsTogether(const Inside &inside) const {
  const int64_t registers = inside.columns / lanes_, together = registers % elements_ == 0 ? elements_ : 2;
  return inside.bits && registers % together == 0 ? together : 0;
}

// Packs a row of panels of b, several registers at once if the rows are in bounds. `known` and the result are the least
// magnitude, or the column sums register by register, unless these are in memory.
LlvmValues NestEmitter::packWords(LlvmValue *step, LlvmValue *column, LlvmValue *line, const Packed &to, const Inside &inside,
                                  LlvmValues known) {
  const int64_t together = wordsTogether(inside);
  std::vector<KernelEmitter::RowAccess> rows = rowsOf(right_.access, step, inside.bits != nullptr);
  auto chunksAt = [&](LlvmValue *n, int64_t count) {
    LlvmValues chunks;
    for (const KernelEmitter::RowAccess &row : rows)
      chunks.push_back(inStaged(right_.access.elem, panelChunk(row, column, n, inside.bits, static_cast<int>(count))));
    return chunks;
  };
  auto put = [&](LlvmValue *words, LlvmValue *n, LlvmValue *before) {
    b.CreateAlignedStore(movedRight(words), packedAt(to, line, n), vectorAlign());
    return isBf16() ? leastWith(b, before, words) : movesLeft_ ? addedToColumn(before, words) : before;
  };
  if (together > 0) {
    for (int64_t v = 0; v < inside.columns / lanes_; v += together) {
      LlvmValues words = allSideBySide(b, e_.ops_, chunksAt(number(v * lanes_), together * lanes_), elem_, lanes_);
      for (int64_t i = 0; i < together; ++i) {
        LlvmValue *&each = known[movesLeft_ ? static_cast<size_t>(v + i) : 0];
        each = put(words[static_cast<size_t>(i)], number((v + i) * lanes_), each);
      }
    }
    return known;
  }
  LlvmValue *columns = inside.bits ? number(inside.columns) : columnsOf(to);
  return forLoop(b, number(0), columns, number(lanes_), known, [&](LlvmValue *n, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValue *words = sideBySide(b, e_.ops_, stagedElem(right_.access.elem), chunksAt(n, lanes_), elem_, lanes_);
    if (!movesLeft_) return LlvmValues{put(words, n, carried[0])};
    LlvmValue *at = byteOffset(b, columnSumsOf(to), b.CreateMul(n, number(bytes_)));
    b.CreateAlignedStore(put(words, n, b.CreateAlignedLoad(words->getType(), at, vectorAlign())), at, vectorAlign());
    return LlvmValues(carried);
  });
}

// Converts signed bytes to unsigned bytes that are 128 more, or the reverse.
LlvmValue *NestEmitter::moved(LlvmValue *words) { return b.CreateXor(words, e_.ops_.splat(b.getInt32(0x80808080), lanes_)); }

// The registers of a row of a packed panel, or of the row of facts behind it.
LlvmValues NestEmitter::panelRow(LlvmValue *at) {
  LlvmValues registers;
  for (int v = 0; v < tile_.vectors; ++v)
    registers.push_back(
        b.CreateAlignedLoad(e_.ops_.type(elem_, lanes_), byteOffset(b, at, number(v * lanes_ * bytes_)), vectorAlign()));
  return registers;
}

void NestEmitter::storePanelRow(const LlvmValues &registers, LlvmValue *at) {
  for (int v = 0; v < tile_.vectors; ++v)
    b.CreateAlignedStore(registers[static_cast<size_t>(v)], byteOffset(b, at, number(v * lanes_ * bytes_)), vectorAlign());
}

// Adds the bytes in words of b to the sums of their columns.
LlvmValue *NestEmitter::addedToColumn(LlvmValue *sum, LlvmValue *words) {
  LlvmValue *ones = llvm::ConstantInt::get(words->getType(), 0x01010101);
  return elemInfo(right_.access.elem).isUnsigned ? microkernel_.dotBytes(sum, words, ones)
                                                 : microkernel_.dotBytes(sum, ones, words);
}

// Sums the columns of a panel that was packed from a turned b.
void NestEmitter::sumPackedColumns(const Block &block, const Packed &to) {
  LlvmValues sums = forLoop(b, number(0), block.depth, number(1), panelRow(columnSumsOf(to)),
                            [&](LlvmValue *step, llvm::ArrayRef<LlvmValue *> carried) {
                              LlvmValues words = panelRow(packedLine(to, step)), next;
                              for (size_t v = 0; v < words.size(); ++v) next.push_back(addedToColumn(carried[v], words[v]));
                              return next;
                            });
  storePanelRow(sums, columnSumsOf(to));
}

// Turns column sums of b into corrections for a moved a: signed bytes were moved up by 128, unsigned ones down by 128.
void NestEmitter::turnColumnSums(LlvmValue *at) {
  LlvmValues sums = panelRow(at);
  LlvmValue *factor =
      e_.ops_.splat(b.getInt32(static_cast<uint32_t>(elemInfo(left_.access.elem).isUnsigned ? 128 : -128)), lanes_);
  for (LlvmValue *&sum : sums) sum = b.CreateMul(sum, factor);
  storePanelRow(sums, at);
}

// Computes for each row of a the correction for a b moved by 128, a few rows at a time. Rows behind the last one repeat it.
void NestEmitter::sumLeftRows(const Block &block) {
  constexpr int kRows = 4;
  bool leftSigned = !elemInfo(left_.access.elem).isUnsigned;
  llvm::Type *type = e_.ops_.type(Elem::I32, lanes_);
  LlvmValue *ones = llvm::ConstantInt::get(type, 0x01010101), *last = b.CreateSub(rows_, number(1));
  const LlvmValues zeros(kRows, llvm::Constant::getNullValue(type));
  llvm::SmallVector<uint32_t, 16> places;
  for (int i = 0; i < lanes_; ++i) places.push_back(static_cast<uint32_t>(i * bytes_));
  LlvmValue *place = llvm::ConstantDataVector::get(b.getContext(), places), *rowBytes = leftBytes(block);
  forLoop(b, number(0), rows_, number(kRows), [&](LlvmValue *row) {
    LlvmValues lines;
    for (int r = 0; r < kRows; ++r)
      lines.push_back(byteOffset(b, block.left, b.CreateMul(least(b.CreateAdd(row, number(r)), last), leftRowStep_)));
    auto step = [&](LlvmValue *at, llvm::ArrayRef<LlvmValue *> carried) {
      LlvmValues next;
      // The last register ends with the row; words that it shares with the register before are counted only once.
      LlvmValue *from = least(at, b.CreateSub(rowBytes, number(lanes_ * bytes_))),
                *again = b.CreateTrunc(b.CreateSub(at, from), b.getInt32Ty());
      LlvmValue *counts = b.CreateICmpUGE(place, e_.ops_.splat(again, lanes_));
      for (int r = 0; r < kRows; ++r) {
        LlvmValue *all = b.CreateAlignedLoad(type, byteOffset(b, lines[static_cast<size_t>(r)], from), llvm::Align(1)),
                  *sum = carried[static_cast<size_t>(r)];
        LlvmValue *words = b.CreateSelect(counts, all, zeros[0]);
        next.push_back(leftSigned ? microkernel_.dotBytes(sum, ones, words) : microkernel_.dotBytes(sum, words, ones));
      }
      return next;
    };
    LlvmValues partial = forLoop(b, number(0), rowBytes, number(lanes_ * bytes_), zeros, step);
    LlvmValue *sums = combineRows(b, partial, [&](LlvmValue *x, LlvmValue *y) { return b.CreateAdd(x, y); });
    LlvmValue *moved = b.CreateMul(sums, e_.ops_.splat(b.getInt32(static_cast<uint32_t>(leftSigned ? -128 : 128)), kRows));
    b.CreateAlignedStore(moved, byteOffset(b, addressOf(kNestRowSums), b.CreateMul(row, number(bytes_))),
                         llvm::Align(kRows * 4));
  });
}

// Multiplies a register tile of bytes, from `row` of a on.
LlvmValues NestEmitter::multiplyBytes(const Panel &panel, const Microkernel::Operands &operands, LlvmValue *row,
                                      LlvmValues sums) {
  size_t vectors = operands.columns.size();
  if (movesLeft_) {
    LlvmValues starts = panelRow(panel.columnSums);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b.CreateAdd(sums[i], starts[i % vectors]);
  }
  if (movesRight_) {
    LlvmValue *last = b.CreateSub(rows_, number(1));
    for (int r = 0; r < operands.rows; ++r) {
      LlvmValue *at = least(b.CreateAdd(row, number(r)), last);
      LlvmValue *address = byteOffset(b, addressOf(kNestRowSums), b.CreateMul(at, number(bytes_)));
      LlvmValue *moved = e_.ops_.splat(b.CreateAlignedLoad(b.getInt32Ty(), address, llvm::Align(4)), lanes_);
      for (size_t v = 0; v < vectors; ++v) {
        LlvmValue *&sum = sums[static_cast<size_t>(r) * vectors + v];
        sum = b.CreateAdd(sum, moved);
      }
    }
  }
  return microkernel_.multiply(operands, std::move(sums),
                               style_ == ProductStyle::DotShorts ? Microkernel::Step::DotShorts : Microkernel::Step::DotBytes);
}

// The initial values of the products. Earlier sums are added only after the loop, because they would need registers during it.
// If sums start at 0, most tiles skip the addition, which saves 3% of 128x128x128 (Zen 5).
LlvmValues NestEmitter::pairsBegin(const Panel &panel, const Microkernel::Operands &operands) {
  LlvmValue *start = b.CreateSelect(panel.begins, e_.ops_.zero(elem_, lanes_), microkernel_.negativeZero());
  return LlvmValues(static_cast<size_t>(operands.rows) * operands.columns.size(), start);
}

void NestEmitter::storePairs(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands,
                             const LlvmValues &products) {
  auto added = [&] {
    LlvmValues sums = sumsBefore(panel, tile, operands);
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b.CreateFAdd(sums[i], products[i]);
    return sums;
  };
  const bool isLarge = operands.rows == tile_.rows && std::ssize(operands.columns) == tile_.vectors;
  storeSums(panel, tile, operands, isLarge ? ifElse(b, panel.begins, [&] { return products; }, added) : added());
}

// Multiplies a register tile of pairs. Returns whether rows of a hold numbers that the instruction treats as 0; nothing is
// stored then. They are found while multiplying: scanning a first would take 5% of 8192x64x64, 3% of 128x128x128, 1.5% of
// 1024x1024x1024 (Zen 5).
LlvmValues NestEmitter::multiplyPairs(const Block &block, const Panel &panel, const Tile &tile,
                                      Microkernel::Operands &operands) {
  operands.lastLooked = b.CreateSub(leftBytes(block), number(lanes_ * bytes_));
  LlvmValues products = microkernel_.multiply(operands, pairsBegin(panel, operands), Microkernel::Step::DotBf16);
  LlvmValue *missed = isLeastBelow(b, products.pop_back_val(), panel.leftLeast);
  ifThen(b, b.CreateNot(missed), [&] { storePairs(panel, tile, operands, products); });
  return {missed};
}

// Returns the result of `multiply` for a tile. Once a tile of a panel has missed, it and all later ones are converted without
// trying `multiply`.
LlvmValues NestEmitter::missedOrConverted(const Block &block, const Panel &panel, const Tile &tile, LlvmValue *missedBefore,
                                          llvm::function_ref<LlvmValues()> multiply) {
  LlvmValues missed = ifElse(b, missedBefore, [&] { return LlvmValues{b.getTrue()}; }, multiply);
  ifThen(b, missed[0], [&] { convertTile(block, panel, tile); });
  return missed;
}

// Computes the rows of a tile again, half as many at a time, with conversion.
void NestEmitter::convertTile(const Block &block, const Panel &panel, const Tile &tile) {
  RegisterTile few = tile_;
  few.rows = (tile_.rows + 1) / 2;
  forLoop(b, tile.row, tile.rowEnd, number(few.rows), [&](LlvmValue *row) {
    LlvmValue *rows = b.CreateSub(row, tile.row);
    // Moves the place of the sums so that sumsAt returns that of this row.
    auto movedOn = [&](Sums sums) {
      return Sums{byteOffset(b, sums.first, b.CreateMul(rows, b.CreateSub(sums.step, sums.tileStep))), sums.step,
                  sums.tileStep};
    };
    Panel from = panel;
    from.before = movedOn(panel.before), from.after = movedOn(panel.after);
    Tile part{tile.index, row, tile.rowEnd};
    Microkernel::Operands operands = operandsOf(block, from, few, part);
    storePairs(from, part, operands, microkernel_.multiply(operands, pairsBegin(from, operands), Microkernel::Step::PairsBf16));
  });
}

} // namespace xt
