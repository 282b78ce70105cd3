#include "targets/cpu/products/nest_sweep.h"

namespace xt {

void NestSweep::sweep(const NestBlock &block) {
  if (p.inSlices()) { // rebuilds the floats of `a` in the cells, which a sweep does not use otherwise
    static_assert(NestSlices::kUnslicedBytes * kMostSweptRows <= kNestCellRows * kNestPanelBytes);
    slices_.unsliceRows(block.left, n.rows, block.depth, n.addressOf(kNestCells));
  }
  if (p.fresh) {
    LlvmValue *first = b.CreateSelect(block.isFirst, n.rows, n.number(0));
    forLoop(b, n.number(0), first, n.number(1), [&](LlvmValue *row) {
      forLoop(b, n.columnBegin, n.columns, n.number(p.lanes()), [&](LlvmValue *column) {
        b.CreateAlignedStore(e_.context.ops.zero(p.elem, p.lanes()), sumsAt(row, column), n.vectorAlign());
      });
    });
  }
  // For short rows of a large `b`, prefetches the next group of rows.
  const TileAccess &from = n.right;
  const int64_t bytes = elemInfo(from.elem).storageBytes;
  LlvmValue *columns = b.CreateSub(n.columns, n.columnBegin),
            *whole = b.CreateAdd(n.columnBegin, b.CreateAnd(columns, n.number(-p.lanes())));
  LlvmValue *prefetchEnd = b.CreateSelect(n.isSet(&NestPlan::sweepPrefetches), whole, n.columnBegin);
  LlvmValue *first = b.CreateMul(block.first, n.number(p.elements())),
            *depth = b.CreateMul(block.depth, n.number(p.elements()));
  depth = least(b, depth, b.CreateSub(n.elementDepth, first)); // skips the padding of words and of AMX tiles, which is 0
  LlvmValue *grouped = b.CreateAnd(depth, n.number(-kSweptRows));
  forLoop(b, n.number(0), grouped, n.number(kSweptRows), [&](LlvmValue *k) {
    LlvmValues lines{byteOffset(b, from.origin, b.CreateMul(b.CreateAdd(first, k), from.rowStride))};
    while (std::ssize(lines) < kSweptRows) lines.push_back(byteOffset(b, lines.back(), from.rowStride));
    LlvmValue *ahead = b.CreateMul(from.rowStride, n.number(kSweptRows));
    forLoop(b, n.columnBegin, prefetchEnd, n.number(kCacheLine / bytes), [&](LlvmValue *column) {
      LlvmValue *further = b.CreateAdd(ahead, b.CreateMul(column, n.number(bytes)));
      for (LlvmValue *line : lines) e_.tiles.prefetchLine(byteOffset(b, line, further));
    });
    sweepRows(block, k, kSweptRows, {n.columnBegin, whole}, [&](int64_t i, LlvmValue *column) {
      LlvmValue *address = byteOffset(b, lines[static_cast<size_t>(i)], b.CreateMul(column, n.number(bytes)));
      return b.CreateAlignedLoad(e_.context.ops.storageType(from.elem, p.lanes()), address, llvm::Align(1));
    });
  });
  // The remaining rows that fill no group, and the remaining columns that fill no register.
  forLoop(b, n.number(0), depth, n.number(1), [&](LlvmValue *k) {
    LlvmValue *begin = b.CreateSelect(b.CreateICmpSLT(k, grouped), whole, n.columnBegin);
    RowAccess line = e_.tiles.accessRow(from, b.CreateAdd(first, k));
    sweepRows(block, k, 1, {begin, n.columns},
              [&](int64_t, LlvmValue *column) { return e_.tiles.loadChunk(from, line, column, p.lanes()); });
  });
}

// Multiplies `count` elements of K, from `k` of the block on, by columns [first, second) of `b`. If `count` is above 1, each
// register of `b` that is read is used for two rows of `a` at once. A loop for a single row is emitted as well, because a
// single row that is computed as two rows takes longer.
void NestSweep::sweepRows(const NestBlock &block, LlvmValue *k, int64_t count, std::pair<LlvmValue *, LlvmValue *> columns,
                          llvm::function_ref<LlvmValue *(int64_t i, LlvmValue *column)> load) {
  LlvmValue *pairs = b.CreateAnd(n.rows, n.number(-2));
  auto by = [&](int64_t rows, LlvmValue *begin, LlvmValue *end) {
    forLoop(b, begin, end, n.number(rows), [&](LlvmValue *row) {
      std::vector<LlvmValues> factors;
      LlvmValues sums;
      for (int64_t r = 0; r < rows; ++r) {
        LlvmValue *each = b.CreateAdd(row, n.number(r));
        factors.push_back(sweptFactors(block, each, k, count));
        sums.push_back(sumsAt(each, n.number(0)));
      }
      forLoop(b, columns.first, columns.second, n.number(p.lanes()), [&](LlvmValue *column) {
        LlvmValue *distance = b.CreateMul(column, n.number(p.bytes()));
        LlvmValues at, added;
        for (LlvmValue *first : sums) {
          at.push_back(byteOffset(b, first, distance));
          added.push_back(b.CreateAlignedLoad(e_.context.ops.type(p.elem, p.lanes()), at.back(), n.vectorAlign()));
        }
        for (int64_t i = 0; i < count; ++i) {
          LlvmValue *right = n.multiplied(n.right.elem, load(i, column));
          for (size_t r = 0; r < sums.size(); ++r)
            added[r] = n.microkernel.multiplyAdd(factors[r][static_cast<size_t>(i)], right, added[r]);
        }
        for (size_t r = 0; r < sums.size(); ++r) b.CreateAlignedStore(added[r], at[r], n.vectorAlign());
      });
    });
  };
  if (count > 1) by(2, n.number(0), pairs);
  by(1, count > 1 ? pairs : n.number(0), n.rows);
}

// Broadcasts `count` elements of a row of `a`, from `k` of the block on.
LlvmValues NestSweep::sweptFactors(const NestBlock &block, LlvmValue *row, LlvmValue *k, int64_t count) {
  // The elements of words are adjacent, so that single elements can be read.
  Elem elem = p.readsWords() ? p.stagedElem(n.left.elem) : p.leftElem();
  LlvmValue *step = p.inWords() ? n.number(elemInfo(elem).storageBytes) : n.leftStep;
  LlvmValue *first = p.inSlices() ? n.addressOf(kNestCells) : block.left,
            *rowStep = p.inSlices() ? n.number(NestSlices::kUnslicedBytes) : n.leftRowStep;
  LlvmValue *left = byteOffset(b, first, b.CreateAdd(b.CreateMul(row, rowStep), b.CreateMul(k, step)));
  LlvmValues factors;
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) left = byteOffset(b, left, step);
    factors.push_back(n.inAllLanes(elem, left));
  }
  return factors;
}

} // namespace xt
