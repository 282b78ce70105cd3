#include "targets/cpu/vector/row_reduction.h"

#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "targets/cpu/vector/register_transpose.h"

namespace xt {
namespace {

// The number of chunks per iteration. Their dependency chains are independent.
int chunksAtOnce(int64_t columns, int lanes) {
  constexpr int kMost = 4;
  int count = kMost;
  while (columns % (count * lanes) != 0 && count > 1) count /= 2;
  return count;
}

} // namespace

// Reduces as many rows at once as a register has lanes, if their results are adjacent in memory; otherwise one row at a time.
void RowReduction::emit(int64_t rows, int64_t columns) {
  const bool atOnce = result_.buffer->shape.isDenseColumn() && lanes() > 1 && lanes() <= Transposer::kSquareLines;
  LlvmValue *end = e_.context.argument(rows);
  forLoop(b, e_.context.number(0), end, e_.context.number(atOnce ? lanes() : 1), [&](LlvmValue *row) {
    if (!atOnce) return emitRow(row, columns);
    emitRowsAtOnce(row, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateSub(end, row), e_.context.number(lanes())),
                   columns);
  });
}

// Reduces a row to one register of partial results, and that register to one element.
void RowReduction::emitRow(LlvmValue *row, int64_t columns) {
  LlvmValue *sums = combinedRow(row, columns);
  LlvmValue *sum = isOrdered() ? furthest_.ofLanes(sums) : acrossLanes(sums);
  b.CreateAlignedStore(e_.context.ops.toStorage(elem(), sum), result_.rowPointer, llvm::Align(1));
}

// Reduces `count` rows to one register: combines their registers of partial results while transposing them. Lanes past the last
// row hold arbitrary values.
void RowReduction::emitRowsAtOnce(LlvmValue *first, LlvmValue *count, int64_t columns) {
  const Elem partial = isOrdered() ? Elem::I32 : elem();
  LlvmValues lines = e_.transposer.squareOf(e_.context.ops.storageType(partial, lanes()), count, [&](LlvmValue *i) {
    return e_.context.ops.toStorage(partial, combinedRow(b.CreateAdd(first, i), columns));
  });
  for (LlvmValue *&line : lines) line = e_.context.ops.fromStorage(partial, line);
  LlvmValue *sums = combineRows(b, lines, [&](LlvmValue *x, LlvmValue *y) {
    return isOrdered() ? furthest_.further(x, y) : e_.context.ops.combine(kind_, elem(), x, y);
  });
  if (isOrdered()) sums = b.CreateBitCast(furthest_.sortableBits(sums), e_.context.ops.type(elem(), lanes()));
  b.CreateAlignedStore(e_.context.ops.toStorage(elem(), sums), registers_.rowOf(*result_.buffer, first),
                       registers_.alignOf(elem()));
}

LlvmValue *RowReduction::combine(LlvmValue *x, LlvmValue *y) {
  if (!isOrdered()) return e_.context.ops.combine(kind_, elem(), x, y);
  return furthest_.usesRangeInstruction() ? furthest_.byRange(x, y) : furthest_.further(x, y);
}

// Reduces a row to one register of partial results. Lanes past the last column are replaced by the identity.
LlvmValue *RowReduction::combinedRow(LlvmValue *row, int64_t columns) {
  const bool ranges = isOrdered() && furthest_.usesRangeInstruction(), sorts = isOrdered() && !ranges;
  const bool tracksNan = ranges && !furthest_.prefersNumbers();
  LlvmValue *identity = e_.context.ops.constant(elem(), combiningIdentity(kind_, elem()), lanes());
  loop_.enterRow(row);
  LlvmValue *end = e_.context.argument(columns);
  const int count = chunksAtOnce(columns, lanes());
  auto step = [&](LlvmValue *column, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValues next, chunks;
    for (int i = 0; i < count; ++i) {
      LlvmValue *at = b.CreateAdd(column, e_.context.number(i * lanes()));
      LlvmValue *chunk = loop_.chunkAt(at);
      if (columns % lanes() != 0) chunk = b.CreateSelect(generated_.lanesBelow(end, at), chunk, identity);
      chunks.push_back(chunk);
      next.push_back(combine(carried[static_cast<size_t>(i)], sorts ? furthest_.orderedBits(chunk) : chunk));
    }
    if (tracksNan) next.push_back(b.CreateAnd(carried.back(), furthest_.areNumbers(chunks)));
    return next;
  };
  LlvmValues start(static_cast<size_t>(count), sorts ? furthest_.orderedBits(identity) : identity);
  if (tracksNan) start.push_back(llvm::Constant::getAllOnesValue(e_.context.ops.type(Elem::I1, lanes())));
  LlvmValues combined = forLoop(b, e_.context.number(0), end, e_.context.number(count * lanes()), start, step);
  for (size_t half = static_cast<size_t>(count) / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i) combined[i] = combine(combined[i], combined[i + half]);
  if (!ranges) return combined[0];
  if (!tracksNan) return furthest_.orderedBits(combined[0]);
  LlvmValue *nan = llvm::ConstantFP::getNaN(identity->getType());
  return furthest_.orderedBits(b.CreateSelect(combined.back(), combined[0], nan));
}

// Combines all lanes of a register into one element.
LlvmValue *RowReduction::acrossLanes(LlvmValue *chunk) {
  for (int half = lanes() / 2; half > 0; half /= 2) {
    llvm::SmallVector<int, 64> order(static_cast<size_t>(lanes()));
    for (int lane = 0; lane < lanes(); ++lane) order[static_cast<size_t>(lane)] = (lane + half) % lanes();
    chunk = e_.context.ops.combine(kind_, elem(), chunk, b.CreateShuffleVector(chunk, order));
  }
  return b.CreateExtractElement(chunk, uint64_t{0});
}

bool RowReduction::isOrdered() const { return FurthestOfFloats::isOf(kind_) && elem() == Elem::F32; }

} // namespace xt
