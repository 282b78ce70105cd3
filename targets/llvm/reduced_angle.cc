#include "targets/llvm/reduced_angle.h"

#include "targets/llvm/double_code.h"

#include <llvm/IR/Module.h>

#include <limits>

namespace xt {
namespace {

constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

// 64 zeros and then the bits of 2/pi = 0.1010… in binary: as many as the largest f64 needs.
constexpr uint64_t kTwoOverPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                   0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                   0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                   0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                   0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
constexpr uint64_t kWordBits = 64;
// The significand of x is an integer of 53 bits, and x is that times 2^(exponent - kUnit), with the exponent of x as it is stored.
constexpr uint64_t kUnit = 1023 + 52;

class ReducedAngle : DoubleCode {
public:
  ReducedAngle(llvm::IRBuilderBase &builder, LlvmValue *x) : DoubleCode(builder, builder.getDoubleTy()), x_(x) {}

  LlvmValue *compute(llvm::Type *type) {
    llvm::Type *wide = b.getInt128Ty();
    LlvmValue *turns = turnsOf(asInteger(x_)); // x 2/pi modulo 4, in units of 2^-126
    auto units = [&](unsigned bit) { return b.CreateShl(llvm::ConstantInt::get(wide, 1), bit); };
    LlvmValue *n = b.CreateLShr(b.CreateAdd(turns, units(125)), 126);
    LlvmValue *rest = b.CreateSub(turns, b.CreateShl(n, 126)); // between -1/2 and 1/2
    LlvmValue *below = b.CreateICmpSLT(rest, llvm::ConstantInt::get(wide, 0)), *negative = b.CreateFCmpOLT(x_, number(0));
    DoublePair angle = timesHalfPi(b.CreateSelect(below, b.CreateNeg(rest), rest));
    LlvmValue *turned = b.CreateXor(below, negative), *quadrant = b.CreateTrunc(n, ints_);
    auto turn = [&](LlvmValue *value) { return b.CreateSelect(turned, b.CreateFNeg(value), value); };
    LlvmValue *result = llvm::PoisonValue::get(type);
    result = b.CreateInsertValue(result, b.CreateSelect(negative, b.CreateNeg(quadrant), quadrant), 0);
    result = b.CreateInsertValue(result, turn(angle.high), 1);
    return b.CreateInsertValue(result, turn(angle.low), 2);
  }

private:
  // |x| 2/pi modulo 4 in units of 2^-126. The first bit of 2/pi that counts is that whose product with the lowest bit of the
  // significand is 2.
  LlvmValue *turnsOf(LlvmValue *image) {
    LlvmValue *exponent = b.CreateAnd(b.CreateLShr(image, kMantissaBits), integer(0x7ff));
    uint64_t ones = (uint64_t{1} << kMantissaBits) - 1;
    LlvmValue *significand = b.CreateOr(b.CreateAnd(image, integer(ones)), integer(ones + 1));
    LlvmValue *first = b.CreateSub(exponent, integer(kUnit + 2 - kWordBits));
    LlvmValue *index = b.CreateLShr(first, 6), *shift = b.CreateAnd(first, integer(kWordBits - 1));
    constexpr size_t kParts = 4;
    LlvmValue *words[kParts];
    for (size_t i = 0; i < kParts; ++i) words[i] = word(b.CreateAdd(index, integer(i)));
    auto part = [&](size_t i) { return b.CreateIntrinsic(llvm::Intrinsic::fshl, {ints_}, {words[i], words[i + 1], shift}); };
    auto wide = [&](LlvmValue *value) { return b.CreateZExt(value, b.getInt128Ty()); };
    auto times = [&](size_t i) { return b.CreateMul(wide(significand), wide(part(i))); };
    LlvmValue *high = b.CreateShl(wide(b.CreateMul(significand, part(0))), kWordBits); // what is beyond are multiples of 4
    return b.CreateAdd(high, b.CreateAdd(times(1), b.CreateLShr(times(2), kWordBits)));
  }
  // A word of the table. Infinities and NaN have an index beyond the end.
  LlvmValue *word(LlvmValue *index) {
    LlvmValue *known = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index, integer(std::size(kTwoOverPi) - 1));
    return b.CreateAlignedLoad(b.getInt64Ty(), b.CreateGEP(b.getInt64Ty(), table(), {known}), llvm::Align(8));
  }
  llvm::GlobalVariable *table() {
    llvm::Module &module = *b.GetInsertBlock()->getModule();
    constexpr const char *kName = "xt_two_over_pi";
    if (llvm::GlobalVariable *known = module.getGlobalVariable(kName, true)) return known;
    llvm::Constant *bits = llvm::ConstantDataArray::get(b.getContext(), llvm::ArrayRef<uint64_t>(kTwoOverPi));
    auto *made = new llvm::GlobalVariable(module, bits->getType(), true, llvm::GlobalValue::InternalLinkage, bits, kName);
    made->setAlignment(llvm::Align(8));
    return made;
  }

  // A number in units of 2^-126 times pi/2. The leading 53 bits are exact as an f64, and the 64 after these are rounded.
  DoublePair timesHalfPi(LlvmValue *units) {
    llvm::Type *wide = units->getType();
    units = b.CreateOr(units, llvm::ConstantInt::get(wide, 1)); // so that there is a leading bit
    LlvmValue *zeros = b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, units, b.getTrue());
    LlvmValue *shifted = b.CreateShl(units, zeros);
    auto bits = [&](uint64_t first) { return b.CreateUIToFP(b.CreateTrunc(b.CreateLShr(shifted, first), ints_), doubles_); };
    LlvmValue *unit = power(b.CreateSub(integer(128 - 53 - 126), b.CreateTrunc(zeros, ints_)));
    LlvmValue *high = b.CreateFMul(bits(128 - 53), unit);
    LlvmValue *low = b.CreateFMul(b.CreateFMul(bits(128 - 53 - 64), number(0x1p-64)), unit);
    DoublePair exact = product(high, number(kHalfPi));
    return sum(exact.high, b.CreateFAdd(exact.low, fma(high, number(kHalfPiLow), b.CreateFMul(low, number(kHalfPi)))));
  }

  LlvmValue *x_;
};

} // namespace

llvm::Function *reducedAngle(llvm::IRBuilderBase &builder) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  constexpr const char *kName = "xt_reduced_angle";
  if (llvm::Function *known = module.getFunction(kName)) return known;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *number = llvm::Type::getDoubleTy(context);
  llvm::Type *result = llvm::StructType::get(context, {llvm::Type::getInt64Ty(context), number, number});
  auto *function = llvm::Function::Create(llvm::FunctionType::get(result, {number}, false), llvm::GlobalValue::InternalLinkage,
                                          kName, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  llvm::IRBuilder<> body(llvm::BasicBlock::Create(context, "entry", function));
  body.CreateRet(ReducedAngle(body, function->getArg(0)).compute(result));
  return function;
}

} // namespace xt
