#include "targets/cpu/byte_range.h"

namespace xt {

ByteRange byteRange(llvm::IRBuilderBase &b, LlvmValue *base, llvm::ArrayRef<StridedDim> dims, int64_t elementBytes) {
  LlvmValue *start = b.CreatePtrToInt(base, b.getInt64Ty()), *low = start, *high = start;
  for (auto [count, stride] : dims) {
    LlvmValue *last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(count, b.getInt64(1)), b.getInt64(0));
    LlvmValue *extent = b.CreateMul(b.CreateMul(last, stride), b.getInt64(static_cast<uint64_t>(elementBytes)));
    LlvmValue *down = b.CreateICmpSLT(extent, b.getInt64(0));
    low = b.CreateSelect(down, b.CreateAdd(low, extent), low);
    high = b.CreateSelect(down, high, b.CreateAdd(high, extent));
  }
  return {low, b.CreateAdd(high, b.getInt64(static_cast<uint64_t>(elementBytes)))};
}

LlvmValue *areApart(llvm::IRBuilderBase &b, const ByteRange &x, const ByteRange &y) {
  return b.CreateOr(b.CreateICmpUGE(x.first, y.end), b.CreateICmpUGE(y.first, x.end));
}

} // namespace xt
