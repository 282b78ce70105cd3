// Products of few rows: whole rows of b are read in place, eight at a time, and the products are added to sums in a near cache.
// The limit is memory bandwidth: of 4096x4096 f32, whole rows arrive at 21 GB/s, pieces of 256 columns at 14 with prefetches,
// and at 7 without (Zen 4).
#include "targets/cpu/nest_emitter.h"

namespace xt {

void NestEmitter::sweep(const Block &block) {
  if (inSlices()) { // rebuilds a's floats in the cells, which a sweep does not use otherwise
    static_assert(kUnslicedBytes * kMostSweptRows <= kNestCellRows * kNestPanelBytes);
    unsliceRows(block.left, rows_, block.depth, addressOf(kNestCells));
  }
  if (fresh_) {
    LlvmValue *first = b.CreateSelect(block.isFirst, rows_, number(0));
    forLoop(b, number(0), first, number(1), [&](LlvmValue *row) {
      forLoop(b, columnBegin_, columns_, number(lanes_), [&](LlvmValue *column) {
        b.CreateAlignedStore(e_.ops_.zero(elem_, lanes_), sumsAt(row, column), vectorAlign());
      });
    });
  }
  // For short rows of a large b, prefetches the next group of rows.
  const KernelEmitter::TileAccess &from = right_.access;
  const int64_t bytes = elemInfo(from.elem).storageBytes;
  LlvmValue *columns = b.CreateSub(columns_, columnBegin_),
            *whole = b.CreateAdd(columnBegin_, b.CreateAnd(columns, number(-lanes_)));
  LlvmValue *askedEnd = b.CreateSelect(holds(&NestPlan::sweepAsks), whole, columnBegin_);
  LlvmValue *first = b.CreateMul(block.first, number(elements_)), *depth = b.CreateMul(block.depth, number(elements_));
  depth = least(depth, b.CreateSub(elementDepth_, first)); // words and tiles may be deeper; the padding is 0
  LlvmValue *grouped = b.CreateAnd(depth, number(-kSweptRows));
  forLoop(b, number(0), grouped, number(kSweptRows), [&](LlvmValue *k) {
    LlvmValues lines{byteOffset(b, from.origin, b.CreateMul(b.CreateAdd(first, k), from.rowStride))};
    while (std::ssize(lines) < kSweptRows) lines.push_back(byteOffset(b, lines.back(), from.rowStride));
    LlvmValue *ahead = b.CreateMul(from.rowStride, number(kSweptRows));
    forLoop(b, columnBegin_, askedEnd, number(kCacheLine / bytes), [&](LlvmValue *column) {
      LlvmValue *further = b.CreateAdd(ahead, b.CreateMul(column, number(bytes)));
      for (LlvmValue *line : lines) e_.askFor(byteOffset(b, line, further));
    });
    sweepRows(block, k, kSweptRows, {columnBegin_, whole}, [&](int64_t i, LlvmValue *column) {
      LlvmValue *address = byteOffset(b, lines[static_cast<size_t>(i)], b.CreateMul(column, number(bytes)));
      return b.CreateAlignedLoad(e_.ops_.storageType(from.elem, lanes_), address, llvm::Align(1));
    });
  });
  // The remaining rows that fill no group, and the remaining columns that fill no register.
  forLoop(b, number(0), depth, number(1), [&](LlvmValue *k) {
    LlvmValue *begin = b.CreateSelect(b.CreateICmpSLT(k, grouped), whole, columnBegin_);
    KernelEmitter::RowAccess line = e_.accessRow(from, b.CreateAdd(first, k));
    sweepRows(block, k, 1, {begin, columns_},
              [&](int64_t, LlvmValue *column) { return e_.loadChunk(from, line, column, lanes_); });
  });
}

// Multiplies `count` elements of K, from `k` of the block on, by columns [first, second). Each register of b that is read is
// used for two rows at once: two rows of f32 take 0.81 of the time of 512x512, 0.87 of 2048x2048 (Intel Xeon with AMX; the same
// with AVX2). A loop for one row is emitted as well, for 6% of LLVM's instructions: one row that is computed as two takes 1.2
// to 1.5 times as long.
void NestEmitter::sweepRows(const Block &block, LlvmValue *k, int64_t count, std::pair<LlvmValue *, LlvmValue *> columns,
                            llvm::function_ref<LlvmValue *(int64_t i, LlvmValue *column)> load) {
  LlvmValue *pairs = b.CreateAnd(rows_, number(-2));
  auto by = [&](int64_t rows, LlvmValue *begin, LlvmValue *end) {
    forLoop(b, begin, end, number(rows), [&](LlvmValue *row) {
      std::vector<LlvmValues> factors;
      LlvmValues sums;
      for (int64_t r = 0; r < rows; ++r) {
        LlvmValue *each = b.CreateAdd(row, number(r));
        factors.push_back(sweptFactors(block, each, k, count));
        sums.push_back(sumsAt(each, number(0)));
      }
      forLoop(b, columns.first, columns.second, number(lanes_), [&](LlvmValue *column) {
        LlvmValue *distance = b.CreateMul(column, number(bytes_));
        LlvmValues at, added;
        for (LlvmValue *first : sums) {
          at.push_back(byteOffset(b, first, distance));
          added.push_back(b.CreateAlignedLoad(e_.ops_.type(elem_, lanes_), at.back(), vectorAlign()));
        }
        for (int64_t i = 0; i < count; ++i) {
          LlvmValue *right = multiplied(right_.access.elem, load(i, column));
          for (size_t r = 0; r < sums.size(); ++r)
            added[r] = microkernel_.multiplyAdd(factors[r][static_cast<size_t>(i)], right, added[r]);
        }
        for (size_t r = 0; r < sums.size(); ++r) b.CreateAlignedStore(added[r], at[r], vectorAlign());
      });
    });
  };
  if (count > 1) by(2, number(0), pairs);
  by(1, count > 1 ? pairs : number(0), rows_);
}

// Broadcasts `count` elements of a row of a, from `k` of the block on.
LlvmValues NestEmitter::sweptFactors(const Block &block, LlvmValue *row, LlvmValue *k, int64_t count) {
  // Words are made of neighbours, so that single elements can be read.
  Elem elem = readsWords() ? stagedElem(left_.access.elem) : leftElem_;
  LlvmValue *step = inWords() ? number(elemInfo(elem).storageBytes) : leftStep_;
  LlvmValue *first = inSlices() ? addressOf(kNestCells) : block.left,
            *rowStep = inSlices() ? number(kUnslicedBytes) : leftRowStep_;
  LlvmValue *left = byteOffset(b, first, b.CreateAdd(b.CreateMul(row, rowStep), b.CreateMul(k, step)));
  LlvmValues factors;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) left = byteOffset(b, left, step);
    factors.push_back(inAllLanes(elem, left));
  }
  return factors;
}

} // namespace xt
