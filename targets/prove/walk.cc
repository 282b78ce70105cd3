#include "targets/prove/walk.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/shared.h"
#include "targets/prove/integers.h"

namespace xt {

KernelAccesses AccessWalk::run() {
  when_ = {smt_.truth(true)};
  before_ = smt_.truth(true);
  bindParameters();
  makeGrid();
  before_ = out_.inGrid;
  block(kernel_.body);
  return std::move(out_);
}

// --- the launch ---

Term AccessWalk::sizeOf(const View &view, size_t dim) {
  std::optional<size_t> own = view.dims[dim];
  return own ? out_.sizes[view.param][*own] : smt_.integer(1);
}

void AccessWalk::bindParameters() {
  for (size_t p = 0; p < kernel_.paramCount; ++p) {
    const Value &param = *kernel_.param(p);
    out_.sizes.emplace_back();
    out_.scalars.emplace_back();
    if (isNumber(param) && param.type().elem() != Elem::I1) bindInteger(p, param);
    if (!param.type().isMemRef()) continue;
    View whole{p, {}};
    for (size_t d = 0; d < static_cast<size_t>(param.type().rank()); ++d) {
      int64_t extent = param.type().shape()[d];
      Term size = extent == kDynamic ? smt_.symbol(str("dim(%", param.name(), ", ", d, ")")) : smt_.integer(extent);
      if (extent == kDynamic) bound(smt_.integer(0), size, kMostSize);
      out_.sizes[p].push_back(size);
      whole.dims.push_back(d);
    }
    values_.set(&param, whole);
  }
}

void AccessWalk::bindInteger(size_t p, const Value &param) {
  Term value = smt_.symbol(param.name());
  out_.scalars[p] = value;
  values_.set(&param, value);
  out_.bounds.push_back(fits(value, param.type().elem(), smt_));
  bound(smt_.integer(-kMostSize), value, kMostSize);
}

void AccessWalk::bound(Term least, Term term, int64_t most) {
  out_.bounds.push_back(smt_.lessEqual(least, term));
  out_.bounds.push_back(smt_.lessEqual(term, smt_.integer(most)));
}

// Whether the walk only assumes that some op of the expression does not wrap around. A fact about its exact value would then prove
// that assumption from itself.
bool AccessWalk::isAssumedInRange(const Value &value) const {
  const Op *op = value.definingOp();
  if (!op) return false;
  if (std::ranges::any_of(ranges_, [&](const auto &claim) { return claim.op == op; })) return true;
  return std::ranges::any_of(op->operands(), [&](const Value *operand) { return isAssumedInRange(*operand); });
}

void AccessWalk::makeGrid() {
  std::vector<Term> inside, notEmpty, steps;
  // The grid's block has its own parameters, which stand for those of the kernel.
  for (size_t p = 0; p < kernel_.paramCount; ++p) {
    const Value *param = kernel_.param(p);
    if (p >= kernel_.gridBlock.params().size()) break;
    if (const View *whole = values_.view(param))
      values_.set(kernel_.gridBlock.param(p), *whole);
    else if (isNumber(*param))
      values_.set(kernel_.gridBlock.param(p), values_.number(param));
  }
  block(kernel_.gridBlock);
  for (const Requirement &required : kernel_.requirements) // every launch satisfies them
    if (!isAssumedInRange(*required.condition)) out_.bounds.push_back(values_.number(required.condition));
  for (const GridDim &dim : kernel_.grid) {
    Term at = smt_.symbol(str("workgroup along %", dim.variable->name()));
    Term value = smt_.add(values_.number(dim.lower), smt_.multiply(at, values_.number(dim.step)));
    inside.push_back(smt_.lessEqual(smt_.integer(0), at));
    inside.push_back(smt_.less(value, values_.number(dim.upper)));
    inside.push_back(smt_.less(smt_.integer(0), values_.number(dim.step)));
    steps.push_back(inside.back());
    notEmpty.push_back(smt_.less(values_.number(dim.lower), values_.number(dim.upper)));
    out_.grid.push_back(at);
    values_.set(dim.variable, value);
  }
  out_.gridDims = out_.grid.size();
  if (kernel_.scope != Scope::Workgroup && kernel_.subgroups > 1) {
    subgroup_ = smt_.symbol("subgroup");
    inside.push_back(smt_.lessEqual(smt_.integer(0), subgroup_));
    inside.push_back(smt_.less(subgroup_, smt_.integer(kernel_.subgroups)));
    out_.grid.push_back(subgroup_);
  }
  out_.inGrid = smt_.all(inside);
  out_.launches = smt_.all(notEmpty);
  out_.validGrid = smt_.all(steps);
}

// --- ops ---

void AccessWalk::block(const Block &block) {
  for (const Op &op : block) visit(op);
}

void AccessWalk::visit(const Op &op) {
  switch (op.kind()) {
  case OpKind::For: return visitFor(op);
  case OpKind::If: return visitIf(op);
  case OpKind::While: return visitWhile(op);
  case OpKind::InitTile: return initTile(op);
  case OpKind::UpdateTileOffset: return moveTile(op);
  case OpKind::Cast: return castView(op);
  case OpKind::LoadTile: return accessTile(op, 0, Access::Kind::Load);
  case OpKind::StoreTile: return accessTile(op, 1, Access::Kind::Store);
  case OpKind::AsyncCopy: return accessTile(op, 0, Access::Kind::Load), accessTile(op, 1, Access::Kind::Store);
  case OpKind::AtomicRmw:
  case OpKind::AtomicCas: return accessTile(op, AtomicUpdate(op).tileIndex(), Access::Kind::Atomic);
  case OpKind::Load: return accessElement(op, 0, Access::Kind::Load);
  case OpKind::Store: return accessElement(op, 1, Access::Kind::Store);
  case OpKind::Assert: return visitAssert(op);
  case OpKind::BlockId: out_.launchGrid = kernel_.grid.empty(); break;
  default: break; // other ops either compute a number, or matter only if they access memory
  }
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (isNumber(*op.result(i))) values_.set(op.result(i), numberOf(op, *op.result(i)));
  bool accesses = has(op.info().effects, Effect::Reads) || has(op.info().effects, Effect::Writes);
  if (!accesses || isPrefetch(op)) return;
  for (const Value *operand : op.operands())
    if (operand->type().isWindow())
      return notFollowed(op, *operand, str("the addresses of `", op.info().name, "` are not analysed"));
}

bool AccessWalk::isPrefetch(const Op &op) {
  return op.kind() == OpKind::PrefetchTile || op.kind() == OpKind::PrefetchNd || op.kind() == OpKind::PrefetchTdesc;
}

Term AccessWalk::numberOf(const Op &op, const Value &result) {
  switch (op.kind()) {
  case OpKind::Dim: {
    const View *base = values_.view(op.operand(0));
    std::optional<int64_t> d = smt_.constant(values_.number(op.operand(1)));
    return base && d && *d >= 0 && *d < static_cast<int64_t>(base->dims.size()) ? sizeOf(*base, static_cast<size_t>(*d))
                                                                                : values_.unknownOf(result, sourceOf(op));
  }
  case OpKind::SubgroupId: return subgroup_ ? subgroup_ : smt_.integer(0);
  default: break;
  }
  std::vector<Term> operands;
  for (const Value *operand : op.operands()) {
    if (!isNumber(*operand)) return values_.unknownOf(result, sourceOf(op));
    operands.push_back(values_.number(operand));
  }
  Term exact = exactResult(op, operands, smt_);
  if (!exact) return values_.unknownOf(result, sourceOf(op));
  if (!mayWrap(op) || stays(op, exact, result.type().elem())) return exact;
  return wrapped(exact, result.type().elem(), smt_);
}

Source AccessWalk::sourceOf(const Op &op) {
  if (has(op.info().effects, Effect::Reads)) return Source::Memory;
  for (const Value *operand : op.operands()) {
    if (operand->type().isMemRef()) continue; // a size or stride
    if (!isNumber(*operand) || values_.sourceOf(values_.number(operand)) == Source::Memory) return Source::Memory;
  }
  return Source::Arithmetic;
}

bool AccessWalk::stays(const Op &op, Term exact, Elem elem) {
  Term inRange = fits(exact, elem, smt_);
  if (smt_.holds(inRange)) return true;
  if (refuted_.wraps.count(&op)) return false;
  std::vector<Term> reached = when_;
  reached.push_back(before_);
  ranges_.push_back({&op, smt_.all(reached), inRange});
  return true;
}

// --- memory ---

void AccessWalk::castView(const Op &op) {
  const View *from = values_.view(op.operand(0));
  if (!from) return;
  View to{from->param, {}};
  std::vector<int> dims = *memrefCastDims(op.operand(0)->type(), op.result()->type());
  for (int dim : dims) to.dims.push_back(dim < 0 ? std::nullopt : from->dims[static_cast<size_t>(dim)]);
  values_.set(op.result(), to);
}

void AccessWalk::initTile(const Op &op) {
  const View *base = values_.view(op.operand(0));
  Type type = op.result()->type();
  size_t rank = base ? base->dims.size() : 0;
  auto opaque = [&](std::string_view why) { values_.set(op.result(), Opaque{why}); };
  if (type.data().scatter) return opaque("the addresses of this tile are those of a vector, which are not analysed");
  if (!base) return opaque({});
  if (rank < 2 || op.operandCount() != 1 + rank)
    return opaque("this tile has a shape and strides of its own, which are not analysed");
  if (type.packFactor() != 1) return opaque("this tile packs several elements into one, which is not analysed");
  TileAt at{*base, {}, rank - 2, rank - 1};
  for (size_t d = 0; d < rank; ++d) at.first.push_back(values_.number(op.operand(1 + d)));
  values_.set(op.result(), at);
}

void AccessWalk::moveTile(const Op &op) {
  const TileAt *from = values_.tile(op.operand(0));
  if (!from || op.operandCount() != 3) {
    values_.set(op.result(), Opaque{values_.whyOpaque(op.operand(0))});
    return;
  }
  TileAt to = *from;
  auto move = [&](Term &first, const Value *by) {
    first = smt_.add(first, values_.number(by));
    if (!stays(op, first, Elem::Index)) first = values_.unknown("moved", values_.sourceOf(first));
  };
  move(to.first[to.row], op.operand(1));
  move(to.first[to.column], op.operand(2));
  values_.set(op.result(), to);
}

void AccessWalk::accessTile(const Op &op, size_t operand, Access::Kind kind) {
  const Value &window = *op.operand(operand);
  const TileAt *at = values_.tile(&window);
  if (!at) {
    std::string_view why = values_.whyOpaque(&window);
    return notFollowed(op, window,
                       why.empty() ? "this tile does not refer directly to a parameter, so its addresses are unknown"
                                   : std::string(why));
  }
  Type type = window.type();
  add(op, kind, at->base, at->first, [&](size_t d) {
    return d == at->row ? type.extent(0) : d == at->column ? type.extent(1) : int64_t{1};
  });
}

void AccessWalk::accessElement(const Op &op, size_t operand, Access::Kind kind) {
  const Value &memref = *op.operand(operand);
  const View *base = values_.view(&memref);
  if (!base) return notFollowed(op, memref, "this memref is not a view of one parameter, so its addresses are unknown");
  std::vector<Term> index;
  for (size_t i = operand + 1; i < op.operandCount(); ++i) index.push_back(values_.number(op.operand(i)));
  add(op, kind, *base, index, [](size_t) { return int64_t{1}; });
}

void AccessWalk::notFollowed(const Op &op, const Value &memory, std::string why) {
  if (memory.type().data().space != MemorySpace::Slm) out_.obstacles.push_back({&op, std::move(why), {}, false});
}

template <class Extent>
void AccessWalk::add(const Op &op, Access::Kind kind, const View &base, const std::vector<Term> &first, Extent extent) {
  Access access;
  access.kind = kind;
  access.op = &op;
  access.param = base.param;
  access.first.assign(out_.sizes[base.param].size(), smt_.integer(0)); // index 0 for a dropped dimension of extent 1
  access.extent.assign(access.first.size(), 1);
  std::vector<Term> conditions = when_;
  for (size_t d = 0; d < base.dims.size(); ++d) {
    if (base.dims[d]) {
      access.first[*base.dims[d]] = first[d];
      access.extent[*base.dims[d]] = extent(d);
      continue;
    }
    // Only index 0 of an added dimension is in bounds.
    Term zero = smt_.integer(0);
    conditions.push_back(smt_.lessEqual(first[d], zero));
    conditions.push_back(smt_.less(zero, smt_.add(first[d], smt_.integer(extent(d)))));
  }
  access.when = smt_.all(conditions);
  access.loops = loops_;
  access.paddingWritten = SharedAttrs(op).padding() != nullptr;
  out_.accesses.push_back(std::move(access));
}

} // namespace xt
