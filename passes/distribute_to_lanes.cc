#include "passes/distribute_to_lanes.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "ir/print.h"
#include "ir/verify/target_limits.h"
#include "ir/views/names.h"
#include "ir/views/scalar.h"
#include "passes/lane_distribution.h"
#include "passes/xegpu_to_tiles.h"

namespace xt {

void LaneDistribution::run() {
  std::vector<Op *> olds;
  for (Op &op : kernel_.body) olds.push_back(&op);
  for (const auto &param : kernel_.body.params()) bind(param.get(), param.get());
  // New ops follow the old ones, which are erased at the end.
  for (Op *old : olds) {
    b.setEnd(kernel_.body);
    op(*old);
  }
  for (size_t k = olds.size(); k-- > 0;) kernel_.body.erase(olds[k]);
  kernel_.scope = Scope::Lane;
  kernel_.lanes = lanes_;
  kernel_.subgroupsWritten = true;
}

void LaneDistribution::block(const Block &from) {
  for (Op &old : from) op(old);
}

void LaneDistribution::op(const Op &op) {
  b.setRange(op.range());
  switch (op.info().typeRule) {
  case TypeRule::For:
  case TypeRule::While:
  case TypeRule::If: return structure(op);
  case TypeRule::Iota: return iota(op);
  case TypeRule::CreateMask: return createMask(op);
  case TypeRule::Insert: return insert(op);
  case TypeRule::Extract: return extract(op);
  case TypeRule::InitTile: return initTile(op);
  case TypeRule::UpdateTileOffset: return updateTile(op);
  case TypeRule::LoadTile: return loadTile(op);
  case TypeRule::StoreTile: return storeTile(op);
  case TypeRule::PrefetchTile: return; // a hint; every lane would repeat it
  case TypeRule::LoadGather: return gather(op);
  case TypeRule::StoreScatter: return scatter(op);
  case TypeRule::AtomicRmw: return atomic(op);
  case TypeRule::MemRefStore: return storeScalar(op);
  case TypeRule::TileMma: return tileMma(op);
  case TypeRule::Dpas: return dpas(op);
  case TypeRule::Transpose: return transpose(op);
  case TypeRule::Reduction: return reduction(op);
  case TypeRule::Broadcast: return broadcast(op);
  case TypeRule::Reshape: return reshape(op);
  case TypeRule::ExtractStridedSlice: return extractSlice(op);
  case TypeRule::InsertStridedSlice: return insertSlice(op);
  case TypeRule::Print: return print(op);
  default: break;
  }
  if (op.info().dialect == Dialect::XeGpu) return xegpu(op);
  if (op.kind() == OpKind::Barrier) hazards_.clear();
  before(op, nullptr);
  plain(op);
}

Op *LaneDistribution::copy(const Op &op, std::vector<Value *> operands, std::vector<Type> results) {
  Op *made = create(op.kind(), std::move(operands), std::move(results));
  made->copyAttrs(op, attr_names::kMode);
  return made;
}

// Ops on scalars, and ops that each lane performs on its own elements.
void LaneDistribution::plain(const Op &op) {
  std::vector<Value *> operands;
  for (const Value *operand : op.operands()) operands.push_back(of(operand));
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(laneType(op.result(i)));
  Op *made = copy(op, std::move(operands), std::move(types));
  for (size_t i = 0; i < op.resultCount(); ++i) bind(op.result(i), made->result(i));
}

// --- structure -------------------------------------------------------------------------------------------------------

Type LaneDistribution::laneType(const Value *value) const {
  Type type = value->type();
  if (type.isVector()) return laneVector(layouts_.of(value), type.elem());
  if (!type.isWindow()) return type;
  TypeData data = type.data();
  if (type.isTensorDesc())
    data.layout = layouts_.ofBlock(value);
  else if (data.scatter)
    data.shape = layouts_.of(value)->ownerShape(Axis::Lane);
  else
    data.shape = {1, 1}; // lanes share only the position where the tile begins
  return context_.intern(std::move(data));
}

void LaneDistribution::structure(const Op &op) {
  std::vector<Value *> operands;
  std::vector<Type> types;
  for (const Value *operand : op.operands()) operands.push_back(of(operand));
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(laneType(op.result(i)));
  Op *made = b.create(op.kind(), std::move(operands), types, op.regionCount());
  Block &outer = b.block();
  LaneHazards::State before = hazards_.enter(op), ends;
  LaneHazards entered = hazards_;
  for (size_t r = 0; r < op.regionCount(); ++r) {
    hazards_ = entered;
    for (const auto &param : op.region(r)->params()) bind(param.get(), made->region(r)->addParam(laneType(param.get())));
    b.setEnd(*made->region(r));
    block(*op.region(r));
    ends.insert(ends.end(), hazards_.state().begin(), hazards_.state().end());
  }
  hazards_.leave(ends);
  hazards_.leave(before);
  b.setEnd(outer);
  for (size_t i = 0; i < op.resultCount(); ++i) bind(op.result(i), made->result(i));
}

void LaneDistribution::bind(const Value *old, Value *value) {
  if (value->name().empty() && !old->name().empty()) {
    value->setName(old->name());
    value->setRange(old->range());
  }
  values_[old] = value;
}

// --- places ----------------------------------------------------------------------------------------------------------

void LaneDistribution::iota(const Op &op) {
  Type type = laneType(op.result());
  auto dim = static_cast<int>(dimensionOf(op));
  Value *value = indices(layouts_.of(op.result()), dim);
  Type wide = context_.withElem(type, Elem::I64);
  if (isFloat(type.elem()))
    value = make(OpKind::SIToFP, {make(OpKind::IndexCast, {value}, wide)}, type);
  else if (type.elem() != Elem::Index)
    value = make(OpKind::IndexCast, {value}, type);
  bind(op.result(), value);
}

void LaneDistribution::createMask(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  Type type = laneType(op.result());
  Value *all = nullptr;
  for (size_t d = 0; d < op.operandCount(); ++d) {
    Value *at = indices(layout, static_cast<int>(d));
    Op *inside = create(OpKind::CmpI, {at, splat(of(op.operand(d)), at->type())}, {type});
    CmpIOp(*inside).setKind(CmpIKind::Slt);
    all = all ? make(OpKind::AndI, {all, inside->result()}, type) : inside->result();
  }
  bind(op.result(), all);
}

void LaneDistribution::insert(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  Type type = laneType(op.result()), truth = context_.withElem(type, Elem::I1);
  Value *here = nullptr;
  for (size_t d = 0; d + 2 < op.operandCount(); ++d) {
    Value *at = indices(layout, static_cast<int>(d));
    Op *same = create(OpKind::CmpI, {at, splat(of(op.operand(2 + d)), at->type())}, {truth});
    CmpIOp(*same).setKind(CmpIKind::Eq);
    here = here ? make(OpKind::AndI, {here, same->result()}, truth) : same->result();
  }
  bind(op.result(), make(OpKind::Select, {here, splat(of(op.operand(0)), type), of(op.operand(1))}, type));
}

// The digits of the index give the lane that holds the element and its position in the lane's fragment. The result is
// 0 out of bounds.
void LaneDistribution::extract(const Op &op) {
  const Layout *layout = layouts_.of(op.operand(0));
  std::vector<Value *> operands = {of(op.operand(0))};
  Value *lane = nullptr, *inside = nullptr;
  for (int d = 0; d < layout->rank(); ++d) {
    Value *at = of(op.operand(1 + static_cast<size_t>(d))), *own = nullptr;
    Op *within = create(OpKind::CmpI, {at, index(layout->shape()[static_cast<size_t>(d)])}, {context_.i1()});
    CmpIOp(*within).setKind(CmpIKind::Ult); // as unsigned numbers, negative indices are large
    inside = inside ? make(OpKind::AndI, {inside, within->result()}, context_.i1()) : within->result();
    at = make(OpKind::Select, {within->result(), at, index(0)}, context_.index());
    int64_t weight = 1, inLane = 1;
    std::span<const Factor> factors = layout->factors(d);
    for (size_t i = factors.size(); i-- > 0; weight *= factors[i].extent) {
      bool ofLane = factors[i].axis == Axis::Lane;
      Value *digit = arith(OpKind::RemSI, arith(OpKind::DivSI, at, weight), factors[i].extent);
      digit = arith(OpKind::MulI, digit, ofLane ? factors[i].stride : inLane);
      (ofLane ? lane : own) = plus(ofLane ? lane : own, digit);
      if (!ofLane) inLane *= factors[i].extent;
    }
    operands.push_back(own ? own : index(0));
  }
  Value *element = make(OpKind::Extract, std::move(operands), op.result()->type());
  if (lane) element = shuffled(element, lane);
  Type type = op.result()->type();
  Value *zero = isFloat(type.elem()) ? b.constantFloat(type, 0) : b.constantInt(type, 0);
  bind(op.result(), inside ? make(OpKind::Select, {inside, element, zero}, type) : element);
}

// A print collects the whole vector in every lane, and one lane prints it.
void LaneDistribution::print(const Op &op) {
  std::vector<Value *> operands;
  for (const Value *operand : op.operands())
    operands.push_back(operand->type().isVector() ? in(operand, layouts_.replicated(operand->type().shape())) : of(operand));
  if (op.kind() == OpKind::Assert) {
    copy(op, std::move(operands), {});
    return;
  }
  std::vector<bool> first(static_cast<size_t>(lanes_));
  first[0] = true;
  where(among(first), {}, [&] {
    copy(op, std::move(operands), {});
    return nullptr;
  });
}

// --- small pieces ----------------------------------------------------------------------------------------------------

Value *LaneDistribution::plus(Value *x, Value *y) { return !x ? y : !y ? x : make(OpKind::AddI, {x, y}, context_.index()); }
Value *LaneDistribution::plus(Value *x, int64_t constant) { return constant ? plus(x, index(constant)) : x; }

Value *LaneDistribution::arith(OpKind kind, Value *x, int64_t constant) {
  if (constant == 1 && kind != OpKind::RemSI) return x;
  return make(kind, {x, index(constant)}, context_.index());
}

Value *LaneDistribution::slice(Value *vector, const std::vector<int64_t> &at, std::vector<int64_t> shape) {
  Type type = vector->type(), part = context_.vector(std::move(shape), type.elem());
  if (part == type) return vector;
  Op *made = create(OpKind::ExtractStridedSlice, {vector}, {part});
  ExtractStridedSliceOp(*made).setOffsets(at);
  return made->result();
}

Value *LaneDistribution::placed(Value *part, Value *into, const std::vector<int64_t> &at) {
  if (part->type() == into->type()) return part;
  Op *made = create(OpKind::InsertStridedSlice, {part, into}, {into->type()});
  InsertStridedSliceOp(*made).setOffsets(at);
  return made->result();
}

Value *LaneDistribution::reshaped(Value *vector, std::span<const int64_t> shape) {
  Type type = context_.vector({shape.begin(), shape.end()}, vector->type().elem());
  return type == vector->type() ? vector : make(OpKind::Reshape, {vector}, type);
}

Value *LaneDistribution::splat(Value *scalar, Type like) {
  return make(OpKind::Splat, {scalar}, context_.withElem(like, scalar->type().elem()));
}

Value *LaneDistribution::where(Value *condition, Type result, const std::function<Value *()> &body) {
  if (!condition) return body();
  std::vector<Type> types;
  if (result) types.push_back(result);
  Op *made = b.create(OpKind::If, {condition}, types, 2);
  Builder around = b;
  b.setEnd(*made->region(0));
  Value *value = body();
  create(OpKind::Yield, value ? std::vector<Value *>{value} : std::vector<Value *>{}, {});
  b.setEnd(*made->region(1));
  create(OpKind::Yield, result ? std::vector<Value *>{zeros(result)} : std::vector<Value *>{}, {});
  b = around;
  return result ? made->result() : nullptr;
}

// --- the pass --------------------------------------------------------------------------------------------------------

namespace {

// First replaces XeGPU ops by tile ops where the hardware cannot distribute their blocks or sizes to lanes.
void replaceOddBlocks(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes) {
  LaneLayouts layouts(kernel, context, target, lanes);
  xegpuToTiles(context, kernel, [&](const Op &op) {
    if (op.kind() == OpKind::Dpas) return !layouts.ofProduct(op, 0);
    for (const Value *operand : op.operands())
      if (operand->type().isTensorDesc()) return !layouts.ofBlock(operand);
    return op.resultCount() > 0 && op.result()->type().isTensorDesc() && !layouts.ofBlock(op.result());
  });
}

} // namespace

Result<void> distributeToLanes(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  bool fits = true;
  for (const auto &kernel : module.kernels) {
    if (kernel->scope == Scope::Lane) continue;
    int64_t lanes = subgroupSizeFor(target, kernel->subgroups);
    // Lane scope has no larger workgroups, so the result could not be read back.
    if (!checkWorkgroupSize(module, *kernel, lanes, false, target, diagnostics)) {
      fits = false;
      continue;
    }
    replaceOddBlocks(*kernel, module.context(), target, lanes);
    LaneDistribution(*kernel, module.context(), target, lanes).run();
  }
  if (!fits) return Error::diagnosed();
  return {};
}

} // namespace xt
