// Calls from a kernel to the host process: printing, failed asserts, and waiting at a barrier.
#include "ir/asserted_shape.h"
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/shared.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "targets/cpu/runtime/host_runtime.h"

#include "targets/cpu/vector/kernel_emitter.h"
#include <llvm/IR/Module.h>

namespace xt {

void HostCalls::emitPrintOrAssert(const Op &op) {
  if (op.kind() == OpKind::Assert) return emitAssert(op);
  auto print = [&](Type type, const BufferShape &shape, LlvmValue *data) {
    LlvmValue *place = c_.number(static_cast<int64_t>(c_.output.prints.size()));
    c_.output.prints.push_back({std::string(PrintOp(op).text()), type, shape});
    c_.callHost(kPrintSymbol, {c_.words.output, place, c_.workgroup, speaker(op), data});
  };
  if (op.operandCount() == 0) print({}, {}, llvm::ConstantPointerNull::get(b.getPtrTy()));
  for (size_t i = 0; i < op.operandCount(); ++i) {
    Type type = op.operand(i)->type();
    if (type.isVector()) {
      const Buffer &buffer = k_.picker.pickable(op, i);
      print(type, buffer.shape, c_.bufferAddress(buffer));
      continue;
    }
    LlvmValue *slot = ops_.stackSlot(0);
    b.CreateStore(ops_.toStorage(type.elem(), c_.scalar(op.operand(i))), slot);
    print(type, {1, 1, type.elem(), 0}, slot);
  }
}

// The subgroup that is reported as printing or asserting; -1: the whole workgroup.
LlvmValue *HostCalls::speaker(const Op &op) {
  return SharedAttrs(op).workgroup() ? c_.number(-1) : c_.subgroup ? c_.subgroup : c_.number(0);
}

// Checks elements in row-major order. The first failure ends the workgroup, so the reported element is the lowest.
void HostCalls::emitAssert(const Op &op) {
  Type type = op.operand(0)->type();
  std::vector<int64_t> shape = assertedShape(op);
  int64_t failure = c_.addFailure({op.range(), std::string(AssertOp(op).text()), true, shape});
  auto check = [&](LlvmValue *condition, LlvmValue *element) {
    c_.failIf(b.CreateNot(condition), failure,
              [&] { c_.callHost(kAssertSymbol, {c_.words.output, c_.workgroup, speaker(op), inWhole(op, element)}); });
  };
  if (type.isScalar()) return check(c_.scalar(op.operand(0)), c_.number(0));
  const Buffer &buffer = k_.picker.pickable(op, 0);
  k_.picker.forEachElement(buffer.shape, [&](LlvmValue *row, LlvmValue *column) {
    check(k_.picker.loadFrom(buffer, row, column), b.CreateAdd(b.CreateMul(row, c_.number(buffer.shape.columns)), column));
  });
}

// The index of an element of the condition within the whole vector that the condition is a part of.
LlvmValue *HostCalls::inWhole(const Op &op, LlvmValue *element) {
  if (op.operandCount() == 1) return element;
  std::vector<int64_t> whole = assertedShape(op);
  LlvmValue *place = c_.number(0);
  int64_t stride = 1;
  for (size_t d = whole.size(); d-- > 0;) {
    LlvmValue *extent = c_.number(op.operand(0)->type().extent(static_cast<int>(d)));
    LlvmValue *at = b.CreateAdd(c_.scalar(op.operand(1 + d)), b.CreateURem(element, extent));
    place = b.CreateAdd(place, b.CreateMul(at, c_.number(stride)));
    element = b.CreateUDiv(element, extent);
    stride *= whole[d];
  }
  return place;
}

// At workgroup scope one thread does all work of a workgroup in order, so a barrier needs no code; the same holds for a single
// subgroup. A fence also orders accesses as other workgroups see them.
void HostCalls::emitBarrierOrFence(const Op &op) {
  if (op.kind() == OpKind::Fence) b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  if (op.kind() == OpKind::Mfence) b.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  if (op.kind() == OpKind::SubgroupBarrier) c_.callHost(kLaneMeetSymbol, {c_.fiber, barrierPlace(op)});
  if (op.kind() == OpKind::Barrier && c_.output.usesFibers) c_.callHost(kBarrierSymbol, {c_.fiber, barrierPlace(op)});
}

LlvmValue *HostCalls::barrierPlace(const Op &op) {
  std::optional<SubgroupBarrierOf> of;
  if (op.kind() == OpKind::SubgroupBarrier) of = SubgroupBarrierOp(op).of();
  const OpInfo *whole = of ? findOp(wordText(*of)) : nullptr; // the op that this barrier was split from
  c_.output.barriers.push_back({op.range(), whole ? whole->name : op.info().name});
  return c_.number(static_cast<int64_t>(c_.output.barriers.size()) - 1);
}

// At workgroup scope named barriers need no code either, because all subgroups run on one thread.
void HostCalls::allocNamedBarriers(const Op &op) {
  if (!c_.output.usesFibers) return;
  LlvmValue *count = ops_.indexFrom(c_.scalar(op.operand(0)), op.operand(0)->type().elem());
  c_.failIf(b.CreateICmpUGT(count, c_.number(NamedBarriers::kMost)),
            c_.addFailure({op.range(), str("a workgroup can have 0 to ", NamedBarriers::kMost, " named barriers")}));
  c_.callHost(kNamedAllocSymbol, {c_.fiber, count});
}

Parts HostCalls::createNamedBarrier(const Op &op) {
  LlvmValue *id = ops_.indexFrom(c_.scalar(op.operand(0)), op.operand(0)->type().elem());
  LlvmValue *role = ops_.indexFrom(c_.scalar(op.operand(1)), op.operand(1)->type().elem());
  if (!c_.output.usesFibers) return {id, role, c_.number(0), c_.number(0)};
  auto *count = c_.callHost(kNamedCountSymbol, {c_.fiber}, b.getInt64Ty());
  c_.failIf(b.CreateICmpUGE(id, count),
            c_.addFailure({op.range(), "this named barrier does not exist: `alloc_nbarrier` has not allocated it"}));
  c_.failIf(b.CreateICmpUGT(role, c_.number(2)),
            c_.addFailure(
                {op.range(), "the role at a named barrier must be 0 (producer and consumer), 1 (producer) or 2 (consumer)"}));
  return {id, role, c_.number(CreateNbarrierOp(op).numProducers()), c_.number(CreateNbarrierOp(op).numConsumers())};
}

void HostCalls::meetAtNamedBarrier(const Op &op) {
  if (!c_.output.usesFibers) return;
  const Parts &part = c_.parts.at(op.operand(0));
  if (op.kind() == OpKind::NbarrierArrive) {
    // All lanes of a subgroup arrive before any of them continues to a wait.
    LlvmValue *place = c_.kernel.scope == Scope::Lane ? barrierPlace(op) : nullptr;
    if (place) c_.callHost(kLaneMeetSymbol, {c_.fiber, place});
    c_.callHost(kNamedArriveSymbol, {c_.fiber, part[0], part[1], part[2], part[3]});
    if (place) c_.callHost(kLaneMeetSymbol, {c_.fiber, place});
  } else
    c_.callHost(kNamedWaitSymbol, {c_.fiber, part[0], barrierPlace(op)});
}

} // namespace xt
