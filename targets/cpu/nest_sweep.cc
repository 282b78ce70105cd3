// Products of a row or two: nothing of b is used twice, so that its rows are read as they lie, whole, eight at a time, and
// the sums are added to in the first cache. Memory is what bounds this: of 4096x4096 f32, whole rows come at 21 GB/s, runs of
// 256 columns at 14, asked for ahead, and at 7 without (Zen 4).
#include "targets/cpu/nest_emitter.h"

#include "targets/cpu/prefetch.h"

namespace xt {

bool NestEmitter::maySweep() const {
  return !right_.turned && right_.access.unitStride && right_.access.pack == 1;
}

void NestEmitter::sweep(const Block &block) {
  if (fresh_) {
    LlvmValue *first = b.CreateSelect(block.isFirst, rows_, number(0));
    forLoop(b, number(0), first, number(1), [&](LlvmValue *row) {
      forLoop(b, columnBegin_, columns_, number(lanes_), [&](LlvmValue *column) {
        b.CreateAlignedStore(e_.ops_.zero(elem_, lanes_), sumsAt(row, column), vectorAlign());
      });
    });
  }
  // Short runs of a large b are asked for: the next group of rows.
  constexpr int64_t kLongRun = 4096, kLarge = 1 << 20;
  const int64_t bytes = elemInfo(right_.access.elem).storageBytes;
  LlvmValue *columns = b.CreateSub(columns_, columnBegin_);
  LlvmValue *asks = b.CreateAnd(b.CreateICmpSLT(b.CreateMul(columns, number(bytes)), number(kLongRun)), spansMore(kLarge));
  LlvmValue *ahead = b.CreateSelect(asks, b.CreateMul(right_.access.rowStride, number(kSweptRows)), number(0));
  LlvmValue *first = b.CreateMul(block.first, number(elements_)), *depth = b.CreateMul(block.depth, number(elements_));
  LlvmValue *grouped = b.CreateAnd(depth, number(-kSweptRows)), *whole = b.CreateAdd(columnBegin_, b.CreateAnd(columns, number(-lanes_)));
  forLoop(b, number(0), grouped, number(kSweptRows), [&](LlvmValue *k) {
    sweepRows(block, k, kSweptRows, {columnBegin_, whole}, [&](LlvmValue *at, LlvmValue *column) {
      LlvmValue *row = byteOffset(b, right_.access.origin, b.CreateMul(b.CreateAdd(first, at), right_.access.rowStride));
      LlvmValue *address = byteOffset(b, row, b.CreateMul(column, number(bytes)));
      prefetch(b, byteOffset(b, address, ahead), Prefetch::ToSecondCache);
      return b.CreateAlignedLoad(e_.ops_.storageType(right_.access.elem, lanes_), address, llvm::Align(1));
    });
  });
  // What fills no group, and no register.
  forLoop(b, number(0), depth, number(1), [&](LlvmValue *k) {
    LlvmValue *begin = b.CreateSelect(b.CreateICmpSLT(k, grouped), whole, columnBegin_);
    sweepRows(block, k, 1, {begin, columns_}, [&](LlvmValue *at, LlvmValue *column) {
      return e_.loadChunk(right_.access, e_.accessRow(right_.access, b.CreateAdd(first, at)), column, lanes_);
    });
  });
}

// `count` elements of K from `k` of the block on, of columns [first, second).
void NestEmitter::sweepRows(const Block &block, LlvmValue *k, int64_t count, std::pair<LlvmValue *, LlvmValue *> columns,
                            llvm::function_ref<LlvmValue *(LlvmValue *at, LlvmValue *column)> load) {
  forLoop(b, number(0), rows_, number(1), [&](LlvmValue *row) {
    LlvmValue *left = byteOffset(b, block.left, b.CreateMul(row, leftRowStep_));
    LlvmValues factors;
    for (int64_t i = 0; i < count; ++i) factors.push_back(leftFactor(left, b.CreateAdd(k, number(i))));
    forLoop(b, columns.first, columns.second, number(lanes_), [&](LlvmValue *column) {
      LlvmValue *at = sumsAt(row, column), *sum = b.CreateAlignedLoad(e_.ops_.type(elem_, lanes_), at, vectorAlign());
      for (int64_t i = 0; i < count; ++i) {
        LlvmValue *right = load(b.CreateAdd(k, number(i)), column);
        sum = microkernel_.multiplyAdd(factors[static_cast<size_t>(i)], multiplied(right_.access.elem, right), sum);
      }
      b.CreateAlignedStore(sum, at, vectorAlign());
    });
  });
}

// An element of a row of a, in each lane; words are of neighbours, so that they can be taken apart.
LlvmValue *NestEmitter::leftFactor(LlvmValue *row, LlvmValue *k) {
  Elem elem = inWords() ? stagedElem(left_.access.elem) : elem_;
  LlvmValue *step = inWords() ? number(elemInfo(elem).storageBytes) : leftStep_;
  LlvmValue *stored = b.CreateAlignedLoad(e_.ops_.storageType(elem, 0), byteOffset(b, row, b.CreateMul(k, step)), llvm::Align(1));
  return multiplied(elem, e_.ops_.splat(stored, lanes_));
}

} // namespace xt
