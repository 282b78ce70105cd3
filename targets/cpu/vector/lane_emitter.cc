// Exchange between the lanes of a subgroup: each lane passes its value to the host, and reads those of other lanes after all
// have done so.
#include "ir/combine.h"
#include "targets/cpu/vector/kernel_emitter.h"

namespace xt {

void KernelEmitter::giveToLanes(const Op &op) {
  Type type = op.operand(0)->type();
  LlvmValue *place = barrierPlace(op);
  if (type.isVector()) {
    const Buffer &own = pickable(op, 0);
    callHost(kLaneExchangeSymbol, {fiber_, place, bufferAddress(own), number(own.shape.bytes())});
    return;
  }
  LlvmValue *slot = ops_.stackSlot(0);
  b.CreateStore(ops_.toStorage(type.elem(), scalar(op.operand(0))), slot);
  callHost(kLaneExchangeSymbol, {fiber_, place, slot, number(elemInfo(type.elem()).storageBytes)});
}

LlvmValue *KernelEmitter::givenBy(LlvmValue *lane) { return callHost(kLaneGivenSymbol, {fiber_, lane}, b.getPtrTy()); }

void KernelEmitter::emitShuffle(const Op &op) {
  std::string_view mode = op.textAttr("mode");
  LlvmValue *offset = ops_.indexFrom(scalar(op.operand(1)), op.operand(1)->type().elem());
  LlvmValue *width = ops_.indexFrom(scalar(op.operand(2)), op.operand(2)->type().elem());
  LlvmValue *taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, width, number(0));
  taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, taking, number(kernel_.lanes));
  // Unsigned: a lane number below 0 becomes larger than every width.
  LlvmValue *from = mode == "xor"    ? b.CreateXor(lane_, offset)
                    : mode == "up"   ? b.CreateSub(lane_, offset)
                    : mode == "down" ? b.CreateAdd(lane_, offset)
                                     : offset;
  LlvmValue *valid = b.CreateAnd(b.CreateICmpULT(from, taking), b.CreateICmpULT(lane_, taking));
  giveToLanes(op);
  LlvmValue *given = givenBy(b.CreateSelect(valid, from, lane_));
  parts_[op.result(1)] = {valid};
  Type type = op.result(0)->type();
  if (type.isVector()) {
    const Buffer &to = *buffers_.bufferOf(op.result(0));
    b.CreateMemCpy(bufferAddress(to), llvm::Align(1), given, llvm::Align(1), static_cast<uint64_t>(to.shape.bytes()));
    return;
  }
  parts_[op.result(0)] = {
      ops_.fromStorage(type.elem(), b.CreateAlignedLoad(ops_.storageType(type.elem(), 0), given, llvm::Align(1)))};
}

void KernelEmitter::emitSubgroupReduce(const Op &op) {
  Type type = op.result()->type();
  Elem elem = type.elem();
  OpKind kind = *combiningOp(op.textAttr("kind"), elem);
  LlvmValue *stride = number(op.intAttr("cluster_stride", 1));
  LlvmValue *span = b.CreateMul(number(op.intAttr("cluster_size", kernel_.lanes)), stride);
  giveToLanes(op);
  auto sum = [&](LlvmValue *offset) { // combines the elements at byte `offset` of the lanes' values
    LlvmValue *identity = ops_.constant(elem, combiningIdentity(kind, elem), 0);
    return forLoop(b, number(0), number(kernel_.lanes), number(1), {identity},
                   [&](LlvmValue *other, llvm::ArrayRef<LlvmValue *> carried) -> LlvmValues {
                     LlvmValue *mine = b.CreateAnd(b.CreateICmpEQ(b.CreateUDiv(other, span), b.CreateUDiv(lane_, span)),
                                                   b.CreateICmpEQ(b.CreateURem(other, stride), b.CreateURem(lane_, stride)));
                     LlvmValue *address = byteOffset(b, givenBy(other), offset);
                     LlvmValue *term =
                         ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, 0), address, llvm::Align(1)));
                     return {b.CreateSelect(mine, ops_.combine(kind, elem, carried[0], term), carried[0])};
                   })[0];
  };
  if (!type.isVector()) {
    parts_[op.result()] = {sum(number(0))};
    return;
  }
  const Buffer &to = *buffers_.bufferOf(op.result());
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *offset = b.CreateAdd(b.CreateMul(row, pitchOf(to)), b.CreateMul(column, number(elemInfo(elem).storageBytes)));
    storeTo(to, row, column, sum(offset));
  });
}

} // namespace xt
