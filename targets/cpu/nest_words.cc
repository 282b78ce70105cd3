// Nests whose steps of K are words of 4 bytes: two bf16, four bytes or two bytes as numbers of 16 bits, which one instruction
// multiplies and adds up.
//
// Words of a are neighbours in memory, but for those that are converted. Words of b are made of rows of K while a panel is packed.
#include "targets/cpu/nest_emitter.h"
#include "targets/cpu/register_transpose.h"

namespace xt {

// Registers of words from `step` on, of one row.
LlvmValue *NestEmitter::wordsAlong(const KernelEmitter::TileAccess &from, LlvmValue *row, LlvmValue *step) {
  LlvmValue *chunk = e_.loadChunk(from, e_.accessRow(from, row), b.CreateMul(step, number(elements_)), elements_ * lanes_);
  return b.CreateBitCast(inStaged(from.elem, chunk), e_.ops_.type(elem_, lanes_));
}

// Storage form, as that of stagedElem.
LlvmValue *NestEmitter::inStaged(Elem from, LlvmValue *chunk) {
  if (stagedElem(from) == from) return chunk;
  auto *type = chunk->getType()->getWithNewType(b.getInt16Ty());
  return elemInfo(from).isUnsigned ? b.CreateZExt(chunk, type) : b.CreateSExt(chunk, type);
}

// K may end within a word. What fills that of a is -0, so that its product with the 0 of b leaves a sum of -0 as it is. Such
// rows are always staged, as they end within what is read.
void NestEmitter::fillLastWord(const Block &block) {
  LlvmValue *isOdd = b.CreateICmpNE(b.CreateAnd(elementDepth_, number(1)), number(0));
  LlvmValue *behind = b.CreateSub(elementDepth_, b.CreateMul(block.first, number(elements_)));
  forLoop(b, number(0), b.CreateSelect(b.CreateAnd(isOdd, block.isLast), rows_, number(0)), number(1), [&](LlvmValue *row) {
    LlvmValue *at = byteOffset(b, rowOf(kNestLeft, row), b.CreateMul(behind, number(elemInfo(Elem::BF16).storageBytes)));
    b.CreateAlignedStore(b.getInt16(0x8000), at, llvm::Align(2));
  });
}

std::vector<KernelEmitter::RowAccess> NestEmitter::rowsOf(const KernelEmitter::TileAccess &from, LlvmValue *step) {
  std::vector<KernelEmitter::RowAccess> rows;
  LlvmValue *first = b.CreateMul(step, number(elements_));
  for (int i = 0; i < elements_; ++i) rows.push_back(e_.accessRow(from, b.CreateAdd(first, number(i))));
  return rows;
}

// The words of a step in `lanes_` columns, which may be known to be inside.
LlvmValue *NestEmitter::wordsAcross(const KernelEmitter::TileAccess &from, LlvmValue *step, LlvmValue *column, bool inside) {
  LlvmValues chunks;
  if (inside) {
    LlvmValue *bytes = b.CreateMul(column, number(elemInfo(from.elem).storageBytes)), *row = b.CreateMul(step, number(elements_));
    LlvmValue *line = byteOffset(b, from.origin, b.CreateAdd(bytes, b.CreateMul(row, from.rowStride)));
    for (int i = 0; i < elements_; ++i, line = byteOffset(b, line, from.rowStride))
      chunks.push_back(b.CreateAlignedLoad(e_.ops_.storageType(from.elem, lanes_), line, llvm::Align(1)));
  } else {
    for (const KernelEmitter::RowAccess &row : rowsOf(from, step)) chunks.push_back(e_.loadChunk(from, row, column, lanes_));
  }
  for (LlvmValue *&chunk : chunks) chunk = inStaged(from.elem, chunk);
  return sideBySide(b, e_.ops_, stagedElem(from.elem), chunks, elem_, lanes_);
}

// A row of panels of b; of rows that are inside some registers at once. Gives the least magnitude with this row.
LlvmValue *NestEmitter::packWords(LlvmValue *step, LlvmValue *column, LlvmValue *line, const Packed &to, const Inside &inside, LlvmValue *least) {
  const int64_t registers = inside.columns / lanes_, together = registers % elements_ == 0 ? elements_ : 2;
  std::vector<KernelEmitter::RowAccess> rows = rowsOf(right_.access, step);
  for (size_t i = 1; inside.bits && i < rows.size(); ++i) rows[i].pointer = byteOffset(b, rows[i - 1].pointer, right_.access.rowStride);
  auto chunksAt = [&](LlvmValue *n, int64_t count) {
    LlvmValues chunks;
    for (const KernelEmitter::RowAccess &row : rows)
      chunks.push_back(inStaged(right_.access.elem, panelChunk(row, column, n, inside.bits, static_cast<int>(count))));
    return chunks;
  };
  auto put = [&](LlvmValue *words, LlvmValue *n, LlvmValue *before) {
    b.CreateAlignedStore(flipped(words), packedAt(to, line, n), vectorAlign());
    return isBf16() ? leastWith(b, before, words) : before;
  };
  if (inside.bits && registers % together == 0) {
    for (int64_t v = 0; v < registers; v += together) {
      LlvmValues words = allSideBySide(b, e_.ops_, chunksAt(number(v * lanes_), together * lanes_), elem_, lanes_);
      for (int64_t i = 0; i < together; ++i) least = put(words[static_cast<size_t>(i)], number((v + i) * lanes_), least);
    }
    return least;
  }
  LlvmValue *columns = inside.bits ? number(inside.columns) : columnsOf(to);
  return forLoop(b, number(0), columns, number(lanes_), {least}, [&](LlvmValue *n, llvm::ArrayRef<LlvmValue *> carried) {
    return LlvmValues{put(sideBySide(b, e_.ops_, stagedElem(right_.access.elem), chunksAt(n, lanes_), elem_, lanes_), n, carried[0])};
  })[0];
}

// Bytes of b with a sign as bytes without one that are 128 more, or the other way round.
LlvmValue *NestEmitter::flipped(LlvmValue *words) {
  return flips_ ? b.CreateXor(words, e_.ops_.splat(b.getInt32(0x80808080), lanes_)) : words;
}

// What b moved by 128 makes too much or too little, by row of a; a few rows at once. Behind the last row it repeats that.
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
      // The last register ends with the row: what it has of the one before counts there.
      LlvmValue *from = least(at, b.CreateSub(rowBytes, number(lanes_ * bytes_))), *again = b.CreateTrunc(b.CreateSub(at, from), b.getInt32Ty());
      LlvmValue *counts = b.CreateICmpUGE(place, e_.ops_.splat(again, lanes_));
      for (int r = 0; r < kRows; ++r) {
        LlvmValue *all = b.CreateAlignedLoad(type, byteOffset(b, lines[static_cast<size_t>(r)], from), llvm::Align(1)), *sum = carried[static_cast<size_t>(r)];
        LlvmValue *words = b.CreateSelect(counts, all, zeros[0]);
        next.push_back(leftSigned ? microkernel_.dotBytes(sum, ones, words) : microkernel_.dotBytes(sum, words, ones));
      }
      return next;
    };
    LlvmValues partial = forLoop(b, number(0), rowBytes, number(lanes_ * bytes_), zeros, step);
    LlvmValue *sums = combineRows(b, partial, [&](LlvmValue *x, LlvmValue *y) { return b.CreateAdd(x, y); });
    LlvmValue *moved = b.CreateMul(sums, e_.ops_.splat(b.getInt32(static_cast<uint32_t>(leftSigned ? -128 : 128)), kRows));
    b.CreateAlignedStore(moved, byteOffset(b, addressOf(kNestRowSums), b.CreateMul(row, number(bytes_))), llvm::Align(kRows * 4));
  });
}

// A tile of registers; `before` loads what was there, which bf16 are added to only behind the loop: it would take their registers.
LlvmValues NestEmitter::multiplyWords(const Block &block, const Panel &panel, const Microkernel::Operands &operands, LlvmValue *row,
                                      llvm::function_ref<LlvmValues()> before) {
  size_t vectors = operands.columns.size();
  if (isBf16()) return addedPairs(block, panel, operands, before);
  LlvmValues sums = before();
  if (flips_) {
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
  return microkernel_.multiply(operands, std::move(sums), style_ == ProductStyle::DotShorts ? Microkernel::Step::DotShorts : Microkernel::Step::DotBytes);
}

// Fresh sums begin at 0, and nothing is added to them: 3% of 128x128x128 (Zen 5).
LlvmValues NestEmitter::addedPairs(const Block &block, const Panel &panel, const Microkernel::Operands &operands, llvm::function_ref<LlvmValues()> before) {
  LlvmValue *starts = fresh_ ? block.isFirst : b.getFalse();
  LlvmValue *start = b.CreateSelect(starts, e_.ops_.zero(elem_, lanes_), microkernel_.negativeZero());
  const LlvmValues none(static_cast<size_t>(operands.rows) * operands.columns.size(), start);
  auto dot = [&] { return microkernel_.multiply(operands, none, Microkernel::Step::DotBf16); };
  bool looked = hasRest() && operands.rows == tile_.rows; // emitRows has looked
  LlvmValues products = looked ? dot() : ifElse(b, areNormal(block, panel), dot, [&] {
    return microkernel_.multiply(operands, none, Microkernel::Step::PairsBf16);
  });
  return ifElse(b, starts, [&] { return products; }, [&] {
    LlvmValues sums = before();
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = b.CreateFAdd(sums[i], products[i]);
    return sums;
  });
}

// What tiles of bf16 would take as 0, a few rows at a time, on top of `start`.
void NestEmitter::multiplyConverted(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start) {
  constexpr int kRows = 2;
  static_assert(TileMicrokernel::kRows / 2 % kRows == 0); // where a is read in place, no row beyond the last is
  LlvmValues columns;
  for (int v = 0; v < tile_.vectors; ++v) columns.push_back(number(v * lanes_ * bytes_));
  forLoop(b, number(0), rows, number(kRows), [&](LlvmValue *row) {
    LlvmValues sums(static_cast<size_t>(kRows * tile_.vectors), start);
    LlvmValue *left = byteOffset(b, operands.left, b.CreateMul(row, leftRowStep_)), *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    Microkernel::Operands some{left, leftRowStep_, kRows, operands.right, columns, leftStep_, operands.rightStep, operands.depth};
    sums = microkernel_.multiply(some, std::move(sums), Microkernel::Step::PairsBf16);
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < columns.size(); ++v)
        b.CreateAlignedStore(sums[r * columns.size() + v], byteOffset(b, to, columns[v]), llvm::Align(1));
  });
}

// Whether two panels and the rows of a tile stay in the first cache.
LlvmValue *NestEmitter::isNear(const Block &block) {
  constexpr int64_t kNearWords = 96;
  return b.CreateICmpSLE(block.depth, number(kNearWords));
}

// Whether a panel stays there if what passes through is not kept.
LlvmValue *NestEmitter::panelStays(const Block &block) {
  constexpr int64_t kMostWords = 288;
  return b.CreateAnd(b.CreateNot(isNear(block)), b.CreateICmpSLE(block.depth, number(kMostWords)));
}

// Two: a line of bytes has those of both, and two lines of bf16 that are neighbours take less time than one. One of bf16 that would
// stay in the first cache anyway, while two do not: 256x256x256 takes 7% less time by one, 37x1111x513 8% by two (Intel Xeon with
// AMX).
LlvmValue *NestEmitter::panelsOf(const Block &block) {
  constexpr int64_t kOneStays = 192; // words
  if (!isBf16()) return number(2);
  LlvmValue *stays = b.CreateAnd(b.CreateNot(isNear(block)), b.CreateICmpSLE(block.depth, number(kOneStays)));
  return b.CreateSelect(stays, number(1), number(2));
}

// Down the rows of a, times one panel of two and then the other; where both and a tile's rows stay in the first cache, each tile of
// rows times both.
void NestEmitter::emitAmxRows(const Block &block, Panel first, FusedLoop &sink) {
  LlvmValue *both = b.CreateAnd(b.CreateICmpSGT(block.panels, number(1)), b.CreateICmpSGT(b.CreateSub(columns_, first.column), number(panelColumns())));
  LlvmValue *byRows = b.CreateAnd(both, isNear(block)), *zero = number(0);
  LlvmValue *multiplies = b.CreateNot(block.handsOn);
  Panel second = first;
  second.column = b.CreateAdd(first.column, number(panelColumns()));
  second.right = byteOffset(b, first.right, panelBytes(block));
  for (Panel *panel : {&first, &second}) placeSums(block, *panel);
  forLoop(b, zero, b.CreateShl(wholeTiles_, b.CreateZExt(both, b.getInt64Ty())), number(1), [&](LlvmValue *turn) {
    LlvmValue *isSecond = b.CreateSelect(byRows, b.CreateTrunc(turn, b.getInt1Ty()), b.CreateICmpSGE(turn, wholeTiles_));
    LlvmValue *index = b.CreateSelect(byRows, b.CreateLShr(turn, 1), b.CreateSub(turn, b.CreateSelect(isSecond, wholeTiles_, zero)));
    Panel panel = choose(isSecond, second, first);
    LlvmValue *row = b.CreateMul(index, number(tile_.rows));
    Tile tile{index, row, least(b.CreateAdd(row, number(tile_.rows)), rows_)};
    ifThen(b, multiplies, [&] { emitAmxTile(block, panel, tile); });
    ifThen(b, b.CreateAnd(block.ready, b.CreateNot(panel.stores)), [&] { sinkTile(block, panel, tile, sink); });
  });
}

// Of panels that lie one behind the other.
NestEmitter::Panel NestEmitter::choose(LlvmValue *condition, const Panel &x, const Panel &y) {
  Panel panel = y;
  panel.column = b.CreateSelect(condition, x.column, y.column);
  panel.right = b.CreateSelect(condition, x.right, y.right);
  panel.before.first = b.CreateSelect(condition, x.before.first, y.before.first); // the same steps
  panel.last = choose(condition, x.last, y.last);
  panel.after = choose(condition, x.after, y.after);
  panel.stores = b.CreateSelect(condition, x.stores, y.stores);
  return panel;
}

// A panel that stays in the first cache is kept there: 512x512x512 of bf16 and 1024x1024x1024 of bytes take 0.92 and 0.95 of the time.
// What is stored over comes while the tile is computed, two rows with each turn; where there are one or two turns, all rows, but
// not all at once: 8192x64x64 takes 0.90 and 0.84 of the time that it takes with all before the tile (Intel Xeon with AMX).
void NestEmitter::multiplyWhole(const Block &block, const Panel &panel, const Tile &tile, const TileMicrokernel::Operands &operands) {
  using Keep = TileMicrokernel::Keep;
  constexpr int64_t kEachTurn = 2;
  LlvmValue *few = b.CreateICmpSLE(operands.depth, number(2 * TileMicrokernel::kDepth)), *one = b.CreateICmpSLE(operands.depth, number(TileMicrokernel::kDepth));
  LlvmValue *each = b.CreateSelect(few, b.CreateSelect(one, number(tile_.rows), number(tile_.rows / 2)), number(kEachTurn));
  LlvmValue *last = b.CreateSub(number(tile_.rows), each);
  auto ask = [&](LlvmValue *turn, LlvmValue *rows) {
    if (!storesRows()) return;
    LlvmValue *row = b.CreateAdd(tile.row, least(b.CreateMul(turn, rows), last));
    LlvmValue *line = storedRow(panel, row);
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(rows))
      for (int64_t i = 0; i < known->getSExtValue(); ++i, line = byteOffset(b, line, stored_->rowStride)) prefetchStoredRow(line);
    else
      forLoop(b, number(0), rows, number(1), {line}, [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> carried) {
        prefetchStoredRow(carried[0]);
        return LlvmValues{byteOffset(b, carried[0], stored_->rowStride)};
      });
  };
  auto by = [&](Keep keep, LlvmValue *rows) {
    return [&, keep, rows] { tiles_.multiply(operands, TileMicrokernel::kRows, keep, [&](LlvmValue *turn) { ask(turn, rows); }); };
  };
  ifThen(b, panelStays(block), by(Keep::Right, number(kEachTurn)), by(Keep::All, each)); // one that stays has more turns
}

// Rows beyond the last are of staged memory, and nobody reads their sums. The only sums of whole tiles go to memory without a
// detour where they are only stored.
void NestEmitter::emitAmxTile(const Block &block, const Panel &panel, const Tile &tile) {
  LlvmValue *starts = fresh_ ? block.isFirst : b.getFalse(), *count = b.CreateSub(tile.rowEnd, tile.row);
  LlvmValue *only = b.CreateAnd(starts, block.ready), *isWhole = b.CreateICmpEQ(count, number(tile_.rows));
  LlvmValue *straight = b.CreateAnd(only, b.CreateOr(isWhole, b.CreateNot(panel.stores)));
  LlvmValue *to = b.CreateSelect(straight, sumsAt(panel.last, tile), addressOf(kNestCells)), *toStep = b.CreateSelect(straight, panel.last.step, number(kNestPanelBytes));
  TileMicrokernel::Operands operands{leftOf(block, tile), leftRowStep_, panel.right, number(panelPitch()), to, toStep, block.depth};
  auto inTiles = [&] {
    LlvmValue *isHalf = b.CreateICmpSLE(count, number(TileMicrokernel::kRows / 2));
    ifThen(b, isHalf, [&] { tiles_.multiply(operands, TileMicrokernel::kRows / 2); }, [&] { multiplyWhole(block, panel, tile, operands); });
  };
  auto converted = [&] {
    LlvmValue *start = b.CreateSelect(straight, e_.ops_.zero(elem_, lanes_), microkernel_.negativeZero());
    multiplyConverted(operands, count, start);
  };
  if (isBf16()) ifThen(b, areNormal(block, panel), inTiles, converted);
  else inTiles();
  ifThen(b, b.CreateNot(straight), [&] { addTile(panel, tile); });
}

// The cells, to the sums that were there, or on top of them.
void NestEmitter::addTile(const Panel &panel, const Tile &tile) {
  TileMicrokernel::Sums before{sumsAt(panel.before, tile), panel.before.step}, to{sumsAt(panel.after, tile), panel.after.step};
  auto *type = llvm::cast<llvm::FixedVectorType>(e_.ops_.type(elem_, lanes_));
  tiles_.add(to, {addressOf(kNestCells), number(kNestPanelBytes)}, before, b.CreateSub(tile.rowEnd, tile.row), type);
}

} // namespace xt
