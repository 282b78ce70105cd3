#include "targets/soft/lower.h"
#include "targets/soft/math_functions.h"

#include <llvm/IR/Intrinsics.h>

namespace xt::soft {
namespace {

using Builder = llvm::IRBuilder<>;
using Arguments = llvm::ArrayRef<llvm::Value *>;

struct IntrinsicRow {
  std::string_view name;
  llvm::Intrinsic::ID id;
  unsigned arguments;
};

// Functions that processors implement, or that LLVM expands exactly.
constexpr IntrinsicRow kFloat[] = {
    {"fabs", llvm::Intrinsic::fabs, 1},
    {"floor", llvm::Intrinsic::floor, 1},
    {"ceil", llvm::Intrinsic::ceil, 1},
    {"trunc", llvm::Intrinsic::trunc, 1},
    {"rint", llvm::Intrinsic::rint, 1},
    {"sqrt", llvm::Intrinsic::sqrt, 1},
    {"fma", llvm::Intrinsic::fma, 3},
    {"mad", llvm::Intrinsic::fma, 3},
    {"copysign", llvm::Intrinsic::copysign, 2},
    {"fmax", llvm::Intrinsic::maxnum, 2},
    {"fmin", llvm::Intrinsic::minnum, 2},
    {"fmax_common", llvm::Intrinsic::maxnum, 2},
    {"fmin_common", llvm::Intrinsic::minnum, 2},
};
constexpr IntrinsicRow kInteger[] = {
    {"s_max", llvm::Intrinsic::smax, 2},         {"u_max", llvm::Intrinsic::umax, 2},
    {"s_min", llvm::Intrinsic::smin, 2},         {"u_min", llvm::Intrinsic::umin, 2},
    {"s_add_sat", llvm::Intrinsic::sadd_sat, 2}, {"u_add_sat", llvm::Intrinsic::uadd_sat, 2},
    {"s_sub_sat", llvm::Intrinsic::ssub_sat, 2}, {"u_sub_sat", llvm::Intrinsic::usub_sat, 2},
    {"popcount", llvm::Intrinsic::ctpop, 1},
};

// Calls scalar(arguments) for each element of a vector, or once if the type is a scalar.
llvm::Value *byElement(Builder &builder, llvm::Type *type, Arguments arguments,
                       llvm::function_ref<llvm::Value *(Arguments)> scalar) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (!vector) return scalar(arguments);
  llvm::Value *result = llvm::PoisonValue::get(type);
  for (unsigned i = 0; i < vector->getNumElements(); ++i) {
    std::vector<llvm::Value *> elements;
    for (llvm::Value *argument : arguments)
      elements.push_back(argument->getType()->isVectorTy() ? builder.CreateExtractElement(argument, i) : argument);
    result = builder.CreateInsertElement(result, scalar(elements), i);
  }
  return result;
}

// Emits a call of a function of math_functions.h. f16 is computed in f32, and the result is rounded to f16.
llvm::Value *callMath(LowerContext &context, Builder &builder, const MathFunction &function, llvm::Type *type,
                      Arguments arguments) {
  bool half = type->isHalfTy();
  llvm::Type *computed = half ? builder.getFloatTy() : type;
  std::vector<llvm::Type *> types;
  std::vector<llvm::Value *> values;
  for (llvm::Value *argument : arguments) {
    bool isFloat = argument->getType()->isFloatingPointTy();
    values.push_back(isFloat ? builder.CreateFPCast(argument, computed)
                             : builder.CreateSExtOrTrunc(argument, builder.getInt32Ty()));
    types.push_back(values.back()->getType());
  }
  llvm::FunctionCallee callee = context.runtime(mathSymbol(function, computed->isDoubleTy()).c_str(), computed, types);
  auto *declared = llvm::cast<llvm::Function>(callee.getCallee());
  declared->setDoesNotAccessMemory();
  declared->setWillReturn();
  return builder.CreateFPCast(builder.CreateCall(callee, values), type);
}

bool lowerTable(LowerContext &context, llvm::Function &function, std::string_view name) {
  llvm::Type *type = function.getReturnType(), *scalar = type->getScalarType();
  if (!scalar->isFloatingPointTy()) return false;
  const MathFunction *math = findMathFunction(name);
  if (!math || function.arg_size() != static_cast<size_t>(math->floats + (math->integer ? 1 : 0))) return false;
  replaceCalls(function, [&](Builder &builder, llvm::CallInst &call) {
    std::vector<llvm::Value *> arguments(call.arg_begin(), call.arg_end());
    return byElement(builder, type, arguments, [&](Arguments each) { return callMath(context, builder, *math, scalar, each); });
  });
  return true;
}

bool lowerIntrinsic(llvm::Function &function, std::string_view name) {
  llvm::Type *type = function.getReturnType();
  bool isFloat = type->isFPOrFPVectorTy();
  for (const IntrinsicRow &row : isFloat ? llvm::ArrayRef(kFloat) : llvm::ArrayRef(kInteger))
    if (row.name == name && function.arg_size() == row.arguments) {
      replaceCalls(function, [&](Builder &builder, llvm::CallInst &call) {
        std::vector<llvm::Value *> arguments(call.arg_begin(), call.arg_end());
        for (llvm::Value *&each : arguments) // a scalar operand such as in fmax(float4, float)
          if (type->isVectorTy() && !each->getType()->isVectorTy())
            each = builder.CreateVectorSplat(llvm::cast<llvm::FixedVectorType>(type)->getNumElements(), each);
        return builder.CreateIntrinsic(row.id, {type}, arguments);
      });
      return true;
    }
  return false;
}

llvm::Value *wide(Builder &builder, llvm::Value *value, bool isSigned) {
  llvm::Type *type = value->getType(), *doubled = type->getExtendedType();
  return isSigned ? builder.CreateSExt(value, doubled) : builder.CreateZExt(value, doubled);
}

// The upper half of a product.
llvm::Value *highProduct(Builder &builder, llvm::Value *a, llvm::Value *b, bool isSigned) {
  unsigned bits = a->getType()->getScalarSizeInBits();
  llvm::Value *product = builder.CreateMul(wide(builder, a, isSigned), wide(builder, b, isSigned));
  return builder.CreateTrunc(builder.CreateLShr(product, bits), a->getType());
}

llvm::Value *halfSum(Builder &builder, llvm::Value *a, llvm::Value *b, bool isSigned, uint64_t up) {
  llvm::Value *sum = builder.CreateAdd(wide(builder, a, isSigned), wide(builder, b, isSigned));
  sum = builder.CreateAdd(sum, llvm::ConstantInt::get(sum->getType(), up));
  return builder.CreateTrunc(builder.CreateLShr(sum, 1), a->getType());
}

// Emits an integer function; null if the name is unknown.
llvm::Value *integerFunction(Builder &b, std::string_view name, Arguments v) {
  llvm::Type *type = v[0]->getType();
  bool isSigned = name.starts_with("s_");
  if (isSigned || name.starts_with("u_")) name.remove_prefix(2);
  using namespace llvm;
  if (name == "abs") return isSigned ? b.CreateBinaryIntrinsic(Intrinsic::abs, v[0], b.getFalse()) : v[0];
  if (name == "clz") return b.CreateBinaryIntrinsic(Intrinsic::ctlz, v[0], b.getFalse());
  if (name == "ctz") return b.CreateBinaryIntrinsic(Intrinsic::cttz, v[0], b.getFalse());
  if (v.size() < 2) return nullptr;
  if (name == "rotate") return b.CreateIntrinsic(Intrinsic::fshl, {type}, {v[0], v[0], v[1]});
  if (name == "mul24") return b.CreateMul(v[0], v[1]);
  if (name == "mul_hi") return highProduct(b, v[0], v[1], isSigned);
  if (name == "hadd") return halfSum(b, v[0], v[1], isSigned, 0);
  if (name == "rhadd") return halfSum(b, v[0], v[1], isSigned, 1);
  if (name == "abs_diff")
    return b.CreateSub(b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax, v[0], v[1]),
                       b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin, v[0], v[1]));
  if (v.size() < 3) return nullptr;
  if (name == "mad24") return b.CreateAdd(b.CreateMul(v[0], v[1]), v[2]);
  if (name == "mad_hi") return b.CreateAdd(highProduct(b, v[0], v[1], isSigned), v[2]);
  if (name == "clamp")
    return b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smin : Intrinsic::umin,
                                   b.CreateBinaryIntrinsic(isSigned ? Intrinsic::smax : Intrinsic::umax, v[0], v[1]), v[2]);
  if (name == "bitselect") return b.CreateOr(b.CreateAnd(v[0], b.CreateNot(v[2])), b.CreateAnd(v[1], v[2]));
  return nullptr;
}

bool lowerInteger(llvm::Function &function, std::string_view name) {
  if (!function.getReturnType()->isIntOrIntVectorTy() || !function.arg_size()) return false;
  for (const llvm::Argument &argument : function.args())
    if (argument.getType() != function.getReturnType()) return false;
  { // tests with a temporary function whether the name is known
    llvm::LLVMContext &llvm = function.getContext();
    llvm::Module scratch("", llvm);
    auto *trial = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::InternalLinkage, "", scratch);
    Builder builder(llvm::BasicBlock::Create(llvm, "", trial));
    std::vector<llvm::Value *> arguments;
    for (llvm::Argument &argument : trial->args()) arguments.push_back(&argument);
    if (!integerFunction(builder, name, arguments)) return false;
  }
  replaceCalls(function, [&](Builder &builder, llvm::CallInst &call) {
    std::vector<llvm::Value *> arguments(call.arg_begin(), call.arg_end());
    return integerFunction(builder, name, arguments);
  });
  return true;
}

// Classification of floats (__spirv_IsNan and similar), and __spirv_Dot.
bool lowerClassification(llvm::Function &function, const std::string &name) {
  if (!function.arg_size() || !function.getArg(0)->getType()->isFPOrFPVectorTy()) return false;
  unsigned mask = 0;
  if (name == "__spirv_IsNan") mask = llvm::fcNan;
  if (name == "__spirv_IsInf") mask = llvm::fcInf;
  if (name == "__spirv_IsFinite") mask = llvm::fcFinite;
  if (name == "__spirv_IsNormal") mask = llvm::fcNormal;
  if (name == "__spirv_SignBitSet") mask = llvm::fcNegative;
  if (!mask && name != "__spirv_Dot") return false;
  replaceCalls(function, [&](Builder &b, llvm::CallInst &call) -> llvm::Value * {
    llvm::Value *value = call.getArgOperand(0);
    if (mask) return b.CreateZExtOrTrunc(b.createIsFPClass(value, mask), call.getType());
    return b.CreateFAddReduce(llvm::ConstantFP::getNegativeZero(call.getType()), b.CreateFMul(value, call.getArgOperand(1)));
  });
  return true;
}

// Removes hints, which have no effect.
bool lowerHint(llvm::Function &function, std::string_view name) {
  if (name != "prefetch") return false;
  replaceCalls(function, [](Builder &, llvm::CallInst &) -> llvm::Value * { return nullptr; });
  return true;
}

} // namespace

bool lowerMath(LowerContext &context, llvm::Function &function, const BuiltinName &builtin) {
  if (lowerClassification(function, builtin.name)) return true;
  std::string_view name = builtin.name;
  if (!takePrefix(name, "__spirv_ocl_") && name.starts_with("__spirv")) return false;
  if (lowerHint(function, name)) return true;
  if (!takePrefix(name, "native_")) takePrefix(name, "half_");
  if (name == "fclamp") name = "clamp";
  if (lowerIntrinsic(function, name)) return true;
  return lowerTable(context, function, name) || lowerInteger(function, name);
}

} // namespace xt::soft
