#include "targets/cpu/products/microkernel.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "targets/cpu/products/words.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace xt {

LlvmValue *stepsOn(llvm::IRBuilderBase &b, LlvmValue *first, LlvmValue *step, int64_t count, LlvmValue *last) {
  if (count == 0) return first;
  LlvmValue *steps = b.getInt64(static_cast<uint64_t>(count));
  if (last) steps = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, steps, last);
  return byteOffset(b, first, count == 1 && !last ? step : b.CreateMul(step, steps));
}

// The number of rows of `a` that one pointer register serves: x86 addresses add an index times 1, 2, 4 or 8 to a base.
int Microkernel::rowsOfPointer(const Operands &operands) const {
  if (operands.lastRow) return 1;
  return llvm::isa<llvm::ConstantInt>(operands.leftRowStep) ? operands.rows : 3;
}

LlvmValue *Microkernel::rowOf(const Operands &operands, llvm::ArrayRef<LlvmValue *> lefts, int row) {
  const int each = rowsOfPointer(operands);
  return stepsOn(b, lefts[static_cast<size_t>(row / each)], operands.leftRowStep, row % each);
}

// The loop carries the sums, the pointers to rows of `a`, the prefetch pointer, the copy pointer, and the pointer to `b`.
LlvmValues Microkernel::multiply(const Operands &operands, LlvmValues sums, Step how) {
  const size_t tile = sums.size();
  for (int r = 0, each = rowsOfPointer(operands); r < operands.rows; r += each)
    sums.push_back(stepsOn(b, operands.left, operands.leftRowStep, r, operands.lastRow));
  if (operands.next) sums.push_back(operands.next);
  if (operands.copy) sums.push_back(operands.copy);
  sums.push_back(operands.right);
  LlvmValue *steps = b.getInt64(static_cast<uint64_t>(operands.steps));
  LlvmValue *turns = operands.steps == 1 ? operands.depth : b.CreateUDiv(operands.depth, steps);
  auto turnOf = [&](int64_t ofSteps) {
    return [&, moves = movesOf(operands, ofSteps)](llvm::ArrayRef<LlvmValue *> carried) {
      return addTurn(operands, moves, carried, how);
    };
  };
  auto turn = turnOf(operands.steps), last = turnOf(1);
  if (operands.lastScanned) {
    sums = multiplyAndScan(operands, sums, turn);
    LlvmValue *least = sums.back();
    sums.resize(tile);
    sums.push_back(least);
    return sums;
  }
  sums = repeat(b, turns, operands.deep && operands.steps == 1, sums, turn);
  // At most one of two steps remains, so an `if`, which is smaller, replaces the loop.
  if (operands.leavesRest && operands.steps == 2)
    sums = ifElse(b, b.CreateTrunc(operands.depth, b.getInt1Ty()), [&] { return last(sums); }, [&] { return sums; });
  else if (operands.leavesRest)
    sums = repeat(b, b.CreateURem(operands.depth, steps), false, sums, last);
  sums.resize(tile);
  return sums;
}

// Each iteration of the outer loop examines one register of each row of `a`, and then multiplies the steps of K in these
// registers. The examined data is multiplied next, so examining it causes no additional waits.
LlvmValues Microkernel::multiplyAndScan(const Operands &operands, LlvmValues carried, Turn turn) {
  XT_CHECK(operands.steps == 1 && !operands.leavesRest, "a register holds whole turns");
  const size_t lefts = static_cast<size_t>(operands.rows) * operands.columns.size();
  LlvmValue *each = b.getInt64(static_cast<uint64_t>(lanes_)), *allButOne = b.getInt64(static_cast<uint64_t>(lanes_ - 1));
  auto lessOf = [&](LlvmValue *x, LlvmValue *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); };
  carried.append({operands.depth, leastOfNone(b, lanes_)});
  return repeat(b, b.CreateUDiv(b.CreateAdd(operands.depth, allButOne), each), operands.deep, carried,
                [&](llvm::ArrayRef<LlvmValue *> all) {
                  LlvmValue *least = all.back(), *left = all.drop_back().back();
                  all = all.drop_back(2);
                  // The last register ends at the end of the row, so it may begin before the words that are left.
                  LlvmValue *at = b.CreateMul(b.CreateSub(operands.depth, left), operands.leftStep),
                            *back = lessOf(b.CreateSub(operands.lastScanned, at), b.getInt64(0));
                  for (int r = 0; r < operands.rows; ++r) {
                    LlvmValue *from = byteOffset(b, rowOf(operands, all.drop_front(lefts), r), back);
                    least = leastWith(b, least, b.CreateAlignedLoad(least->getType(), from, llvm::Align(1)));
                  }
                  LlvmValues next = repeat(b, lessOf(left, each), true, all, turn);
                  next.append({b.CreateSub(left, each), least});
                  return next;
                });
}

// Computes the distances before the loop, because code that is emitted into the loop runs in every iteration.
Microkernel::Moves Microkernel::movesOf(const Operands &operands, int64_t steps) {
  auto times = [&](LlvmValue *step) { return steps == 1 ? step : b.CreateMul(step, b.getInt64(static_cast<uint64_t>(steps))); };
  return {steps, times(operands.leftStep), times(operands.rightStep)};
}

LlvmValues Microkernel::addTurn(const Operands &operands, const Moves &moves, llvm::ArrayRef<LlvmValue *> carried, Step how) {
  const int64_t bytes = elemInfo(elem_).storageBytes;
  const llvm::Align align(1), registerAlign(static_cast<uint64_t>(lanes_ * bytes)),
      vectorAlign = operands.packed ? registerAlign : align;
  const int each = rowsOfPointer(operands);
  const size_t vectors = operands.columns.size(), tile = static_cast<size_t>(operands.rows) * vectors;
  const size_t lefts = static_cast<size_t>((operands.rows + each - 1) / each), nextAt = tile + lefts,
               copyAt = nextAt + (operands.next ? 1 : 0);
  const bool prefetches = operands.next && moves.steps == operands.steps;
  const uint64_t copyStep = vectors * registerAlign.value();
  LlvmValue *right = carried.back();
  LlvmValues next(carried.begin(), carried.begin() + static_cast<ptrdiff_t>(tile));
  for (int64_t k = 0; k < moves.steps; ++k) {
    LlvmValues row;
    LlvmValue *line = stepsOn(b, right, operands.rightStep, k);
    for (LlvmValue *column : operands.columns) {
      LlvmValue *at = byteOffset(b, line, column);
      row.push_back(operands.load ? operands.load(at) : b.CreateAlignedLoad(ops_.type(elem_, lanes_), at, vectorAlign));
    }
    if (operands.ahead) prefetchAhead(operands, line);
    if (operands.copy)
      for (size_t v = 0; v < vectors; ++v)
        b.CreateAlignedStore(
            row[v], byteOffset(b, carried[copyAt], b.getInt64(static_cast<uint64_t>(k) * copyStep + v * registerAlign.value())),
            registerAlign);
    for (int r = 0; r < operands.rows; ++r) {
      LlvmValue *at = stepsOn(b, rowOf(operands, carried.drop_front(tile), r), operands.leftStep, k);
      LlvmValue *inAllLanes =
          operands.broadcast ? operands.broadcast(at) : ops_.splat(b.CreateAlignedLoad(ops_.type(elem_, 0), at, align), lanes_);
      for (size_t v = 0; v < vectors; ++v) {
        LlvmValue *&sum = next[static_cast<size_t>(r) * vectors + v];
        sum = add(how, inAllLanes, row[v], sum);
      }
    }
  }
  if (prefetches) prefetch(b, carried[nextAt], Prefetch::ToL2);
  for (LlvmValue *left : carried.slice(tile, lefts)) next.push_back(byteOffset(b, left, moves.left));
  if (operands.next) next.push_back(prefetches ? byteOffset(b, carried[nextAt], operands.nextStep) : carried[nextAt]);
  if (operands.copy) next.push_back(byteOffset(b, carried[copyAt], b.getInt64(static_cast<uint64_t>(moves.steps) * copyStep)));
  next.push_back(byteOffset(b, right, moves.right));
  return next;
}

// Prefetches each cache line of a row of `b` once, by the address of its last byte. If the row starts within a line, that line
// is not prefetched: most of it belongs to the previous panel.
void Microkernel::prefetchAhead(const Operands &operands, LlvmValue *right) {
  LlvmValue *later = byteOffset(b, right, b.CreateAdd(operands.ahead, b.getInt64(kCacheLine - 1)));
  int64_t registerBytes = lanes_ * (operands.load ? operands.rightBytes : elemInfo(elem_).storageBytes);
  for (size_t v = 0; v < operands.columns.size(); ++v)
    if (static_cast<int64_t>(v) * registerBytes % kCacheLine == 0)
      prefetch(b, byteOffset(b, later, operands.columns[v]), Prefetch::ToL1);
}

LlvmValue *Microkernel::add(Step step, LlvmValue *x, LlvmValue *y, LlvmValue *sum) {
  switch (step) {
  case Step::Elements: return multiplyAdd(x, y, sum);
  case Step::PairsBf16: return multiplyAdd(half(x, true), half(y, true), multiplyAdd(half(x, false), half(y, false), sum));
  case Step::DotShorts: return dotShorts(sum, x, y);
  case Step::DotBytes: return leftUnsigned_ ? dotBytes(sum, x, y) : dotBytes(sum, y, x);
  case Step::DotBf16: break;
  }
  auto *pairs = llvm::FixedVectorType::get(b.getBFloatTy(), static_cast<unsigned>(2 * lanes_));
  llvm::Intrinsic::ID id =
      lanes_ == 16 ? llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512 : llvm::Intrinsic::x86_avx512bf16_dpbf16ps_256;
  return b.CreateIntrinsic(id, {}, {sum, b.CreateBitCast(x, pairs), b.CreateBitCast(y, pairs)});
}

LlvmValue *Microkernel::dotBytes(LlvmValue *sum, LlvmValue *x, LlvmValue *y) {
  auto *bytes = llvm::FixedVectorType::get(b.getInt8Ty(), static_cast<unsigned>(4 * lanes_));
  llvm::Intrinsic::ID id = lanes_ == 16  ? llvm::Intrinsic::x86_avx512_vpdpbusd_512
                           : lanes_ == 8 ? llvm::Intrinsic::x86_avx512_vpdpbusd_256
                                         : llvm::Intrinsic::x86_avx512_vpdpbusd_128;
  return b.CreateIntrinsic(id, {}, {sum, b.CreateBitCast(x, bytes), b.CreateBitCast(y, bytes)});
}

LlvmValue *Microkernel::dotShorts(LlvmValue *sum, LlvmValue *x, LlvmValue *y) {
  auto *shorts = llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(2 * lanes_));
  llvm::Intrinsic::ID id = lanes_ == 16  ? llvm::Intrinsic::x86_avx512_pmaddw_d_512
                           : lanes_ == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                         : llvm::Intrinsic::x86_sse2_pmadd_wd;
  return b.CreateAdd(sum, b.CreateIntrinsic(id, {}, {b.CreateBitCast(x, shorts), b.CreateBitCast(y, shorts)}));
}

// Returns one bf16 of each word as f32: its bits become the upper half.
LlvmValue *Microkernel::half(LlvmValue *words, bool upper) {
  LlvmValue *bits = b.CreateBitCast(words, ops_.type(Elem::I32, lanes_));
  bits = upper ? b.CreateAnd(bits, uint64_t{0xFFFF0000}) : b.CreateShl(bits, 16);
  return b.CreateBitCast(bits, words->getType());
}

LlvmValue *Microkernel::multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum) {
  if (!isFloat(elem_)) return b.CreateAdd(sum, b.CreateMul(x, y));
  // On processors without FMA the intrinsic would become a library call.
  return fma_ ? b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum}) : b.CreateFAdd(sum, b.CreateFMul(x, y));
}

} // namespace xt
