// Calls from a kernel to the host process: printing, failed asserts, and waiting at a barrier.
#include "ir/asserted_shape.h"
#include "ir/base/text.h"
#include "targets/cpu/runtime/host_runtime.h"
#include "targets/cpu/vector/kernel_emitter.h"

#include <llvm/IR/Module.h>

namespace xt {

LlvmValue *KernelEmitter::callHost(const char *name, llvm::ArrayRef<LlvmValue *> args, llvm::Type *result) {
  llvm::SmallVector<llvm::Type *, 6> types;
  for (LlvmValue *arg : args) types.push_back(arg->getType());
  llvm::FunctionCallee callee =
      module_.getOrInsertFunction(name, llvm::FunctionType::get(result ? result : b.getVoidTy(), types, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return b.CreateCall(callee, args);
}

void KernelEmitter::emitPrintOrAssert(const Op &op) {
  if (op.kind() == OpKind::Assert) return emitAssert(op);
  auto print = [&](Type type, const BufferShape &shape, LlvmValue *data) {
    LlvmValue *place = number(static_cast<int64_t>(output_.prints.size()));
    output_.prints.push_back({std::string(op.textAttr("text")), type, shape});
    callHost(kPrintSymbol, {runtime_, place, workgroup_, speaker(op), data});
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

// The subgroup that is reported as printing or asserting; -1: the whole workgroup.
LlvmValue *KernelEmitter::speaker(const Op &op) {
  return op.attr("workgroup") ? number(-1) : subgroup_ ? subgroup_ : number(0);
}

// Checks elements in row-major order. The first failure ends the workgroup, so the reported element is the lowest.
void KernelEmitter::emitAssert(const Op &op) {
  Type type = op.operand(0)->type();
  std::vector<int64_t> shape = assertedShape(op);
  int64_t failure = addFailure({op.range(), std::string(op.textAttr("text")), true, shape});
  auto check = [&](LlvmValue *condition, LlvmValue *element) {
    failIf(b.CreateNot(condition), failure,
           [&] { callHost(kAssertSymbol, {runtime_, workgroup_, speaker(op), inWhole(op, element)}); });
  };
  if (type.isScalar()) return check(scalar(op.operand(0)), number(0));
  const Buffer &buffer = pickable(op, 0);
  forEachElement(buffer.shape, [&](LlvmValue *row, LlvmValue *column) {
    check(loadFrom(buffer, row, column), b.CreateAdd(b.CreateMul(row, number(buffer.shape.columns)), column));
  });
}

// The index of an element of the condition within the whole vector that the condition is a part of.
LlvmValue *KernelEmitter::inWhole(const Op &op, LlvmValue *element) {
  if (op.operandCount() == 1) return element;
  std::vector<int64_t> whole = assertedShape(op);
  LlvmValue *place = number(0);
  int64_t stride = 1;
  for (size_t d = whole.size(); d-- > 0;) {
    LlvmValue *extent = number(op.operand(0)->type().extent(static_cast<int>(d)));
    LlvmValue *at = b.CreateAdd(scalar(op.operand(1 + d)), b.CreateURem(element, extent));
    place = b.CreateAdd(place, b.CreateMul(at, number(stride)));
    element = b.CreateUDiv(element, extent);
    stride *= whole[d];
  }
  return place;
}

// At workgroup scope one thread does all work of a workgroup in order, so a barrier needs no code; the same holds for a single
// subgroup. A fence also orders accesses as other workgroups see them.
void KernelEmitter::emitBarrierOrFence(const Op &op) {
  if (op.kind() == OpKind::Fence) b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  if (op.kind() == OpKind::Mfence) b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  if (op.kind() == OpKind::SubgroupBarrier) callHost(kLaneMeetSymbol, {fiber_, barrierPlace(op)});
  if (op.kind() == OpKind::Barrier && output_.usesFibers) callHost(kBarrierSymbol, {fiber_, barrierPlace(op)});
}

LlvmValue *KernelEmitter::barrierPlace(const Op &op) {
  const OpInfo *whole =
      op.kind() == OpKind::SubgroupBarrier ? findOp(op.textAttr("of")) : nullptr; // the op that this barrier was split from
  output_.barriers.push_back({op.range(), whole ? whole->name : op.info().name});
  return number(static_cast<int64_t>(output_.barriers.size()) - 1);
}

// At workgroup scope named barriers need no code either, because all subgroups run on one thread.
void KernelEmitter::allocNamedBarriers(const Op &op) {
  if (!output_.usesFibers) return;
  LlvmValue *count = ops_.indexFrom(scalar(op.operand(0)), op.operand(0)->type().elem());
  failIf(b.CreateICmpUGT(count, number(NamedBarriers::kMost)),
         addFailure({op.range(), str("a workgroup can have 0 to ", NamedBarriers::kMost, " named barriers")}));
  callHost(kNamedAllocSymbol, {fiber_, count});
}

KernelEmitter::Parts KernelEmitter::createNamedBarrier(const Op &op) {
  LlvmValue *id = ops_.indexFrom(scalar(op.operand(0)), op.operand(0)->type().elem());
  LlvmValue *role = ops_.indexFrom(scalar(op.operand(1)), op.operand(1)->type().elem());
  if (!output_.usesFibers) return {id, role, number(0), number(0)};
  auto *count = callHost(kNamedCountSymbol, {fiber_}, b.getInt64Ty());
  failIf(b.CreateICmpUGE(id, count),
         addFailure({op.range(), "this named barrier does not exist: `alloc_nbarrier` has not allocated it"}));
  failIf(
      b.CreateICmpUGT(role, number(2)),
      addFailure({op.range(), "the role at a named barrier must be 0 (producer and consumer), 1 (producer) or 2 (consumer)"}));
  return {id, role, number(op.intAttr("num_producers", 0)), number(op.intAttr("num_consumers", 0))};
}

void KernelEmitter::meetAtNamedBarrier(const Op &op) {
  if (!output_.usesFibers) return;
  const Parts &part = parts_.at(op.operand(0));
  if (op.kind() == OpKind::NbarrierArrive) {
    // All lanes of a subgroup arrive before any of them continues to a wait.
    LlvmValue *place = kernel_.scope == Scope::Lane ? barrierPlace(op) : nullptr;
    if (place) callHost(kLaneMeetSymbol, {fiber_, place});
    callHost(kNamedArriveSymbol, {fiber_, part[0], part[1], part[2], part[3]});
    if (place) callHost(kLaneMeetSymbol, {fiber_, place});
  } else
    callHost(kNamedWaitSymbol, {fiber_, part[0], barrierPlace(op)});
}

} // namespace xt
