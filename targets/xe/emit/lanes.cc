// Ops that the lanes of a subgroup, or all lanes of a workgroup, execute together.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/combine.h"
#include "ir/constants.h"
#include "ir/views/scalar.h"
#include "ir/views/xegpu.h"
#include "targets/xe/emit/kernel_emitter.h"

namespace xt {
namespace {

constexpr int64_t kSequential = 0x10; // in SPIR-V's memory semantics

} // namespace

// The value of another lane, which must be an existing one: `lane`, or this lane's number xor `lane`. With a constant xor
// operand, no address has to be computed.
LlvmValue *XeKernelEmitter::shuffled(Elem elem, LlvmValue *value, LlvmValue *lane, bool exclusiveOr) {
  llvm::Type *type = value->getType();
  LlvmValue *bits =
      elem == Elem::I1 ? b.CreateZExt(value, b.getInt8Ty()) : castBits(b, value, b.getIntNTy(type->getScalarSizeInBits()));
  std::string word = mangledType(bits->getType());
  DeviceFunction shuffle = deviceFunction(exclusiveOr ? "sub_group_shuffle_xor" : "sub_group_shuffle", {word, "j"}, word);
  LlvmValue *given = callDevice(b, shuffle, {bits, lane}, DeviceEffect::Convergent);
  return elem == Elem::I1 ? b.CreateTrunc(given, type) : castBits(b, given, type);
}

void XeKernelEmitter::emitShuffle(const Op &op) {
  ShuffleMode mode = ShuffleOp(op).mode();
  auto clamped = [&](const Value *integer) { // a number far out of range stays out of range
    LlvmValue *value = asIndex(integer);
    value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, number(-1024));
    return resize(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, number(1024)), true);
  };
  LlvmValue *offset = clamped(op.operand(1));
  LlvmValue *taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, clamped(op.operand(2)), number32(0));
  taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, taking, number32(kernel_.lanes));
  // Unsigned: a lane number below 0 becomes larger than every width.
  LlvmValue *from = mode == ShuffleMode::Xor    ? b.CreateXor(lane_, offset)
                    : mode == ShuffleMode::Up   ? b.CreateSub(lane_, offset)
                    : mode == ShuffleMode::Down ? b.CreateAdd(lane_, offset)
                                                : offset;
  // If all lanes take part and the source lane is constant, the shuffle becomes a register region, and no address is computed.
  auto *most = llvm::dyn_cast<llvm::ConstantInt>(taking);
  LlvmValue *takes = most && most->getSExtValue() == kernel_.lanes ? b.getTrue() : b.CreateICmpULT(lane_, taking);
  LlvmValue *valid = b.CreateAnd(b.CreateICmpULT(from, taking), takes);
  LlvmValue *lane = b.CreateSelect(valid, from, lane_);
  Elem elem = op.result(0)->type().elem();
  Fragment result;
  for (const FragmentElement &element : valueOf(op.operand(0))) {
    LlvmValue *value = scalarOf(b, element);
    if (op.operand(0)->type().isIndex()) value = wide(value);
    result.push_back({shuffled(elem, value, lane)});
  }
  setValue(op.result(0), std::move(result));
  parts_[op.result(1)] = {valid};
}

// Reduces by halves: each step combines with the lane whose number differs in one bit.
void XeKernelEmitter::emitSubgroupReduce(const Op &op) {
  Type type = op.result()->type();
  Elem elem = type.elem();
  OpKind kind = *combiningOp(op);
  SubgroupReduceOp reduce(op);
  int64_t stride = reduce.clusterStride().value_or(1), size = reduce.clusterSize().value_or(kernel_.lanes);
  Fragment result;
  for (const FragmentElement &element : valueOf(op.operand(0))) {
    LlvmValue *sum = scalarOf(b, element);
    if (op.operand(0)->type().isIndex()) sum = wide(sum);
    for (int64_t apart = stride; apart < stride * size; apart *= 2)
      sum = ops_.combine(kind, elem, sum, shuffled(elem, sum, number32(apart), true));
    result.push_back({sum});
  }
  setValue(op.result(), std::move(result));
}

void XeKernelEmitter::barrier(int scope) {
  output_.divergentBarriers |= scope == kSubgroupScope && divergentRegions_ > 0;
  LlvmValue *semantics = number32(kSequential | kOfWorkgroup | kOfGlobal);
  callDevice(b, deviceFunction("__spirv_ControlBarrier", {"j", "j", "j"}, "v"), {number32(scope), number32(scope), semantics},
             DeviceEffect::Memory);
}

void XeKernelEmitter::fence(int scope, int64_t memory) {
  callDevice(b, deviceFunction("__spirv_MemoryBarrier", {"j", "j"}, "v"), {number32(scope), number32(kSequential | memory)},
             DeviceEffect::Memory);
}

void XeKernelEmitter::emitBarrierOrFence(const Op &op) {
  switch (op.kind()) {
  case OpKind::Barrier: return barrier(kWorkgroupScope);
  case OpKind::SubgroupBarrier: return barrier(kSubgroupScope);
  case OpKind::Fence: return fence(kDeviceScope, kOfWorkgroup | kOfGlobal);
  case OpKind::Mfence: {
    bool slm = MfenceOp(op).memoryKind() == MfenceMemoryKind::Slm;
    std::optional<MfenceFenceScope> scope = MfenceOp(op).fenceScope();
    bool inside = slm || scope == MfenceFenceScope::Group || scope == MfenceFenceScope::Local;
    return fence(inside ? kWorkgroupScope : kDeviceScope, slm ? kOfWorkgroup : kOfGlobal);
  }
  default: return; // hints need no code
  }
}

} // namespace xt
