// Matrix products: cl_intel_subgroup_matrix_multiply_accumulate and its tf32 companion.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/xe/emit/kernel_emitter.h"

#include <algorithm>

namespace xt {
namespace {

// The source of an element: a lane, and the index of the element in that lane's part.
struct Source {
  int64_t lane;
  size_t place;
};

// The sources of the q-th element of each lane.
std::vector<Source> sourcesOf(const Layout &from, const Layout &to, size_t q) {
  std::vector<Source> sources;
  int64_t lanes = to.axisSize(Axis::Lane);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<int64_t> columns = to.sliceOf(Axis::Lane, lane, 1);
    int64_t row = to.sliceOf(Axis::Lane, lane, 0)[q / columns.size()], column = columns[q % columns.size()];
    int64_t index[] = {row, column};
    int64_t owner = from.owners(index, Axis::Lane)[0];
    std::vector<int64_t> rows = from.sliceOf(Axis::Lane, owner, 0), own = from.sliceOf(Axis::Lane, owner, 1);
    auto r = static_cast<size_t>(std::find(rows.begin(), rows.end(), row) - rows.begin());
    auto c = static_cast<size_t>(std::find(own.begin(), own.end(), column) - own.begin());
    sources.push_back({owner, r * own.size() + c});
  }
  return sources;
}

} // namespace

// A small number for each lane, extracted from a constant with four bits per lane.
LlvmValue *XeKernelEmitter::perLane(llvm::ArrayRef<int64_t> numbers) {
  if (std::all_of(numbers.begin(), numbers.end(), [&](int64_t n) { return n == numbers[0]; })) return number32(numbers[0]);
  uint64_t table = 0;
  for (size_t lane = 0; lane < numbers.size(); ++lane) table |= static_cast<uint64_t>(numbers[lane]) << (4 * lane);
  bool wide = numbers.size() > 8;
  LlvmValue *shift = b.CreateShl(wide ? b.CreateZExt(lane_, b.getInt64Ty()) : lane_, 2);
  LlvmValue *moved = b.CreateLShr(wide ? b.getInt64(table) : b.getInt32(static_cast<uint32_t>(table)), shift);
  return b.CreateAnd(b.CreateZExtOrTrunc(moved, b.getInt32Ty()), number32(15));
}

// Shuffles elements between lanes if they are distributed differently from what the hardware requires.
Fragment XeKernelEmitter::dealtAs(const Fragment &own, Elem elem, const Layout &from, const Layout &to) {
  Fragment dealt;
  for (size_t q = 0; q < own.size(); ++q) {
    std::vector<Source> sources = sourcesOf(from, to, q);
    std::vector<int64_t> lanes, places;
    for (const Source &source : sources) {
      lanes.push_back(source.lane);
      places.push_back(static_cast<int64_t>(source.place));
    }
    LlvmValue *lane = perLane(lanes), *place = perLane(places), *value = nullptr;
    std::vector<int64_t> distinct = places;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (int64_t k : distinct) {
      LlvmValue *there = shuffled(elem, scalarOf(b, own[static_cast<size_t>(k)]), lane);
      value = value ? b.CreateSelect(b.CreateICmpEQ(place, number32(k)), there, value) : there;
    }
    dealt.push_back({value});
  }
  return dealt;
}

const Layout *XeKernelEmitter::layoutOfA(const Op &dpas) const {
  Type a = dpas.operand(0)->type(), bType = dpas.operand(1)->type(), result = dpas.result()->type();
  auto found = dpasFragments(context_, a, bType, result, kernel_.lanes);
  const auto *of = std::get_if<DpasFragments>(&found);
  XT_CHECK(of, "the type rule has found these fragments");
  bool exact = std::any_of(target_.mma.begin(), target_.mma.end(), [&](const MmaShape &shape) {
    return shape.a == a.elem() && shape.b == bType.elem() && shape.result == result.elem() && shape.m == of->rows &&
           shape.n == of->columns && shape.k == of->depth;
  });
  if (!exact || of->columns != kernel_.lanes) return nullptr;
  return hardwareFragments(context_, of->rows, of->columns, of->depth, a.elem(), kernel_.lanes).a;
}

const Op *XeKernelEmitter::firstWithoutInstruction() const {
  const Op *found = nullptr;
  walk(kernel_.body, [&](const Op &op) {
    if (!found && op.kind() == OpKind::Dpas && !layoutOfA(op)) found = &op;
  });
  return found;
}

void XeKernelEmitter::emitDpas(const Op &op) {
  Type a = op.operand(0)->type(), bType = op.operand(1)->type(), result = op.result()->type();
  auto found = dpasFragments(context_, a, bType, result, kernel_.lanes);
  const auto *of = std::get_if<DpasFragments>(&found);
  const Layout *wanted = layoutOfA(op);
  XT_CHECK(of && wanted, "a product that the target has");
  Fragment left = fragment(op.operand(0)), right = fragment(op.operand(1));
  if (wanted != of->a) {
    left = dealtAs(left, a.elem(), *of->a, *wanted);
    remark(op, "`dpas` needs the columns of a in separate lanes: its elements are first exchanged between lanes");
  }
  bool singles = a.elem() == Elem::TF32;
  // Per lane, a register of the operand has 32 bits on targets with 8 lanes, and 16 on those with 16.
  unsigned wordsOfA = kernel_.lanes == 16 ? 16 : 32;
  auto words = [&](const Fragment &fragment, unsigned bits) {
    if (!singles) return asWords(b, fragment, bits);
    Fragment rounded;
    for (LlvmValue *part : chunksOf(fragment, Elem::TF32)) append(rounded, ops_.mmaOperand(part, Elem::TF32));
    return together(b, rounded);
  };
  LlvmValue *x = words(left, wordsOfA), *y = words(right, 32);
  Fragment sum =
      op.operandCount() > 2 ? fragment(op.operand(2)) : splat(ops_.zero(result.elem(), 0), static_cast<size_t>(of->rows));
  LlvmValue *z = together(b, sum);
  llvm::Type *form = z->getType();
  if (result.elem() == Elem::F16) z = castBits(b, z, vectorOf(b.getHalfTy(), sum.size()));
  MmaShape shape{a.elem(), bType.elem(), result.elem(), of->rows, of->columns, of->depth};
  LlvmValue *product = options_.intelExtensions ? callDevice(b, productInstruction(shape),
                                                             {number32(shape.k), x, y, z, number32(productOperands(shape))},
                                                             DeviceEffect::Convergent)
                                                : callDevice(b, deviceFunction(shape), {x, y, z}, DeviceEffect::Convergent);
  Fragment own;
  append(own, castBits(b, product, form));
  fragments_[op.result()] = std::move(own);
}

// Used if there is no instruction: each lane has all of a, and multiplies its columns of b. 16-bit sums are accumulated in f32
// and rounded once.
void XeKernelEmitter::emitTileMma(const Op &op) {
  Type a = op.operand(0)->type(), result = op.result()->type();
  Elem elem = result.elem(), work = isInteger(elem) || elem == Elem::F64 ? elem : Elem::F32;
  auto rows = static_cast<size_t>(a.extent(0)), depth = static_cast<size_t>(a.extent(1)),
       columns = static_cast<size_t>(result.extent(1));
  auto widened = [&](size_t operand) {
    Elem own = op.operand(operand)->type().elem();
    Fragment wide;
    for (LlvmValue *part : chunksOf(fragment(op.operand(operand)), own))
      append(wide, own == Elem::F64 ? part : ops_.mmaOperand(part, own));
    return wide;
  };
  Fragment left = widened(0), right = widened(1), sums;
  if (op.operandCount() == 2)
    sums = splat(ops_.zero(work, 0), rows * columns);
  else
    for (LlvmValue *part : chunksOf(fragment(op.operand(2)), elem))
      append(sums, isFloat(elem) ? ops_.convertFloat(part, elem, work) : part);
  unsigned bits = ops_.type(work, 0)->getScalarSizeInBits();
  Fragment done(rows * columns);
  for (size_t n = 0; n < columns; ++n)
    for (size_t r = 0; r < rows;) { // several rows of a column at a time
      size_t length = chunkLength(bits, rows - r);
      Fragment part;
      for (size_t i = 0; i < length; ++i) part.push_back(sums[(r + i) * columns + n]);
      LlvmValue *sum = together(b, part);
      for (size_t k = 0; k < depth; ++k) {
        Fragment x;
        for (size_t i = 0; i < length; ++i) x.push_back(left[(r + i) * depth + k]);
        LlvmValue *factor = together(b, x), *other = together(b, splat(scalarOf(b, right[k * columns + n]), length));
        sum = isInteger(work) ? b.CreateAdd(sum, b.CreateMul(factor, other)) : b.CreateFAdd(sum, b.CreateFMul(factor, other));
      }
      if (isFloat(elem)) sum = ops_.convertFloat(sum, work, elem);
      Fragment own;
      append(own, sum);
      for (size_t i = 0; i < length; ++i) done[(r + i) * columns + n] = own[i];
      r += length;
    }
  fragments_[op.result()] = std::move(done);
}

} // namespace xt
