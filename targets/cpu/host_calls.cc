// What a kernel asks of the process around it: printing, failed asserts, and waiting at a barrier.
#include "targets/cpu/host_runtime.h"
#include "targets/cpu/kernel_emitter.h"

#include <llvm/IR/Module.h>

namespace xt {

void KernelEmitter::callHost(const char *name, llvm::ArrayRef<LlvmValue *> args) {
  llvm::SmallVector<llvm::Type *, 6> types;
  for (LlvmValue *arg : args) types.push_back(arg->getType());
  llvm::FunctionCallee callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(b.getVoidTy(), types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  b.CreateCall(callee, args);
}

void KernelEmitter::emitPrintOrAssert(const Op &op) {
  if (op.kind() == OpKind::Assert) return emitAssert(op);
  auto print = [&](Type type, const BufferShape &shape, LlvmValue *data) {
    LlvmValue *place = number(static_cast<int64_t>(output_.prints.size()));
    output_.prints.push_back({std::string(op.textAttr("text")), type, shape});
    callHost(kPrintSymbol, {runtime_, place, workgroup_, data});
  };
  if (op.operandCount() == 0) print({}, {}, llvm::ConstantPointerNull::get(b.getPtrTy()));
  for (size_t i = 0; i < op.operandCount(); ++i) {
    Type type = op.operand(i)->type();
    if (type.isVector()) {
      const Buffer &buffer = pickable(op, i);
      print(type, buffer.shape, bufferAddress(buffer));
      continue;
    }
    LlvmValue *slot = ops_.stackSlot(0);
    b.CreateStore(ops_.toStorage(type.elem(), scalar(op.operand(i))), slot);
    print(type, {1, 1, type.elem(), 0}, slot);
  }
}

// Elements are looked at in row-major order, and the first that fails ends the workgroup: it is the lowest.
void KernelEmitter::emitAssert(const Op &op) {
  Type type = op.operand(0)->type();
  int64_t failure = addFailure({op.range(), std::string(op.textAttr("text")), type});
  auto check = [&](LlvmValue *condition, LlvmValue *element) {
    failIf(b.CreateNot(condition), failure, [&] { callHost(kAssertSymbol, {runtime_, workgroup_, element}); });
  };
  if (type.isScalar()) return check(scalar(op.operand(0)), number(0));
  const Buffer &buffer = pickable(op, 0);
  forEachElement(buffer.shape, [&](LlvmValue *row, LlvmValue *column) {
    check(loadFrom(buffer, row, column), b.CreateAdd(b.CreateMul(row, number(buffer.shape.columns)), column));
  });
}

// At workgroup scope one thread does the whole workgroup's work, in order; so does a single subgroup. A fence also
// orders what other workgroups see.
void KernelEmitter::emitBarrierOrFence(const Op &op) {
  if (op.kind() == OpKind::Fence) b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  if (op.kind() != OpKind::Barrier || !output_.usesFibers) return;
  LlvmValue *place = number(static_cast<int64_t>(output_.barriers.size()));
  output_.barriers.push_back(op.range());
  callHost(kBarrierSymbol, {fiber_, place});
}

} // namespace xt
