// Exchange between the lanes of a subgroup: each lane passes its value to the host, and reads the values of other lanes after
// all lanes have done so.
#include "ir/combine.h"
#include "ir/views/scalar.h"
#include "targets/cpu/vector/kernel_emitter.h"

namespace xt {

void FiberLanes::giveToLanes(const Op &op) {
  Type type = op.operand(0)->type();
  LlvmValue *place = k_.host.barrierPlace(op);
  if (type.isVector()) {
    const Buffer &own = k_.picker.pickable(op, 0);
    c_.callHost(kLaneExchangeSymbol, {c_.fiber, place, c_.bufferAddress(own), c_.number(own.shape.bytes())});
    return;
  }
  LlvmValue *slot = ops_.stackSlot(0);
  b.CreateStore(ops_.toStorage(type.elem(), c_.scalar(op.operand(0))), slot);
  c_.callHost(kLaneExchangeSymbol, {c_.fiber, place, slot, c_.number(elemInfo(type.elem()).storageBytes)});
}

LlvmValue *FiberLanes::givenBy(LlvmValue *lane) { return c_.callHost(kLaneGivenSymbol, {c_.fiber, lane}, b.getPtrTy()); }

void FiberLanes::emitShuffle(const Op &op) {
  ShuffleMode mode = ShuffleOp(op).mode();
  LlvmValue *offset = ops_.indexFrom(c_.scalar(op.operand(1)), op.operand(1)->type().elem());
  LlvmValue *width = ops_.indexFrom(c_.scalar(op.operand(2)), op.operand(2)->type().elem());
  LlvmValue *taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, width, c_.number(0));
  taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, taking, c_.number(c_.kernel.lanes));
  // Lane numbers are compared as unsigned: one below 0 is larger than every width.
  LlvmValue *from = mode == ShuffleMode::Xor    ? b.CreateXor(c_.lane, offset)
                    : mode == ShuffleMode::Up   ? b.CreateSub(c_.lane, offset)
                    : mode == ShuffleMode::Down ? b.CreateAdd(c_.lane, offset)
                                                : offset;
  LlvmValue *valid = b.CreateAnd(b.CreateICmpULT(from, taking), b.CreateICmpULT(c_.lane, taking));
  giveToLanes(op);
  LlvmValue *given = givenBy(b.CreateSelect(valid, from, c_.lane));
  c_.parts[op.result(1)] = {valid};
  Type type = op.result(0)->type();
  if (type.isVector()) {
    const Buffer &to = *c_.buffers.bufferOf(op.result(0));
    b.CreateMemCpy(c_.bufferAddress(to), llvm::Align(1), given, llvm::Align(1), static_cast<uint64_t>(to.shape.bytes()));
    return;
  }
  c_.parts[op.result(0)] = {
      ops_.fromStorage(type.elem(), b.CreateAlignedLoad(ops_.storageType(type.elem(), 0), given, llvm::Align(1)))};
}

void FiberLanes::emitSubgroupReduce(const Op &op) {
  Type type = op.result()->type();
  Elem elem = type.elem();
  OpKind kind = *combiningOp(op);
  LlvmValue *stride = c_.number(SubgroupReduceOp(op).clusterStride().value_or(1));
  LlvmValue *span = b.CreateMul(c_.number(SubgroupReduceOp(op).clusterSize().value_or(c_.kernel.lanes)), stride);
  giveToLanes(op);
  auto sum = [&](LlvmValue *offset) { // combines the elements at byte `offset` of the lanes' values
    LlvmValue *identity = ops_.constant(elem, combiningIdentity(kind, elem), 0);
    return forLoop(b, c_.number(0), c_.number(c_.kernel.lanes), c_.number(1), {identity},
                   [&](LlvmValue *other, llvm::ArrayRef<LlvmValue *> carried) -> LlvmValues {
                     LlvmValue *mine = b.CreateAnd(b.CreateICmpEQ(b.CreateUDiv(other, span), b.CreateUDiv(c_.lane, span)),
                                                   b.CreateICmpEQ(b.CreateURem(other, stride), b.CreateURem(c_.lane, stride)));
                     LlvmValue *address = byteOffset(b, givenBy(other), offset);
                     LlvmValue *term =
                         ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, 0), address, llvm::Align(1)));
                     return {b.CreateSelect(mine, ops_.combine(kind, elem, carried[0], term), carried[0])};
                   })[0];
  };
  if (!type.isVector()) {
    c_.parts[op.result()] = {sum(c_.number(0))};
    return;
  }
  const Buffer &to = *c_.buffers.bufferOf(op.result());
  k_.picker.forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *offset =
        b.CreateAdd(b.CreateMul(row, c_.pitchOf(to)), b.CreateMul(column, c_.number(elemInfo(elem).storageBytes)));
    k_.picker.storeTo(to, row, column, sum(offset));
  });
}

} // namespace xt
