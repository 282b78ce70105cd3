#include "targets/cpu/products/left_stager.h"

#include "ir/elem_kinds.h"
#include "ir/nest_rows.h"
#include "targets/cpu/vector/register_transpose.h"

namespace xt {

// How far ahead of the row that is staged a row is prefetched. A block reads a piece of each row, and the hardware does not
// prefetch the start of the next row's piece.
constexpr int64_t kRowsAhead = 4;

void LeftStager::prepare(NestBlock &block) {
  ifThen(b, b.CreateNot(n.leftInPlace), [&] {
    stageLeft(block);
    if (p.isBf16()) fillLastWord(block);
  });
  if (p.isBf16() && !p.scansLeftWhileMultiplying()) block.least = leastMagnitude(b, wordsOf(block), p.lanes());
  if (p.inSlices()) block.least = slices_.knownKey();
  if (p.movesRight) sumLeftRows(block);
}

void LeftStager::stageLeft(const NestBlock &block) {
  if (p.inSlices()) slices_.forgetKey();
  const int64_t each = p.inSlices() ? p.elements() : 1; // elements that are read per step
  LlvmValue *first = b.CreateMul(block.first, n.number(each)), *depth = b.CreateMul(block.depth, n.number(each));
  if (p.left.transposed) {
    reader_.stageTransposed(true, first, depth, n.number(0), n.rows,
                            [&](const LlvmValues &lines, LlvmValue *row, LlvmValue *k) {
                              for (int i = 0; i < p.lanes(); ++i)
                                stageRow(n.rowOf(kNestLeft, b.CreateAdd(row, n.number(i))), k, lines[static_cast<size_t>(i)]);
                            });
    return;
  }
  TileAccess from = n.left;
  if (!p.choosesLeft) from.ahead = b.CreateMul(from.rowStride, n.number(kRowsAhead));
  forLoop(b, n.number(0), n.rows, n.number(1), [&](LlvmValue *row) {
    RowAccess access = rowOf(from, row);
    if (p.choosesLeft) from.ahead = toLaterRow(from, access, row);
    LlvmValue *line = n.rowOf(kNestLeft, row), *whole = stageWhole(from, access, line, first, depth);
    forLoop(b, whole, depth, n.number(p.lanes()), [&](LlvmValue *k) {
      LlvmValue *at = b.CreateAdd(first, k);
      if (p.readsWords()) return stageRow(line, k, reader_.wordsAlong(from, access, at));
      LlvmValue *chunk = e_.tiles.loadChunk(from, access, at, p.lanes());
      stageRow(line, k, from.elem == p.leftElem() ? chunk : n.multiplied(from.elem, chunk));
    });
  });
}

RowAccess LeftStager::rowOf(const TileAccess &from, LlvmValue *row) {
  const Value *rows = nestRows(n.op);
  if (!rows) return e_.tiles.accessRow(from, row);
  const Buffer *own = e_.context.buffers.bufferOf(rows), &numbers = own ? *own : n.buffer(kNestRows);
  LlvmValue *at = byteOffset(b, e_.context.bufferAddress(numbers), b.CreateMul(row, e_.context.pitchOf(numbers)));
  return e_.tiles.accessRowOfBase(n.op.operand(0), from, b.CreateAlignedLoad(b.getInt64Ty(), at, llvm::Align(8)));
}

// The bytes from a row that is chosen to one that is prefetched while the row is read.
LlvmValue *LeftStager::toLaterRow(const TileAccess &from, const RowAccess &access, LlvmValue *row) {
  LlvmValue *later = rowOf(from, least(b, b.CreateAdd(row, n.number(kRowsAhead)), b.CreateSub(n.rows, n.number(1)))).pointer;
  return b.CreateSub(b.CreatePtrToInt(later, b.getInt64Ty()), b.CreatePtrToInt(access.pointer, b.getInt64Ty()));
}

// Stages the registers at the start of a row of `a` that are in bounds, four at a time and without branches, if elements are
// converted, copied as words, or copied from rows that are chosen. Otherwise stages none. Returns the step after the last one
// that it stages.
LlvmValue *LeftStager::stageWhole(const TileAccess &from, const RowAccess &row, LlvmValue *line, LlvmValue *first,
                                  LlvmValue *depth) {
  if (!from.unitStride || from.pack != 1 || p.inSlices() || (!p.inWords() && !p.choosesLeft && from.elem == p.leftElem()))
    return n.number(0);
  const int64_t bytes = p.elements() * elemInfo(from.elem).storageBytes,
                each = 4 * p.lanes(); // `bytes` of a step; `each`: steps per iteration
  LlvmValue *element = b.CreateMul(first, n.number(p.elements())),
            *elements = most(b, b.CreateSub(row.high, element), n.number(0));
  LlvmValue *inside =
      b.CreateSelect(e_.tiles.isFromLow(element, from.columnLow), b.CreateUDiv(elements, n.number(p.elements())), n.number(0));
  LlvmValue *end = b.CreateAnd(least(b, inside, depth), n.number(-each)),
            *source = byteOffset(b, row.pointer, b.CreateMul(first, n.number(bytes)));
  forLoop(b, n.number(0), end, n.number(each), [&](LlvmValue *k) {
    LlvmValue *at = byteOffset(b, source, b.CreateMul(k, n.number(bytes)));
    for (int64_t byte = 0; byte < each * bytes; byte += kCacheLine)
      e_.tiles.prefetchLine(byteOffset(b, byteOffset(b, at, from.ahead), n.number(byte)));
    for (int64_t i = 0; i < each; i += p.lanes()) {
      LlvmValue *chunk = n.registerAt(from.elem, byteOffset(b, at, n.number(i * bytes)), p.elements() * p.lanes());
      stageRow(line, b.CreateAdd(k, n.number(i)),
               p.inWords()                 ? reader_.asWords(from.elem, chunk)
               : from.elem == p.leftElem() ? chunk
                                           : n.multiplied(from.elem, chunk));
    }
  });
  return end;
}

// Stores a register of a staged row of `a`, from step `k` of the block on.
void LeftStager::stageRow(LlvmValue *line, LlvmValue *k, LlvmValue *value) {
  if (p.inSlices()) return slices_.stageSlices(line, k, value);
  const int64_t bytes = p.leftBytes();
  b.CreateAlignedStore(value, byteOffset(b, line, b.CreateMul(k, n.number(bytes))),
                       llvm::Align(static_cast<uint64_t>(p.lanes() * bytes)));
}

// Fills the second half of the last word of each row if K ends within that word. The padding of `a` is -0, so that its product
// with the padding of `b`, which is 0, does not change a sum of -0. Rows with such a word are always staged, because the word
// extends past the end of the row.
void LeftStager::fillLastWord(const NestBlock &block) {
  LlvmValue *isOdd = b.CreateICmpNE(b.CreateAnd(n.elementDepth, n.number(1)), n.number(0));
  LlvmValue *behind = b.CreateSub(n.elementDepth, b.CreateMul(block.first, n.number(p.elements())));
  forLoop(b, n.number(0), b.CreateSelect(b.CreateAnd(isOdd, block.isLast), n.rows, n.number(0)), n.number(1),
          [&](LlvmValue *row) {
            LlvmValue *at =
                byteOffset(b, n.rowOf(kNestLeft, row), b.CreateMul(behind, n.number(elemInfo(Elem::BF16).storageBytes)));
            b.CreateAlignedStore(b.getInt16(0x8000), at, llvm::Align(2));
          });
}

// Returns the words of `a` in this block. If there are no gaps between the rows, they are treated as one row.
WordMatrix LeftStager::wordsOf(const NestBlock &block) {
  LlvmValue *bytes = n.leftBytes(block), *dense = b.CreateICmpEQ(bytes, n.leftRowStep);
  return {block.left, b.CreateSelect(dense, n.number(1), n.rows), n.leftRowStep,
          b.CreateSelect(dense, b.CreateMul(bytes, n.rows), bytes)};
}

// For each row of `a`, computes the correction of its sums if the bytes of `b` are biased by 128 (movesBytes): -128 or 128
// times the sum of the row's bytes. Processes a few rows at a time; rows past the last one repeat it.
void LeftStager::sumLeftRows(const NestBlock &block) {
  constexpr int kRows = 4;
  bool leftSigned = !elemInfo(n.left.elem).isUnsigned;
  llvm::Type *type = e_.context.ops.type(Elem::I32, p.lanes());
  LlvmValue *ones = llvm::ConstantInt::get(type, 0x01010101), *last = b.CreateSub(n.rows, n.number(1));
  const LlvmValues zeros(kRows, llvm::Constant::getNullValue(type));
  llvm::SmallVector<uint32_t, 16> places;
  for (int i = 0; i < p.lanes(); ++i) places.push_back(static_cast<uint32_t>(i * p.bytes()));
  LlvmValue *place = llvm::ConstantDataVector::get(b.getContext(), places), *rowBytes = n.leftBytes(block);
  forLoop(b, n.number(0), n.rows, n.number(kRows), [&](LlvmValue *row) {
    LlvmValues lines;
    for (int r = 0; r < kRows; ++r)
      lines.push_back(byteOffset(b, block.left, b.CreateMul(least(b, b.CreateAdd(row, n.number(r)), last), n.leftRowStep)));
    auto step = [&](LlvmValue *at, llvm::ArrayRef<LlvmValue *> carried) {
      LlvmValues next;
      // The last register ends where the row ends; the words that it shares with the previous register are counted only once.
      LlvmValue *from = least(b, at, b.CreateSub(rowBytes, n.number(p.lanes() * p.bytes()))),
                *again = b.CreateTrunc(b.CreateSub(at, from), b.getInt32Ty());
      LlvmValue *counts = b.CreateICmpUGE(place, e_.context.ops.splat(again, p.lanes()));
      for (int r = 0; r < kRows; ++r) {
        LlvmValue *all = b.CreateAlignedLoad(type, byteOffset(b, lines[static_cast<size_t>(r)], from), llvm::Align(1)),
                  *sum = carried[static_cast<size_t>(r)];
        LlvmValue *words = b.CreateSelect(counts, all, zeros[0]);
        next.push_back(leftSigned ? n.microkernel.dotBytes(sum, ones, words) : n.microkernel.dotBytes(sum, words, ones));
      }
      return next;
    };
    LlvmValues partial = forLoop(b, n.number(0), rowBytes, n.number(p.lanes() * p.bytes()), zeros, step);
    LlvmValue *sums = combineRows(b, partial, [&](LlvmValue *x, LlvmValue *y) { return b.CreateAdd(x, y); });
    LlvmValue *moved =
        b.CreateMul(sums, e_.context.ops.splat(b.getInt32(static_cast<uint32_t>(leftSigned ? -128 : 128)), kRows));
    b.CreateAlignedStore(moved, byteOffset(b, n.addressOf(kNestRowSums), b.CreateMul(row, n.number(p.bytes()))),
                         llvm::Align(kRows * 4));
  });
}

} // namespace xt
