#include "targets/llvm/lane/failures.h"

#include "ir/asserted_shape.h"
#include "ir/base/check.h"
#include "ir/base/extents.h"
#include "ir/views/tile.h"
#include "targets/llvm/lane/memory.h"

namespace xt {
namespace {

constexpr int64_t kNoNumber = 0xFFFFFFFF; // no element fails

} // namespace

// Returns the linear id of the workgroup: row-major, dimension x fastest.
LlvmValue *LaneFailures::workgroupNumber() {
  auto count = [&](int d) { return c.device.groupCount(b, d); };
  LlvmValue *rows = b.CreateAdd(b.CreateMul(v.wide(c.coordinates[2]), count(1)), v.wide(c.coordinates[1]));
  return b.CreateAdd(b.CreateMul(rows, count(0)), v.wide(c.coordinates[0]));
}

// Allocates the numbers of a failure, one per element of its shape, and returns the first. The parts of one assert share them.
int64_t LaneFailures::numberOf(LaneFailure failure) {
  for (const LaneFailure &known : c.output.failures)
    if (known.asserted && known.place == failure.place && known.text == failure.text && known.shape == failure.shape)
      return known.first;
  failure.first = static_cast<uint32_t>(c.failureNumbers);
  for (int64_t &extent : failure.shape) XT_CHECK(extent > 0, "an assert of nothing");
  c.failureNumbers += productOf(failure.shape);
  XT_CHECK(c.failureNumbers < int64_t{1} << (32 - subgroupBits(c.kernel.subgroups)), "more failures than numbers");
  c.output.failures.push_back(std::move(failure));
  return c.output.failures.back().first;
}

// Reports a failure with this number if `failed` holds: lowers the outcome word to its code (lane_kernel.h) if that is less.
void LaneFailures::tell(LlvmValue *failed, LlvmValue *number) {
  LaneMemoryOps(c).guardedDo(failed, [&] {
    int bits = subgroupBits(c.kernel.subgroups);
    LlvmValue *what = b.CreateShl(number, static_cast<uint64_t>(bits));
    if (bits > 0) what = b.CreateOr(what, b.CreateZExtOrTrunc(c.subgroup, b.getInt32Ty()));
    LlvmValue *code = b.CreateOr(b.CreateShl(workgroupNumber(), 32), b.CreateZExt(what, b.getInt64Ty()));
    b.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, c.outcome, code, llvm::Align(8), llvm::AtomicOrdering::Monotonic,
                      c.syncScope(LaneScope::Device));
  });
}

void LaneFailures::failIf(LlvmValue *condition, const Op &op, std::string message) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition);
  if (known && known->isZero()) return;
  tell(condition, v.number32(numberOf({0, std::move(message), op.range(), false, false, {}})));
}

// Returns the position of a part of an assert's condition in the whole vector, to which each element adds its own position.
LlvmValue *LaneFailures::placeInWhole(const Op &op, llvm::ArrayRef<int64_t> whole) {
  LlvmValue *place = v.number32(0);
  int64_t stride = 1;
  for (size_t d = op.operandCount() > 1 ? whole.size() : 0; d-- > 0; stride *= whole[d]) {
    LlvmValue *first = b.CreateSExtOrTrunc(v.scalar(op.operand(1 + d)), b.getInt32Ty());
    place = b.CreateAdd(place, b.CreateMul(first, v.number32(stride)));
  }
  return place;
}

// Reports the lowest failure number of the elements that fail. If the condition is part of a vector, its elements are numbered
// as in the whole vector.
void LaneFailures::emitAssert(const Op &op) {
  Type type = op.operand(0)->type();
  std::vector<int64_t> whole = assertedShape(op);
  auto numbers = [&] {
    return numberOf({0, std::string(AssertOp(op).text()), op.range(), true, AssertOp(op).workgroup(), whole});
  };
  if (type.isScalar()) {
    LlvmValue *failed = b.CreateNot(v.scalar(op.operand(0)));
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(failed);
    if (!known || !known->isZero()) tell(failed, v.number32(numbers()));
    return;
  }
  const Fragment &conditions = v.fragment(op.operand(0));
  LlvmValue *least = v.number32(kNoNumber);
  for (size_t k = conditions.size(); k-- > 0;) {
    int64_t place = 0, stride = 1;
    auto rest = static_cast<int64_t>(k);
    for (size_t d = whole.size(); d-- > 0; stride *= whole[d]) {
      int64_t extent = type.extent(static_cast<int>(d));
      place += rest % extent * stride;
      rest /= extent;
    }
    least =
        b.CreateSelect(scalarOf(b, conditions[k]), least, v.number32(place)); // iterates backwards, so the first element wins
  }
  LlvmValue *failed = b.CreateICmpNE(least, v.number32(kNoNumber));
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(failed);
  if (known && known->isZero()) return;
  LlvmValue *first = b.CreateAdd(placeInWhole(op, whole), v.number32(numbers()));
  tell(failed, b.CreateAdd(first, least));
}

} // namespace xt
