#include "passes/distribute_to_subgroups.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/code_size.h"
#include "ir/gpu/slm_layout.h"
#include "ir/op_kinds.h"
#include "passes/distribution.h"
#include "passes/nest_loops.h"
#include "passes/part_values.h"

namespace xt {

void Distribution::run() {
  std::vector<Op *> olds;
  for (Op &op : kernel_.body) olds.push_back(&op);
  for (const auto &param : kernel_.body.params()) bind(param.get(), {param.get()});
  // New ops follow the old ones, which are erased at the end. Ops at the start of the kernel follow the subgroup's id.
  b.setEnd(kernel_.body);
  b.setRange(kernel_.nameRange);
  topEnd_ = create(OpKind::SubgroupId, {}, {context_.index()});
  subgroupId_ = topEnd_->result();
  subgroupId_->setName("sg");
  for (Op *old : olds) {
    b.setEnd(kernel_.body);
    op(*old);
  }
  for (size_t k = olds.size(); k-- > 0;) kernel_.body.erase(olds[k]);
  dropNeedlessWaits();
  kernel_.scope = Scope::Subgroup;
  kernel_.subgroupsWritten = true;
}

void Distribution::block(const Block &from) {
  for (Op &old : from) op(old);
}

namespace {
bool hasParts(Type type) { return (type.isVector() || type.isTile()) && type.layout(); }
} // namespace

void Distribution::op(const Op &op) {
  b.setRange(op.range());
  switch (op.info().typeRule) {
  case TypeRule::For:
  case TypeRule::While: return loop(op);
  case TypeRule::If: return branch(op);
  case TypeRule::Yield: return yield(op);
  case TypeRule::InitTile: return initTile(op);
  case TypeRule::LoadTile: return transposes(op) ? loadTransposed(op) : eachPiece(op);
  case TypeRule::TileMma: return tileMma(op);
  case TypeRule::Transpose: return transpose(op);
  case TypeRule::Reduction: return reduction(op);
  case TypeRule::Broadcast: return broadcast(op);
  case TypeRule::ConvertLayout: return convert(op);
  case TypeRule::Reshape: return reshape(op);
  case TypeRule::Extract: return extract(op);
  case TypeRule::Insert: return insert(op);
  case TypeRule::Iota: return iota(op);
  case TypeRule::CreateMask: return createMask(op);
  case TypeRule::Print: return print(op);
  case TypeRule::MemRefStore: return memoryStore(op);
  default: break;
  }
  bool parts = false;
  for (size_t i = 0; i < op.resultCount(); ++i) parts |= hasParts(op.result(i)->type());
  for (const Value *operand : op.operands()) parts |= hasParts(operand->type());
  if (parts)
    eachPiece(op);
  else
    plain(op);
}

// The same op on a subgroup's parts of its operands, which are one value each.
void Distribution::plain(const Op &op) {
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(op.result(i)->type());
  Op *copy = create(op.kind(), expanded(op.operands()), types);
  copy->copyAttrs(op);
  for (size_t i = 0; i < op.resultCount(); ++i) bind(op.result(i), {copy->result(i)});
}

// The same op on each piece; all tiles and vectors of the op have the same pieces.
void Distribution::eachPiece(const Op &op) {
  Type like = op.resultCount() ? op.result()->type() : Type();
  for (const Value *operand : op.operands())
    if (!like || !hasParts(like)) like = operand->type();
  Pieces pieces = piecesOf(like);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values operands;
    for (const Value *operand : op.operands()) operands.push_back(of(operand).size() > 1 ? of(operand)[k] : one(operand));
    std::vector<Type> types;
    if (op.resultCount()) types.push_back(pieceType(op.result()->type(), pieces));
    Op *copy = create(op.kind(), std::move(operands), types);
    copy->copyAttrs(op);
    if (op.resultCount()) results.push_back(copy->result());
  }
  if (op.resultCount()) bind(op.result(), std::move(results));
}

// Adds the offsets of each piece in the workgroup's tile to those of the tile.
void Distribution::initTile(const Op &op) {
  Type tile = op.result()->type();
  if (tile.data().scatter) return eachPiece(op);
  Pieces pieces = piecesOf(tile);
  Value *base = one(op.operand(0));
  size_t rank = base->type().isMemRef() ? static_cast<size_t>(base->type().rank()) : 2;
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    std::vector<size_t> place = pieces.at(k);
    Values operands = expanded(op.operands());
    for (size_t d = 0; d < 2; ++d) {
      Value *&offset = operands[1 + rank - 2 + d];
      if (Value *inTile = indexOf(pieces.dims[d], place[d])) offset = add(offset, inTile);
    }
    results.push_back(make(OpKind::InitTile, std::move(operands), pieceType(tile, pieces)));
  }
  bind(op.result(), std::move(results));
}

void Distribution::iota(const Op &op) {
  Type type = op.result()->type();
  Pieces pieces = piecesOf(type);
  size_t dim = dimensionOf(op);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k)
    results.push_back(iotaFrom(b, op, pieceType(type, pieces), indexOf(pieces.dims[dim], pieces.at(k)[dim])));
  bind(op.result(), std::move(results));
}

// Extents count from the start of the whole vector.
void Distribution::createMask(const Op &op) {
  Type type = op.result()->type();
  Pieces pieces = piecesOf(type);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values extents = expanded(op.operands());
    for (size_t d = 0; d < extents.size(); ++d)
      if (Value *first = indexOf(pieces.dims[d], pieces.at(k)[d]))
        extents[d] = make(OpKind::SubI, {extents[d], first}, context_.index());
    results.push_back(make(OpKind::CreateMask, std::move(extents), pieceType(type, pieces)));
  }
  bind(op.result(), std::move(results));
}

// An insert whose index is outside of the piece replaces nothing.
void Distribution::insert(const Op &op) {
  Type type = op.result()->type();
  Pieces pieces = piecesOf(type);
  Values results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values operands = {one(op.operand(0)), of(op.operand(1))[k]};
    for (size_t d = 0; d < pieces.dims.size(); ++d) {
      Value *at = one(op.operand(2 + d)), *first = indexOf(pieces.dims[d], pieces.at(k)[d]);
      operands.push_back(first ? make(OpKind::SubI, {at, first}, context_.index()) : at);
    }
    results.push_back(make(OpKind::Insert, std::move(operands), pieceType(type, pieces)));
  }
  bind(op.result(), std::move(results));
}

// One subgroup stores a value that all subgroups hold.
void Distribution::memoryStore(const Op &op) {
  onlyWhere({{1, kernel_.subgroups, 1}}, [&] { plain(op); });
}

// --- structure -------------------------------------------------------------------------------------------------------

Values Distribution::expanded(std::span<Value *const> values) const {
  Values all;
  for (const Value *value : values) all.insert(all.end(), of(value).begin(), of(value).end());
  return all;
}

std::vector<Type> Distribution::expandedTypes(std::span<const Type> types) const {
  std::vector<Type> all;
  for (Type type : types) {
    if (!hasParts(type)) {
      all.push_back(type);
      continue;
    }
    Pieces pieces = piecesOf(type);
    all.insert(all.end(), pieces.count(), pieceType(type, pieces));
  }
  return all;
}

void Distribution::bindAll(std::span<Value *const> olds, const Values &news) {
  size_t next = 0;
  for (Value *old : olds) {
    size_t count = hasParts(old->type()) ? piecesOf(old->type()).count() : 1;
    bind(old,
         Values(news.begin() + static_cast<std::ptrdiff_t>(next), news.begin() + static_cast<std::ptrdiff_t>(next + count)));
    next += count;
  }
}

void Distribution::loop(const Op &op) {
  std::vector<Type> results;
  std::vector<Value *> oldResults;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    results.push_back(op.result(i)->type());
    oldResults.push_back(op.result(i));
  }
  Op *made = b.create(op.kind(), expanded(op.operands()), expandedTypes(results), 1);
  std::vector<Value *> oldParams;
  Values params;
  for (const auto &param : op.region()->params()) {
    oldParams.push_back(param.get());
    for (Type type : expandedTypes(std::array{param->type()})) params.push_back(made->region()->addParam(type));
  }
  bindAll(oldParams, params);
  Block &outer = b.block();
  b.setEnd(*made->region());
  ++loops_;
  block(*op.region());
  --loops_;
  b.setEnd(outer);
  Values news;
  for (size_t i = 0; i < made->resultCount(); ++i) news.push_back(made->result(i));
  bindAll(oldResults, news);
}

void Distribution::branch(const Op &op) {
  std::vector<Type> results;
  std::vector<Value *> oldResults;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    results.push_back(op.result(i)->type());
    oldResults.push_back(op.result(i));
  }
  Op *made = b.create(op.kind(), expanded(op.operands()), expandedTypes(results), 2);
  Block &outer = b.block();
  for (size_t r = 0; r < 2; ++r) {
    b.setEnd(*made->region(r));
    block(*op.region(r));
  }
  b.setEnd(outer);
  Values news;
  for (size_t i = 0; i < made->resultCount(); ++i) news.push_back(made->result(i));
  bindAll(oldResults, news);
}

void Distribution::yield(const Op &op) { create(OpKind::Yield, expanded(op.operands()), {}); }

void Distribution::bind(const Value *old, Values values) {
  for (size_t k = 0; k < values.size(); ++k) {
    if (!values[k]->name().empty() || old->name().empty()) continue;
    values[k]->setName(values.size() == 1 ? old->name() : str(old->name(), "_", k));
    values[k]->setRange(old->range());
  }
  values_[old] = std::move(values);
}

// --- the subgroup's place --------------------------------------------------------------------------------------------

Builder Distribution::atTop() {
  Builder top(context_, kernel_.body);
  if (Op *next = topEnd_->next())
    top.setBefore(next);
  else
    top.setEnd(kernel_.body);
  top.setRange(kernel_.nameRange);
  return top;
}

Value *Distribution::digit(const SubgroupDigit &digit) {
  Value *&known = digits_[{digit.stride, digit.extent, digit.weight}];
  if (known) return known;
  known = subgroupId_;
  auto apply = [&](OpKind kind, int64_t by) {
    Value *constant = atTop().index(by);
    topEnd_ = constant->definingOp();
    topEnd_ = atTop().create(kind, {known, constant}, {context_.index()});
    known = topEnd_->result();
  };
  if (digit.stride != 1) apply(OpKind::DivSI, digit.stride);
  if (digit.stride * digit.extent < kernel_.subgroups) apply(OpKind::RemSI, digit.extent);
  if (digit.weight != 1) apply(OpKind::MulI, digit.weight);
  return known;
}

Value *Distribution::placeOf(const std::vector<SubgroupDigit> &digits) {
  if (digits.empty()) return nullptr;
  std::vector<std::array<int64_t, 3>> key;
  for (const SubgroupDigit &d : digits) key.push_back({d.stride, d.extent, d.weight});
  Value *&known = places_[key];
  for (size_t i = 0; !known && i < digits.size(); ++i) {
    Value *sum = digit(digits[0]);
    for (size_t k = 1; k < digits.size(); ++k) {
      Value *next = digit(digits[k]);
      topEnd_ = atTop().create(OpKind::AddI, {sum, next}, {context_.index()});
      sum = topEnd_->result();
    }
    known = sum;
  }
  return known;
}

Value *Distribution::add(Value *x, Value *y) {
  if (!x || !y) return x ? x : y;
  return make(OpKind::AddI, {x, y}, context_.index());
}

Value *Distribution::plus(Value *x, int64_t constant) {
  if (constant == 0) return x;
  return add(x, index(constant));
}

Type Distribution::pieceType(Type type, const Pieces &pieces) const {
  TypeData data = type.data();
  data.layout = nullptr;
  data.shape = pieces.lengths();
  return context_.intern(std::move(data));
}

static void distribute(Module &module, int64_t slmBytes) {
  for (const auto &kernel : module.kernels) {
    if (kernel->scope != Scope::Workgroup) continue;
    expandNests(*kernel, module.context());
    // An exchange may use half of the memory that the user's own buffers leave, because two may be active in one loop.
    int64_t limit = slmBytes == 0 ? 0 : std::max<int64_t>(1, (slmBytes - slmLayout(*kernel).bytes) / 2);
    Distribution(*kernel, module.context(), limit).run();
  }
}

Result<void> distributeToSubgroups(Module &module, Diagnostics &) {
  distribute(module, 0);
  return {};
}

Result<void> distributeToSubgroupsFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels)
    if (kernel->scope == Scope::Workgroup && !tilesFit(*kernel, target, diagnostics)) return Error::diagnosed();
  distribute(module, target.slmBytes);
  return {};
}

} // namespace xt
