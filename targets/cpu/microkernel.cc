#include "targets/cpu/microkernel.h"

namespace xt {

LlvmValues Microkernel::multiply(const Operands &operands, LlvmValues sums) {
  int64_t bytes = elemInfo(elem_).storageBytes;
  llvm::Align vectorAlign(static_cast<uint64_t>(lanes_ * bytes)), align(1);
  auto step = [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValue *leftOffset = carried[carried.size() - 2], *rightOffset = carried.back();
    LlvmValues row, next;
    for (LlvmValue *column : operands.rightColumns)
      row.push_back(b.CreateAlignedLoad(ops_.type(elem_, lanes_), byteOffset(b, column, rightOffset), vectorAlign));
    for (size_t r = 0; r < operands.leftRows.size(); ++r) {
      LlvmValue *element = b.CreateAlignedLoad(ops_.type(elem_, 0), byteOffset(b, operands.leftRows[r], leftOffset), align);
      LlvmValue *broadcast = ops_.splat(element, lanes_);
      for (size_t v = 0; v < row.size(); ++v) next.push_back(multiplyAdd(broadcast, row[v], carried[r * row.size() + v]));
    }
    next.push_back(b.CreateAdd(leftOffset, operands.leftStep));
    next.push_back(b.CreateAdd(rightOffset, operands.rightStep));
    return next;
  };
  sums.push_back(b.getInt64(0));
  sums.push_back(b.getInt64(0));
  sums = forLoop(b, b.getInt64(0), operands.depth, b.getInt64(1), sums, step);
  sums.resize(sums.size() - 2);
  return sums;
}

LlvmValue *Microkernel::multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum) {
  if (!isFloat(elem_)) return b.CreateAdd(sum, b.CreateMul(x, y));
  // Without the instruction an fma would be a library call.
  return fma_ ? b.CreateIntrinsic(llvm::Intrinsic::fma, {sum->getType()}, {x, y, sum}) : b.CreateFAdd(sum, b.CreateFMul(x, y));
}

} // namespace xt
