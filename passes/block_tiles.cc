#include "passes/block_tiles.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/code_size.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"
#include "ir/print.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/blocking.h"
#include "passes/nest_loops.h"
#include "passes/part_values.h"
#include "passes/product_loops.h"
#include "passes/sweep_loops.h"
#include "passes/turned_loads.h"

#include <algorithm>

namespace xt {

void Blocking::run() {
  std::vector<Op *> olds;
  for (Op &op : kernel_.body) olds.push_back(&op);
  for (const auto &param : kernel_.body.params()) bind(param.get(), {param.get()});
  lastOld_ = olds.empty() ? nullptr : olds.back();
  // New ops follow the old ones, which are erased at the end.
  b.setEnd(kernel_.body);
  for (Op *old : olds) op(*old);
  for (size_t k = olds.size(); k-- > 0;) kernel_.body.erase(olds[k]);
}

void Blocking::block(const Block &from) {
  for (Op &old : from) op(old);
}

void Blocking::op(const Op &op) {
  b.setRange(op.range());
  switch (op.info().typeRule) {
  case TypeRule::For:
  case TypeRule::While:
  case TypeRule::If: return structure(op);
  case TypeRule::Yield: {
    Values all;
    for (const Value *operand : op.operands()) all.insert(all.end(), of(operand).begin(), of(operand).end());
    create(OpKind::Yield, std::move(all), {});
    return;
  }
  case TypeRule::Constant:
  case TypeRule::Splat: return op.result()->type().isVector() ? constantLike(op) : plain(op);
  case TypeRule::Iota: return iota(op);
  case TypeRule::CreateMask: return createMask(op);
  case TypeRule::InitTile: return initTile(op);
  case TypeRule::UpdateTileOffset: return updateTile(op);
  case TypeRule::LoadTile: return loadTile(op);
  case TypeRule::StoreTile: return storeTile(op);
  case TypeRule::PrefetchTile: return prefetchTile(op);
  case TypeRule::LoadGather:
  case TypeRule::StoreScatter:
  case TypeRule::AtomicRmw: return atomic(op);
  case TypeRule::TileMma: return tileMma(op);
  case TypeRule::ConvertLayout: return convertLayout(op);
  case TypeRule::Transpose: return transpose(op);
  case TypeRule::Reduction: return reduction(op);
  case TypeRule::Broadcast: return broadcast(op);
  case TypeRule::Reshape: return reshape(op);
  case TypeRule::Extract: return extract(op);
  case TypeRule::Insert: return insert(op);
  case TypeRule::ExtractStridedSlice: return extractSlice(op);
  case TypeRule::InsertStridedSlice: return insertSlice(op);
  case TypeRule::Print: return print(op);
  default: break;
  }
  bool vectors = op.resultCount() && op.result()->type().isVector();
  vectors &= op.info().elementwise || op.info().typeRule == TypeRule::Compare || op.info().typeRule == TypeRule::Select ||
             op.info().typeRule == TypeRule::Cast;
  return vectors ? eachBlock(op) : plain(op);
}

Op *Blocking::copy(const Op &op, Values operands, std::vector<Type> results) {
  Op *made = create(op.kind(), std::move(operands), std::move(results));
  made->copyAttrs(op);
  return made;
}

// Ops on scalars, and ops whose vectors and windows are blocks already.
void Blocking::plain(const Op &op) {
  Values operands;
  for (const Value *operand : op.operands()) operands.push_back(one(operand));
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(op.result(i)->type());
  Op *made = copy(op, std::move(operands), std::move(types));
  for (size_t i = 0; i < op.resultCount(); ++i) bind(op.result(i), {made->result(i)});
}

void Blocking::eachBlock(const Op &op) {
  size_t count = classes_.grid(op.result()).count();
  Values results;
  for (size_t k = 0; k < count; ++k) {
    Values operands;
    for (const Value *operand : op.operands()) operands.push_back(operand->type().isVector() ? of(operand)[k] : one(operand));
    results.push_back(copy(op, std::move(operands), {blockType(op.result(), k)})->result());
  }
  bind(op.result(), std::move(results));
}

// All elements are equal, so blocks of one shape share one value.
void Blocking::constantLike(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  std::vector<std::pair<Type, Value *>> made;
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    Type type = blockType(op.result(), k);
    Value *value = nullptr;
    for (auto &[known, known_value] : made)
      if (known == type) value = known_value;
    if (!value) {
      Values operands;
      for (const Value *operand : op.operands()) operands.push_back(one(operand));
      value = copy(op, std::move(operands), {type})->result();
      made.emplace_back(type, value);
    }
    results.push_back(value);
  }
  bind(op.result(), std::move(results));
}

void Blocking::iota(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  size_t dim = dimensionOf(op);
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    int64_t first = grid.origin(k)[dim];
    results.push_back(iotaFrom(b, op, blockType(op.result(), k), first ? index(first) : nullptr));
  }
  bind(op.result(), std::move(results));
}

void Blocking::createMask(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    Values extents;
    for (size_t d = 0; d < op.operandCount(); ++d) extents.push_back(minus(one(op.operand(d)), origin[d]));
    results.push_back(make(OpKind::CreateMask, std::move(extents), blockType(op.result(), k)));
  }
  bind(op.result(), std::move(results));
}

// An insert whose index is outside of the block replaces nothing.
void Blocking::insert(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    Values operands = {one(op.operand(0)), of(op.operand(1))[k]};
    for (size_t d = 0; d < origin.size(); ++d) operands.push_back(minus(one(op.operand(2 + d)), origin[d]));
    results.push_back(make(OpKind::Insert, std::move(operands), blockType(op.result(), k)));
  }
  bind(op.result(), std::move(results));
}

// Extracts from each block and selects the result of the block that contains the index.
void Blocking::extract(const Op &op) {
  const Value *vector = op.operand(0);
  const BlockGrid &grid = classes_.grid(vector);
  Value *result = nullptr;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    Values operands = {of(vector)[k]};
    for (size_t d = 0; d < origin.size(); ++d) operands.push_back(minus(one(op.operand(1 + d)), origin[d]));
    Value *element = make(OpKind::Extract, std::move(operands), op.result()->type());
    for (size_t d = 0; result && d < origin.size(); ++d) {
      if (origin[d] == 0) continue;
      Op *reached = create(OpKind::CmpI, {one(op.operand(1 + d)), index(origin[d])}, {context_.i1()});
      CmpIOp(*reached).setKind(CmpIKind::Sge);
      element = make(OpKind::Select, {reached->result(), element, result}, op.result()->type());
    }
    result = element;
  }
  bind(op.result(), {result});
}

void Blocking::extractSlice(const Op &op) {
  const BlockGrid &grid = classes_.grid(op.result());
  const std::vector<int64_t> &offsets = ExtractStridedSliceOp(op).offsets();
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k);
    for (size_t d = 0; d < origin.size(); ++d) origin[d] += offsets[d];
    results.push_back(region(op.operand(0), origin, grid.shape(k)));
  }
  bind(op.result(), std::move(results));
}

// Blocks that the inserted part does not overlap stay those of the vector.
void Blocking::insertSlice(const Op &op) {
  const Value *part = op.operand(0);
  const BlockGrid &grid = classes_.grid(op.result());
  const std::vector<int64_t> &offsets = InsertStridedSliceOp(op).offsets();
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k), inPart = origin, inBlock = origin, common = shape;
    bool reaches = true;
    for (size_t d = 0; d < origin.size(); ++d) {
      int64_t from = std::max(origin[d], offsets[d]),
              to = std::min(origin[d] + shape[d], offsets[d] + part->type().extent(static_cast<int>(d)));
      inPart[d] = from - offsets[d], inBlock[d] = from - origin[d], common[d] = to - from;
      reaches &= from < to;
    }
    bool covered = reaches && common == shape;
    Value *block = covered ? nullptr : region(op.operand(1), origin, shape);
    results.push_back(!reaches  ? block
                      : covered ? region(part, inPart, common)
                                : inserted(region(part, inPart, common), block, inBlock));
  }
  bind(op.result(), std::move(results));
}

// Asserts each block, with its offset in the vector, or in the larger vector that the operand is already a part of.
void Blocking::asserted(const Op &op) {
  const Value *condition = op.operand(0);
  const BlockGrid &grid = classes_.grid(condition);
  std::span<const int64_t> shape = condition->type().shape();
  bool part = op.operandCount() > 1;
  for (size_t k = 0; k < grid.count(); ++k) {
    Values operands = {of(condition)[k]};
    std::vector<int64_t> origin = grid.origin(k);
    for (size_t d = 0; (part || grid.count() > 1) && d < shape.size(); ++d)
      operands.push_back(part ? plus(one(op.operand(1 + d)), origin[d]) : index(origin[d]));
    Op *made = copy(op, std::move(operands), {});
    if (!part && grid.count() > 1) AssertOp(*made).setWhole({shape.begin(), shape.end()});
  }
}

// A print needs the whole vector, because its output is one text.
void Blocking::print(const Op &op) {
  if (op.kind() == OpKind::Assert && op.operand(0)->type().isVector()) return asserted(op);
  Values operands;
  for (const Value *operand : op.operands()) operands.push_back(operand->type().isVector() ? wholeOf(operand) : one(operand));
  copy(op, std::move(operands), {});
}

// --- structure -------------------------------------------------------------------------------------------------------

Type Blocking::blockType(const Value *value, size_t k) const {
  std::vector<int64_t> shape = classes_.grid(value).shape(k);
  Elem elem = value->type().elem();
  const Layout *layout = classes_.layout(value, shape);
  if (classes_.packed(value)) {
    if (layout) layout = packedLayout(context_, layout, vnniFactorOf(elem));
    shape = packedShape(shape, elem);
  }
  return context_.vector(std::move(shape), elem, layout);
}

std::vector<Type> Blocking::partTypes(const Value *value) const {
  Type type = value->type();
  if (type.isTile() && roots_.root(value) && !isScatter(value)) return {context_.index(), context_.index()};
  if (!type.isVector() && !type.isTile()) return {type};
  std::vector<Type> types;
  for (size_t k = 0; k < classes_.grid(value).count(); ++k) {
    std::vector<int64_t> shape = classes_.grid(value).shape(k);
    if (type.isVector()) {
      types.push_back(blockType(value, k));
    } else if (roots_.root(value)) {
      types.push_back(context_.vector(std::move(shape), Elem::Index));
    } else {
      TypeData data = type.data();
      data.shape = std::move(shape);
      types.push_back(context_.intern(std::move(data)));
    }
  }
  return types;
}

void Blocking::bindAll(const std::vector<Value *> &olds, const Values &news) {
  size_t next = 0;
  for (Value *old : olds) {
    size_t count = partTypes(old).size();
    bind(old,
         Values(news.begin() + static_cast<std::ptrdiff_t>(next), news.begin() + static_cast<std::ptrdiff_t>(next + count)));
    next += count;
  }
}

void Blocking::structure(const Op &op) {
  std::vector<Value *> oldResults;
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    oldResults.push_back(op.result(i));
    for (Type type : partTypes(op.result(i))) types.push_back(type);
  }
  Values operands;
  for (const Value *operand : op.operands()) operands.insert(operands.end(), of(operand).begin(), of(operand).end());
  Op *made = b.create(op.kind(), std::move(operands), types, op.regionCount());
  Block &outer = b.block();
  for (size_t r = 0; r < op.regionCount(); ++r) {
    std::vector<Value *> oldParams;
    Values params;
    for (const auto &param : op.region(r)->params()) {
      oldParams.push_back(param.get());
      for (Type type : partTypes(param.get())) params.push_back(made->region(r)->addParam(type));
    }
    bindAll(oldParams, params);
    b.setEnd(*made->region(r));
    block(*op.region(r));
  }
  b.setEnd(outer);
  Values news;
  for (size_t i = 0; i < made->resultCount(); ++i) news.push_back(made->result(i));
  bindAll(oldResults, news);
}

Value *Blocking::inStatedLayout(const Value *old, size_t k, Value *block) {
  if (!old->type().isVector()) return block;
  const Layout *stated = blockType(old, k).layout();
  if (stated == block->type().layout()) return block;
  return conversion_.convert(block, stated, false);
}

void Blocking::bind(const Value *old, Values values) {
  for (size_t k = 0; k < values.size(); ++k) {
    values[k] = inStatedLayout(old, k, values[k]);
    if (!values[k]->name().empty() || old->name().empty()) continue;
    values[k]->setName(values.size() == 1 ? old->name() : str(old->name(), "_", k));
    values[k]->setRange(old->range());
  }
  values_[old] = std::move(values);
}

Result<void> blockTiles(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) {
    if (kernel->scope == Scope::Lane) continue; // such kernels already work on blocks and per-lane tiles
    expandNests(*kernel, module.context());
    foldTransposesIntoLoads(*kernel, module.context());
    formSweepLoops(*kernel, target, module.context());
    if (!tilesFit(*kernel, target, diagnostics)) return Error::diagnosed();
    formProductLoops(*kernel, target, module.context());
    expandNests(*kernel, module.context());
    Blocking(*kernel, target, module.context(), diagnostics).run();
  }
  return {};
}

} // namespace xt
