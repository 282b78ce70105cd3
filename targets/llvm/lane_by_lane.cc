#include "targets/llvm/lane_by_lane.h"

#include <llvm/IR/Module.h>

namespace xt {

LlvmValue *LaneByLane::stackSlot(size_t number) {
  while (slots_.size() <= number) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    llvm::AllocaInst *slot = top.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), 64));
    slot->setAlignment(llvm::Align(64));
    slots_.push_back(slot);
  }
  return slots_[number];
}

LlvmValue *LaneByLane::compute(llvm::ArrayRef<LlvmValue *> args,
                               llvm::function_ref<LlvmValue *(llvm::ArrayRef<LlvmValue *>)> lane) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(args[0]->getType());
  if (!vector || vectors_) return lane(args);
  llvm::Type *scalar = vector->getElementType();
  for (size_t i = 0; i < args.size(); ++i) b.CreateAlignedStore(args[i], stackSlot(i), llvm::Align(64));
  uint64_t bytes = scalar->getPrimitiveSizeInBits() / 8;
  forLoop(b, b.getInt64(0), b.getInt64(vector->getNumElements() * bytes), b.getInt64(bytes), [&](LlvmValue *i) {
    LlvmValues own;
    for (size_t n = 0; n < args.size(); ++n)
      own.push_back(b.CreateAlignedLoad(scalar, byteOffset(b, stackSlot(n), i), llvm::Align(bytes)));
    b.CreateAlignedStore(lane(own), byteOffset(b, stackSlot(0), i), llvm::Align(bytes));
  });
  return b.CreateAlignedLoad(vector, stackSlot(0), llvm::Align(64));
}

LlvmValue *LaneByLane::call(std::string name, llvm::ArrayRef<LlvmValue *> args) {
  llvm::Type *scalar = args[0]->getType()->getScalarType();
  if (scalar->isFloatTy()) name += "f";
  llvm::SmallVector<llvm::Type *, 2> types(args.size(), scalar);
  llvm::Module *module = b.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(name, llvm::FunctionType::get(scalar, types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return compute(args, [&](llvm::ArrayRef<LlvmValue *> lane) { return b.CreateCall(callee, lane); });
}

} // namespace xt
