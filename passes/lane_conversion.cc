#include "passes/lane_conversion.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/gpu/block_rules.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/slm_layout.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

// Rough latencies that instructions of other threads do not hide, in cycles: a shuffle reads registers indirectly in two halves;
// shared local memory answers later than that, but several accesses are in flight. Only their ratios matter.
constexpr int64_t kShuffle = 2, kSelect = 1, kAccess = 4, kBarrier = 16;

} // namespace

int64_t ConversionCost::inRegisters() const { return kShuffle * registers.shuffles + kSelect * registers.selects; }
int64_t ConversionCost::throughMemory() const { return kAccess * (stores + loads) + kBarrier * kBarriers; }

ConversionCost conversionCost(const Layout *from, const Layout *to, int64_t elemBytes) {
  ConversionCost cost;
  cost.registers = shuffleCost(from, to);
  cost.stores = productOf(from->ownerShape(Axis::Lane));
  cost.loads = productOf(to->ownerShape(Axis::Lane));
  cost.bytes = elemBytes * productOf(from->shape());
  return cost;
}

std::string memoryText(const ConversionCost &cost) {
  return str(counted(cost.stores, "store"), ", ", counted(cost.loads, "load"), ", ", counted(cost.bytes, "byte"), " and ",
             counted(ConversionCost::kBarriers, "barrier"));
}

LaneConversion::LaneConversion(Kernel &kernel, const TargetInfo &target, Builder &builder, Diagnostics &diagnostics,
                               int64_t lanes)
    : kernel_(kernel), b_(builder), diagnostics_(diagnostics), prologue_(kernel, builder.context()), lanes_(lanes),
      slmLimit_(target.slmBytes), slmUsed_(slmLayout(kernel).bytes) {}

Value *LaneConversion::convert(Value *vector, const Layout *to, bool throughMemory) {
  Type type = b_.context().withLayout(vector->type(), to);
  if (vector->type() == type) return vector;
  const Layout *from = vector->type().layout();
  auto inRegisters = [&] { return b_.value(OpKind::ConvertLayout, {vector}, type); }; // distribute-to-lanes has the remark
  auto notThroughMemory = [&](std::string_view why) {
    if (throughMemory)
      diagnostics_.report(DiagCode::LaneMovement, b_.range(),
                          str("elements move between lanes by shuffles in spite of `shared_memory_conversion`: ", why));
    return inRegisters();
  };
  if (!to) return inRegisters();
  if (type.rank() != 2) return notThroughMemory("only vectors of two dimensions move through shared local memory");
  if (!from && !throughMemory) return inRegisters();
  // Without a layout that divides it between lanes, a window is at most as large as one message.
  if (!from && type.byteCount() > kMostMessageBytes) return notThroughMemory("no layout of lanes is stated for the operand");
  ConversionCost cost;
  if (from)
    cost = conversionCost(withCopies(b_.context(), from, lanes_), withCopies(b_.context(), to, lanes_),
                          elemInfo(type.elem()).storageBytes);
  if (!throughMemory && !cost.prefersMemory()) return inRegisters();
  Value *memory = buffer(type);
  if (!memory) return notThroughMemory("it has no room for the vector of each subgroup");
  if (from)
    diagnostics_.report(DiagCode::LaneMovement, b_.range(),
                        str("elements move between lanes through shared local memory, as the layouts state: ", memoryText(cost),
                            " in place of ", text(cost.registers)));
  return exchange(vector, memory, type);
}

// A buffer with a part for each subgroup; null if shared local memory has no room for it.
Value *LaneConversion::buffer(Type vector) {
  std::vector<int64_t> shape(vector.shape().begin(), vector.shape().end());
  auto [known, added] = buffers_.try_emplace({vector.elem(), shape}, nullptr);
  if (!added) return known->second;
  shape[0] *= kernel_.subgroups;
  Type memory = b_.context().memref(shape, vector.elem(), MemorySpace::Slm);
  int64_t offset = (slmUsed_ + kSlmAlignment - 1) / kSlmAlignment * kSlmAlignment, end = offset + slmBytesOf(memory);
  if (end > slmLimit_) return nullptr;
  slmUsed_ = end;
  known->second = prologue_.value(OpKind::AllocSlm, {}, memory);
  if (kernel_.forms.has(Form::SlmPlanned)) AllocSlmOp(*known->second->definingOp()).setOffset(offset);
  return known->second;
}

// Stores the vector in one layout and loads it in the other. distribute-to-lanes puts the barriers between.
Value *LaneConversion::exchange(Value *vector, Value *buffer, Type to) {
  Value *row = b_.index(0), *column = b_.index(0);
  if (kernel_.subgroups > 1)
    row = b_.value(OpKind::MulI, {b_.value(OpKind::SubgroupId, {}, b_.context().index()), b_.index(to.extent(0))},
                   b_.context().index());
  auto tile = [&](const Layout *layout) {
    std::vector<int64_t> shape(to.shape().begin(), to.shape().end());
    Type type = b_.context().tile(std::move(shape), to.elem(), layout, Order::RowMajor, MemorySpace::Slm);
    return b_.value(OpKind::InitTile, {buffer, row, column}, type);
  };
  b_.create(OpKind::StoreTile, {vector, tile(vector->type().layout())}, {});
  return b_.value(OpKind::LoadTile, {tile(to.layout())}, to);
}

} // namespace xt
