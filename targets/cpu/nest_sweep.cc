// Products of few rows: b's rows are read as they lie, whole, eight at a time, and the sums are added to in a near cache. Memory
// is what bounds this: of 4096x4096 f32, whole rows come at 21 GB/s, runs of 256 columns at 14, asked for ahead, and at 7 without
// (Zen 4).
#include "targets/cpu/nest_emitter.h"

namespace xt {

bool NestEmitter::maySweep() const {
  return !right_.turned && right_.access.unitStride && right_.access.pack == 1;
}

// Up to so many rows sweep over a b that is converted and comes from memory, as one or two do over any; 0: none. They read each group
// of b's rows again, from a nearer cache, and convert it for each row. Of bytes and f16, 4096x4096, 4 rows take 0.7 to 0.95 of the time
// of panels that are packed, 8 up to 1.3 times (Intel Xeon with AMX).
LlvmValue *NestEmitter::sweptFromMemory() {
  constexpr int64_t kSwept = 40 << 20;
  return b.CreateSelect(spansMore(kSwept), number(kMostSwept), number(0));
}

void NestEmitter::sweep(const Block &block) {
  if (inSlices()) { // into the cells, which a sweep has no other use for
    static_assert(kUnslicedBytes * kMostSwept <= kNestCellRows * kNestPanelBytes);
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
  // Short runs of a large b are asked for: the next group of rows.
  constexpr int64_t kLongRun = 4096;
  const KernelEmitter::TileAccess &from = right_.access;
  const int64_t bytes = elemInfo(from.elem).storageBytes;
  LlvmValue *columns = b.CreateSub(columns_, columnBegin_), *whole = b.CreateAdd(columnBegin_, b.CreateAnd(columns, number(-lanes_)));
  LlvmValue *asks = b.CreateAnd(b.CreateICmpSLT(b.CreateMul(columns, number(bytes)), number(kLongRun)), spansMore(kSecondCache));
  LlvmValue *askedEnd = b.CreateSelect(asks, whole, columnBegin_);
  LlvmValue *first = b.CreateMul(block.first, number(elements_)), *depth = b.CreateMul(block.depth, number(elements_));
  depth = least(depth, b.CreateSub(elementDepth_, first)); // what words, or tiles, have more is 0
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
  // What fills no group, and no register.
  forLoop(b, number(0), depth, number(1), [&](LlvmValue *k) {
    LlvmValue *begin = b.CreateSelect(b.CreateICmpSLT(k, grouped), whole, columnBegin_);
    KernelEmitter::RowAccess line = e_.accessRow(from, b.CreateAdd(first, k));
    sweepRows(block, k, 1, {begin, columns_}, [&](int64_t, LlvmValue *column) { return e_.loadChunk(from, line, column, lanes_); });
  });
}

// `count` elements of K from `k` of the block on, of columns [first, second). What is read of b is used for two rows at once: two rows
// of f32 take 0.81 of the time of 512x512, 0.87 of 2048x2048 (Intel Xeon with AMX; the same with AVX2). The loop of one row is beside
// it, for 6% of LLVM's instructions: one row that is computed as two takes 1.2 to 1.5 times as long.
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
          for (size_t r = 0; r < sums.size(); ++r) added[r] = microkernel_.multiplyAdd(factors[r][static_cast<size_t>(i)], right, added[r]);
        }
        for (size_t r = 0; r < sums.size(); ++r) b.CreateAlignedStore(added[r], at[r], vectorAlign());
      });
    });
  };
  if (count > 1) by(2, number(0), pairs);
  by(1, count > 1 ? pairs : number(0), rows_);
}

// Of a row of a: `count` elements from `k` of the block on, each in all lanes.
LlvmValues NestEmitter::sweptFactors(const Block &block, LlvmValue *row, LlvmValue *k, int64_t count) {
  // Words are of neighbours, so that they can be taken apart.
  Elem elem = readsWords() ? stagedElem(left_.access.elem) : leftElem_;
  LlvmValue *step = inWords() ? number(elemInfo(elem).storageBytes) : leftStep_;
  LlvmValue *first = inSlices() ? addressOf(kNestCells) : block.left, *rowStep = inSlices() ? number(kUnslicedBytes) : leftRowStep_;
  LlvmValue *left = byteOffset(b, first, b.CreateAdd(b.CreateMul(row, rowStep), b.CreateMul(k, step)));
  LlvmValues factors;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) left = byteOffset(b, left, step);
    factors.push_back(inAllLanes(elem, left));
  }
  return factors;
}

} // namespace xt
