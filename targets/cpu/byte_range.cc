#include "targets/cpu/byte_range.h"

namespace xt {

namespace {

namespace Intrinsic = llvm::Intrinsic;

// At the ends of i64 where that is all that fits: shapes may stand for "no bound".
LlvmValue *product(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y) {
  return b.CreateIntrinsic(Intrinsic::smul_fix_sat, {x->getType()}, {x, y, b.getInt32(0)});
}

} // namespace

ByteRange byteRange(llvm::IRBuilderBase &b, LlvmValue *base, llvm::ArrayRef<StridedDim> dims, int64_t elementBytes) {
  LlvmValue *bytes = b.getInt64(static_cast<uint64_t>(elementBytes)), *none = b.getInt64(0);
  LlvmValue *first = b.CreatePtrToInt(base, b.getInt64Ty()), *end = b.CreateBinaryIntrinsic(Intrinsic::uadd_sat, first, bytes);
  for (auto [count, stride] : dims) {
    LlvmValue *last = b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(count, b.getInt64(1)), none);
    LlvmValue *extent = product(b, product(b, last, stride), bytes);
    LlvmValue *down = b.CreateICmpSLT(extent, none);
    first = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, first, b.CreateSelect(down, b.CreateNeg(extent), none));
    end = b.CreateBinaryIntrinsic(Intrinsic::uadd_sat, end, b.CreateSelect(down, none, extent));
  }
  return {first, end};
}

LlvmValue *areApart(llvm::IRBuilderBase &b, const ByteRange &x, const ByteRange &y) {
  return b.CreateOr(b.CreateICmpUGE(x.first, y.end), b.CreateICmpUGE(y.first, x.end));
}

} // namespace xt
