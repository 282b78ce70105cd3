#include "targets/soft/lower.h"

#include <algorithm>

namespace xt::soft {
namespace {

using Builder = llvm::IRBuilder<>;

// The address of element `offset` * `count`, at which vloadn and vstoren access `count` elements.
llvm::Value *elementsAt(Builder &b, llvm::Type *element, llvm::Value *pointer, llvm::Value *offset, uint64_t count) {
  llvm::Value *index = b.CreateMul(offset, llvm::ConstantInt::get(offset->getType(), count));
  return b.CreateGEP(element, pointer, index);
}

uint64_t countOf(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

// Arguments: (offset, pointer, …). The vector in memory has the type `stored`; f16 is converted to f32.
llvm::Value *loadVector(Builder &b, llvm::CallInst &call, llvm::Type *stored) {
  const llvm::DataLayout &layout = call.getModule()->getDataLayout();
  llvm::Type *element = stored->getScalarType();
  llvm::Value *from = elementsAt(b, element, call.getArgOperand(1), call.getArgOperand(0), countOf(stored));
  llvm::Value *value = b.CreateAlignedLoad(stored, from, layout.getABITypeAlign(element));
  return stored == call.getType() ? value : b.CreateFPExt(value, call.getType());
}

// Arguments: (value, offset, pointer, …).
llvm::Value *storeVector(Builder &b, llvm::CallInst &call, llvm::Value *value) {
  const llvm::DataLayout &layout = call.getModule()->getDataLayout();
  llvm::Type *element = value->getType()->getScalarType();
  llvm::Value *to = elementsAt(b, element, call.getArgOperand(2), call.getArgOperand(1), countOf(value->getType()));
  b.CreateAlignedStore(value, to, layout.getABITypeAlign(element));
  return nullptr;
}

// OpenCL's select(a, b, c): the result is `b` where `c` is true, else `a`. In a scalar, nonzero is true; in a vector, negative
// is true.
llvm::Value *select(Builder &b, llvm::CallInst &call) {
  llvm::Value *c = call.getArgOperand(2), *zero = llvm::Constant::getNullValue(c->getType());
  llvm::Value *which = c->getType()->isVectorTy() ? b.CreateICmpSLT(c, zero) : b.CreateICmpNE(c, zero);
  return b.CreateSelect(which, call.getArgOperand(1), call.getArgOperand(0));
}

} // namespace

bool lowerVectors(LowerContext &, llvm::Function &function, const BuiltinName &name) {
  std::string_view text = name.name;
  if (!takePrefix(text, "__spirv_ocl_")) return false;
  auto half = [](llvm::Type *type) { return type->getWithNewType(llvm::Type::getHalfTy(type->getContext())); };
  llvm::function_ref<llvm::Value *(Builder &, llvm::CallInst &)> make = nullptr;
  auto plainLoad = [](Builder &b, llvm::CallInst &call) { return loadVector(b, call, call.getType()); };
  auto halfLoad = [&](Builder &b, llvm::CallInst &call) { return loadVector(b, call, half(call.getType())); };
  auto plainStore = [](Builder &b, llvm::CallInst &call) { return storeVector(b, call, call.getArgOperand(0)); };
  auto halfStore = [&](Builder &b, llvm::CallInst &call) {
    return storeVector(b, call, b.CreateFPTrunc(call.getArgOperand(0), half(call.getArgOperand(0)->getType())));
  };
  if (text == "vloadn") make = plainLoad;
  if (text == "vload_half" || text == "vload_halfn") make = halfLoad;
  if (text == "vstoren") make = plainStore;
  if (text == "vstore_half" || text == "vstore_halfn") make = halfStore;
  if (text == "select" && function.arg_size() == 3) make = select;
  if (!make) return false;
  replaceCalls(function, make);
  return true;
}

} // namespace xt::soft
