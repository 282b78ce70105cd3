#include "targets/cpu/products/words.h"

#include "ir/elem_kinds.h"

namespace xt {

LlvmValue *sideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, Elem elem, const LlvmValues &chunks, Elem word, int lanes) {
  auto bits = static_cast<uint64_t>(8 * elemInfo(elem).storageBytes);
  LlvmValue *words = nullptr;
  for (size_t i = 0; i < chunks.size(); ++i) {
    LlvmValue *part = b.CreateShl(b.CreateZExt(chunks[i], ops.type(Elem::I32, lanes)), bits * i);
    words = words ? b.CreateOr(words, part) : part;
  }
  return b.CreateBitCast(words, ops.type(word, lanes));
}

namespace {

// Returns x0 y0 x1 y1 …, `count` elements in all, from element `first` of both on, as elements that are twice as wide.
LlvmValue *interleaved(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y, int first, int count) {
  auto *type = llvm::cast<llvm::FixedVectorType>(x->getType());
  auto each = static_cast<int>(type->getNumElements());
  llvm::SmallVector<int, 64> order;
  for (int i = first; i < first + count / 2; ++i) order.append({i, each + i});
  llvm::Type *wider =
      llvm::FixedVectorType::get(b.getIntNTy(2 * type->getScalarSizeInBits()), static_cast<unsigned>(count / 2));
  return b.CreateBitCast(b.CreateShuffleVector(x, y, order), wider);
}

} // namespace

LlvmValues allSideBySide(llvm::IRBuilderBase &b, RegisterOps &ops, const LlvmValues &chunks, Elem word, int lanes) {
  const int each = 2 * lanes,
            columns = static_cast<int>(llvm::cast<llvm::FixedVectorType>(chunks[0]->getType())->getNumElements());
  LlvmValues registers;
  for (int first = 0; first < columns; first += each) {
    LlvmValues pairs = chunks;
    if (chunks.size() == 4)
      pairs = {interleaved(b, chunks[0], chunks[1], first, 2 * each), interleaved(b, chunks[2], chunks[3], first, 2 * each)};
    for (int half : {0, lanes})
      registers.push_back(b.CreateBitCast(interleaved(b, pairs[0], pairs[1], half, each), ops.type(word, lanes)));
  }
  return registers;
}

LlvmValue *leastOfNone(llvm::IRBuilderBase &b, int lanes) {
  return llvm::ConstantInt::get(llvm::FixedVectorType::get(b.getInt16Ty(), static_cast<unsigned>(2 * lanes)), 0xFFFF);
}

LlvmValue *leastWith(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *words) {
  llvm::Type *type = least->getType();
  LlvmValue *bits = b.CreateAnd(b.CreateBitCast(words, type), llvm::ConstantInt::get(type, 0x7FFF));
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, least,
                                 b.CreateSub(bits, llvm::ConstantInt::get(type, 1))); // 0 becomes the largest
}

LlvmValue *leastBits(llvm::IRBuilderBase &b, LlvmValue *least) {
  LlvmValue *bits = b.CreateUnaryIntrinsic(llvm::Intrinsic::vector_reduce_umin, least);
  return b.CreateAdd(b.CreateZExt(bits, b.getInt64Ty()), b.getInt64(1));
}

LlvmValue *leastMagnitude(llvm::IRBuilderBase &b, const WordMatrix &matrix, int lanes) {
  LlvmValue *none = leastOfNone(b, lanes), *registerBytes = b.getInt64(static_cast<uint64_t>(4 * lanes)), *zero = b.getInt64(0);
  auto wordsAt = [&](LlvmValue *address) { return b.CreateAlignedLoad(none->getType(), address, llvm::Align(1)); };
  llvm::SmallVector<llvm::Constant *, 32> ofTail;
  for (int64_t i = 0; i < 2 * lanes; ++i) ofTail.push_back(b.getInt16(i < matrix.tail ? 0xFFFF : 0));
  LlvmValue *last = b.CreateSub(matrix.bytes, registerBytes),
            *whole = matrix.tail ? last : b.CreateAnd(matrix.bytes, b.CreateNeg(registerBytes));
  LlvmValues least =
      forLoop(b, zero, matrix.rows, b.getInt64(1), {none}, [&](LlvmValue *row, llvm::ArrayRef<LlvmValue *> carried) {
        LlvmValue *line = byteOffset(b, matrix.base, b.CreateMul(row, matrix.pitch));
        LlvmValues found =
            forLoop(b, zero, whole, registerBytes, {carried[0]}, [&](LlvmValue *at, llvm::ArrayRef<LlvmValue *> before) {
              return LlvmValues{leastWith(b, before[0], wordsAt(byteOffset(b, line, at)))};
            });
        if (matrix.tail)
          return LlvmValues{
              leastWith(b, found[0], b.CreateAnd(wordsAt(byteOffset(b, line, whole)), llvm::ConstantVector::get(ofTail)))};
        // This loop has at most one iteration: a register that overlaps the one before.
        return forLoop(b, whole, matrix.bytes, registerBytes, found, [&](LlvmValue *, llvm::ArrayRef<LlvmValue *> before) {
          return LlvmValues{leastWith(b, before[0], wordsAt(byteOffset(b, line, last)))};
        });
      });
  return leastBits(b, least[0]);
}

LlvmValue *isLeastBelow(llvm::IRBuilderBase &b, LlvmValue *least, LlvmValue *bits) {
  auto *type = llvm::cast<llvm::FixedVectorType>(least->getType());
  // The elements of `least` are less than the bits by one, too (leastWith).
  LlvmValue *oneLess = b.CreateTrunc(b.CreateSub(bits, b.getInt64(1)), b.getInt16Ty());
  return b.CreateOrReduce(b.CreateICmpULT(least, b.CreateVectorSplat(type->getElementCount(), oneLess)));
}

LlvmValue *leastNormalPartner(llvm::IRBuilderBase &b, LlvmValue *other) {
  // The least sum of the exponents of both factors (words.h); an exponent above that of all numbers.
  constexpr uint64_t kExponents = 142, kNone = 256, kMantissaBits = 7;
  LlvmValue *exponent = b.CreateLShr(other, kMantissaBits);
  LlvmValue *partner =
      b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, b.CreateSub(b.getInt64(kExponents), exponent), b.getInt64(1));
  return b.CreateShl(b.CreateSelect(b.CreateICmpEQ(exponent, b.getInt64(0)), b.getInt64(kNone), partner), kMantissaBits);
}

LlvmValue *areNormal(llvm::IRBuilderBase &b, LlvmValue *left, LlvmValue *right) {
  return b.CreateICmpUGE(left, leastNormalPartner(b, right));
}

} // namespace xt
