#include "targets/llvm/lane/exchange.h"

#include "ir/atomic_update.h"
#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/xegpu.h"

#include <algorithm>
#include <bit>

namespace xt {
namespace {

// The source of an element: a lane, and the index of the element in that lane's part.
struct Source {
  int64_t lane;
  size_t place;
};

// The sources of the q-th element of each lane.
std::vector<Source> sourcesOf(const Layout &from, const Layout &to, size_t q) {
  std::vector<Source> sources;
  int64_t lanes = to.axisSize(Axis::Lane);
  for (int64_t lane = 0; lane < lanes; ++lane) {
    std::vector<int64_t> columns = to.sliceOf(Axis::Lane, lane, 1);
    int64_t row = to.sliceOf(Axis::Lane, lane, 0)[q / columns.size()], column = columns[q % columns.size()];
    int64_t index[] = {row, column};
    int64_t owner = from.owners(index, Axis::Lane)[0];
    std::vector<int64_t> rows = from.sliceOf(Axis::Lane, owner, 0), own = from.sliceOf(Axis::Lane, owner, 1);
    auto r = static_cast<size_t>(std::find(rows.begin(), rows.end(), row) - rows.begin());
    auto c = static_cast<size_t>(std::find(own.begin(), own.end(), column) - own.begin());
    sources.push_back({owner, r * own.size() + c});
  }
  return sources;
}

} // namespace

LlvmValue *LaneExchange::shuffled(Elem elem, LlvmValue *value, LlvmValue *lane, bool exclusiveOr) {
  llvm::Type *type = value->getType();
  LlvmValue *bits =
      elem == Elem::I1 ? b.CreateZExt(value, b.getInt8Ty()) : castBits(b, value, b.getIntNTy(type->getScalarSizeInBits()));
  LlvmValue *given = c.device.shuffle(b, bits, lane, exclusiveOr);
  return elem == Elem::I1 ? b.CreateTrunc(given, type) : castBits(b, given, type);
}

void LaneExchange::emitShuffle(const Op &op) {
  ShuffleMode mode = ShuffleOp(op).mode();
  auto clamped = [&](const Value *integer) { // a number far out of range stays out of range
    LlvmValue *value = v.asIndex(integer);
    value = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, v.number(-1024));
    return v.resize(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, v.number(1024)), true);
  };
  LlvmValue *offset = clamped(op.operand(1));
  LlvmValue *taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, clamped(op.operand(2)), v.number32(0));
  taking = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, taking, v.number32(c.kernel.lanes));
  // The comparisons are unsigned: a lane number below 0 is then larger than every width.
  LlvmValue *from = mode == ShuffleMode::Xor    ? b.CreateXor(c.lane, offset)
                    : mode == ShuffleMode::Up   ? b.CreateSub(c.lane, offset)
                    : mode == ShuffleMode::Down ? b.CreateAdd(c.lane, offset)
                                                : offset;
  // If all lanes take part and the source lane is constant, the shuffle becomes a register region, and no address is computed.
  auto *most = llvm::dyn_cast<llvm::ConstantInt>(taking);
  LlvmValue *takes = most && most->getSExtValue() == c.kernel.lanes ? b.getTrue() : b.CreateICmpULT(c.lane, taking);
  LlvmValue *valid = b.CreateAnd(b.CreateICmpULT(from, taking), takes);
  LlvmValue *lane = b.CreateSelect(valid, from, c.lane);
  Elem elem = op.result(0)->type().elem();
  Fragment result;
  for (const FragmentElement &element : v.valueOf(op.operand(0))) {
    LlvmValue *value = scalarOf(b, element);
    if (op.operand(0)->type().isIndex()) value = v.wide(value);
    result.push_back({shuffled(elem, value, lane)});
  }
  v.setValue(op.result(0), std::move(result));
  v.setParts(op.result(1), {valid});
}

// Reduces in steps: each step combines the values of lanes whose numbers differ in one bit.
void LaneExchange::emitSubgroupReduce(const Op &op) {
  Type type = op.result()->type();
  Elem elem = type.elem();
  OpKind kind = *combiningOp(op);
  SubgroupReduceOp reduce(op);
  int64_t stride = reduce.clusterStride().value_or(1), size = reduce.clusterSize().value_or(c.kernel.lanes);
  Fragment result;
  for (const FragmentElement &element : v.valueOf(op.operand(0))) {
    LlvmValue *sum = scalarOf(b, element);
    if (op.operand(0)->type().isIndex()) sum = v.wide(sum);
    for (int64_t apart = stride; apart < stride * size; apart *= 2)
      sum = ops.combine(kind, elem, sum, shuffled(elem, sum, v.number32(apart), true));
    // Of 0 and -0 these may give either, to each lane another: all get what the first lane of the cluster has.
    if (kind == OpKind::MaxNumF || kind == OpKind::MinNumF)
      sum = shuffled(elem, sum, b.CreateAnd(c.lane, v.number32(~(stride * (size - 1)))));
    result.push_back({sum});
  }
  v.setValue(op.result(), std::move(result));
}

LlvmValue *numberOfLane(llvm::IRBuilderBase &b, LlvmValue *lane, llvm::ArrayRef<int64_t> numbers) {
  auto number32 = [&](uint64_t value) { return b.getInt32(static_cast<uint32_t>(value)); };
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  if (*least == *most) return number32(static_cast<uint64_t>(*most));
  // The numbers are packed into 64-bit words; if all fit into 32 bits, they are packed into one 32-bit word.
  const unsigned bits = *most < 16 ? 4 : *most < 256 ? 8 : 16, perWord = 64 / bits;
  XT_CHECK(*least >= 0 && *most < 1 << 16, "numbers of lanes and registers have 16 bits");
  std::vector<uint64_t> words((numbers.size() + perWord - 1) / perWord);
  for (size_t i = 0; i < numbers.size(); ++i) words[i / perWord] |= static_cast<uint64_t>(numbers[i]) << (bits * (i % perWord));
  const bool isWide = bits * numbers.size() > 32;
  LlvmValue *field = words.size() > 1 ? b.CreateAnd(lane, number32(perWord - 1)) : lane;
  LlvmValue *shift = b.CreateShl(isWide ? b.CreateZExt(field, b.getInt64Ty()) : field, std::countr_zero(bits));
  LlvmValue *word = isWide ? static_cast<LlvmValue *>(b.getInt64(words[0])) : number32(words[0]);
  for (size_t w = 1; w < words.size(); ++w)
    word = b.CreateSelect(b.CreateICmpUGE(lane, number32(w * perWord)), b.getInt64(words[w]), word);
  return b.CreateAnd(b.CreateZExtOrTrunc(b.CreateLShr(word, shift), b.getInt32Ty()), number32((1u << bits) - 1));
}

// Exchanges elements between lanes. This is needed if they are distributed differently from what the hardware requires.
Fragment LaneExchange::dealtAs(const Fragment &own, Elem elem, const Layout &from, const Layout &to) {
  Fragment dealt;
  for (size_t q = 0; q < own.size(); ++q) {
    std::vector<Source> sources = sourcesOf(from, to, q);
    std::vector<int64_t> lanes, places;
    for (const Source &source : sources) {
      lanes.push_back(source.lane);
      places.push_back(static_cast<int64_t>(source.place));
    }
    LlvmValue *lane = numberOfLane(b, c.lane, lanes), *place = numberOfLane(b, c.lane, places), *value = nullptr;
    std::vector<int64_t> distinct = places;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (int64_t k : distinct) {
      LlvmValue *there = shuffled(elem, scalarOf(b, own[static_cast<size_t>(k)]), lane);
      value = value ? b.CreateSelect(b.CreateICmpEQ(place, v.number32(k)), there, value) : there;
    }
    dealt.push_back({value});
  }
  return dealt;
}

void LaneExchange::emitBarrierOrFence(const Op &op) {
  switch (op.kind()) {
  case OpKind::Barrier: return c.barrier(LaneScope::Workgroup);
  case OpKind::SubgroupBarrier: return c.barrier(LaneScope::Subgroup);
  case OpKind::Fence:
  case OpKind::Mfence: {
    LaneMemory memory = LaneMemory::Both;
    if (op.kind() == OpKind::Mfence)
      memory = MfenceOp(op).memoryKind() == MfenceMemoryKind::Slm ? LaneMemory::Slm : LaneMemory::Global;
    return c.device.fence(b, isDeviceFence(op) ? LaneScope::Device : LaneScope::Workgroup, memory);
  }
  default: return; // hints need no code
  }
}

} // namespace xt
