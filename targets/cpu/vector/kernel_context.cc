#include "targets/cpu/vector/kernel_context.h"

#include "targets/cpu/vector/vector_math.h"

#include <llvm/IR/Module.h>

namespace xt {

KernelContext::KernelContext(llvm::Module &inModule, const Kernel &ofKernel, const CpuInfo &forCpu, const FusionPlan &plan,
                             const BufferAssignment &assigned, const SlmLayout &slmOf)
    : module(inModule), kernel(ofKernel), cpu(forCpu), fusion(plan), buffers(assigned), slmLayout(slmOf),
      streamed(findStreamedStores(ofKernel)), shared(findSharedOperands(ofKernel)), needed(findNeededRows(ofKernel, forCpu)),
      b(inModule.getContext()), ops(b, {.halves = cpu.f16c, .function = vectorMathOf(cpu)}) {}

// Loads the number at each use: values that are kept from the start of the kernel on would occupy registers and cost LLVM time.
LlvmValue *KernelContext::argument(int64_t value) {
  LlvmValue *place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), words.numbers, output.numbers.size());
  llvm::LoadInst *load = b.CreateAlignedLoad(b.getInt64Ty(), place, llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  output.numbers.push_back(value);
  if (value >= 0) notNegative.insert(load);
  return load;
}

LlvmValue *KernelContext::numbersAddress(llvm::ArrayRef<int64_t> values) {
  LlvmValue *place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), words.numbers, output.numbers.size());
  output.numbers.insert(output.numbers.end(), values.begin(), values.end());
  return b.CreatePtrToInt(place, b.getInt64Ty());
}

LlvmValue *KernelContext::bufferAddress(const Buffer &buffer) { return byteOffset(b, scratch, argument(buffer.offset)); }

LlvmValue *KernelContext::pitchOf(const Buffer &buffer) { return argument(buffer.shape.pitch); }

int64_t KernelContext::addFailure(Failure failure) {
  output.failures.push_back(std::move(failure));
  return static_cast<int64_t>(output.failures.size()) - 1;
}

void KernelContext::failIf(LlvmValue *condition, int64_t failure, llvm::function_ref<void()> before) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  auto *fails = llvm::BasicBlock::Create(b.getContext(), "fails", function);
  auto *holds = llvm::BasicBlock::Create(b.getContext(), "holds", function);
  b.CreateCondBr(condition, fails, holds);
  b.SetInsertPoint(fails);
  before();
  LlvmValue *code = b.CreateOr(b.CreateShl(workgroup, 32), number(failure));
  b.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, words.failure, code, llvm::Align(8), llvm::AtomicOrdering::Monotonic);
  b.CreateBr(workgroupEnd);
  b.SetInsertPoint(holds);
}

LlvmValue *KernelContext::callHost(const char *name, llvm::ArrayRef<LlvmValue *> args, llvm::Type *result) {
  llvm::SmallVector<llvm::Type *, 6> types;
  for (LlvmValue *arg : args) types.push_back(arg->getType());
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(name, llvm::FunctionType::get(result ? result : b.getVoidTy(), types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return b.CreateCall(callee, args);
}

} // namespace xt
