#include "targets/soft/block_messages.h"
#include "targets/soft/cooperative_matrices.h"
#include "targets/soft/counting_barriers.h"
#include "targets/soft/group_functions.h"
#include "targets/soft/lower.h"
#include "targets/soft/products.h"
#include "targets/soft/runtime.h"
#include "targets/soft/warp_loads.h"
#include "targets/soft/warp_products.h"
#include "targets/xe/library/device_library.h"

namespace xt::soft {
namespace {

ValueType valueType(llvm::Type *type, const llvm::DataLayout &layout) {
  ValueType value;
  if (auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) value.elements = static_cast<int>(vector->getNumElements());
  llvm::Type *element = type->getScalarType();
  value.isFloat = element->isFloatingPointTy();
  value.isBool = element->isIntegerTy(1);
  value.elementBytes = type->isVoidTy() ? 0 : static_cast<int>(layout.getTypeStoreSize(element).getFixedValue());
  return value;
}

std::optional<Collective> collectiveFor(LowerContext &context, llvm::Function &function, const BuiltinName &name) {
  const TargetInfo &target = *context.device.target;
  const llvm::DataLayout &layout = context.module.getDataLayout();
  // Like a linker, accepts a name of these extensions only if the driver's library defines its symbol.
  if (isLibraryName(name.name) && !isInLibrary(function.getName(), target.subgroupSizes[0])) return std::nullopt;
  if (auto found = blockMessage2d(name, target)) return found;
  if (auto found = matrixProduct(name, target)) return found;
  if (auto found = cooperativeProduct(name, target)) return found;
  if (auto found = matrixMovement(name)) return found;
  if (auto found = warpProduct(name, target)) return found;
  if (auto found = warpLoad(name)) return found;
  if (auto found = countingBarrier(name)) return found;
  ValueType result = valueType(function.getReturnType(), layout);
  if (auto found = rawSend(name, result, target)) return found;
  if (auto found = barrierFunction(name, result)) return found;
  if (auto found = exchangeFunction(name, result)) return found;
  if (auto found = reduceFunction(name, result)) return found;
  ValueType moved = function.getReturnType()->isVoidTy() && function.arg_size() > 1
                        ? valueType(function.getArg(1)->getType(), layout)
                        : result;
  return lineMessage(name, moved.elementBytes, static_cast<int64_t>(moved.bytes()), target);
}

// Creates a function that stores its arguments in memory and arrives at the collective operation. Its last argument is the
// call's site.
llvm::Function *makeThunk(LowerContext &context, llvm::Function &function, const Collective &collective) {
  llvm::LLVMContext &llvm = context.llvm();
  std::vector<llvm::Type *> types(function.getFunctionType()->params());
  types.push_back(llvm::Type::getInt32Ty(llvm));
  auto *thunk = llvm::Function::Create(llvm::FunctionType::get(function.getReturnType(), types, false),
                                       llvm::GlobalValue::InternalLinkage, "meet." + function.getName(), context.module);
  thunk->addFnAttr(llvm::Attribute::NoInline); // keeps its many variables out of the caller's frame
  thunk->addFnAttr(llvm::Attribute::Convergent);
  thunk->setDoesNotThrow();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(llvm, "", thunk));
  llvm::Type *pointer = builder.getPtrTy();
  unsigned count = static_cast<unsigned>(types.size()) - 1;
  llvm::Value *addresses = builder.CreateAlloca(llvm::ArrayType::get(pointer, std::max(count, 1u)));
  llvm::Value *result = llvm::ConstantPointerNull::get(builder.getPtrTy());
  if (!function.getReturnType()->isVoidTy()) result = builder.CreateAlloca(function.getReturnType());
  for (unsigned i = 0; i < count; ++i) {
    llvm::Value *copy = builder.CreateAlloca(types[i]);
    builder.CreateStore(thunk->getArg(i), copy);
    builder.CreateStore(copy, builder.CreateConstGEP1_64(pointer, addresses, i));
  }
  llvm::Value *which = builder.CreateIntToPtr(builder.getInt64(reinterpret_cast<uint64_t>(&collective)), pointer);
  llvm::FunctionCallee arrive =
      context.runtime(kArriveSymbol, builder.getVoidTy(), {pointer, builder.getInt32Ty(), pointer, pointer});
  builder.CreateCall(arrive, {which, thunk->getArg(count), addresses, result});
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(builder.CreateLoad(function.getReturnType(), result));
  return thunk;
}

} // namespace

bool lowerCollectives(LowerContext &context, llvm::Function &function, const BuiltinName &name) {
  std::optional<Collective> found = collectiveFor(context, function, name);
  if (!found) return false;
  Collective &collective = context.program.collectives.emplace_back(std::move(*found));
  llvm::Function *thunk = makeThunk(context, function, collective);
  replaceCalls(function, [&](llvm::IRBuilder<> &builder, llvm::CallInst &call) {
    std::vector<llvm::Value *> arguments(call.arg_begin(), call.arg_end());
    arguments.push_back(builder.getInt32(static_cast<uint32_t>(context.site(call, name.name))));
    llvm::CallInst *meeting = builder.CreateCall(thunk, arguments);
    meeting->addFnAttr(llvm::Attribute::Convergent);
    return meeting;
  });
  return true;
}

} // namespace xt::soft
