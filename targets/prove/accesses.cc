#include "targets/prove/accesses.h"

#include "ir/base/text.h"
#include "ir/effects.h"
#include "targets/prove/integers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <variant>

namespace xt {

namespace {
// A memref as a view of a parameter; a dimension of the view that the parameter lacks has extent 1.
struct View {
  size_t param = 0;
  std::vector<std::optional<size_t>> dims; // the parameter's dimension, for each dimension of the view
  bool operator==(const View &) const = default;
};
struct TileAt {
  View base;
  std::vector<Term> first; // first index in each dimension of the base
  size_t row = 0, column = 0;
};
struct Opaque {}; // vectors, and values that are not tracked
using Symbolic = std::variant<Opaque, Term, View, TileAt>;

// A walk takes for granted that integers stay in the range of their types, and that what a loop carries is always in the same
// parameter. What turns out to be wrong is entered here, and the kernel is walked again.
struct Refuted {
  std::unordered_set<const Op *> wraps;    // the result leaves the range of its type
  std::vector<const Op *> shown;           // those of them that do not depend on data
  std::unordered_set<const Value *> bases; // a parameter of a loop's body that is carried from one memref to another
  size_t size() const { return wraps.size() + bases.size(); }
};
// What a walk takes for granted of the result of an op.
struct Range {
  const Op *op = nullptr;
  Term reached; // the op is executed
  Term fits;    // the exact result is in the range of its type
};

class Walk {
public:
  Walk(const Kernel &kernel, Smt &smt, Refuted &refuted) : kernel_(kernel), smt_(smt), refuted_(refuted) {}

  KernelAccesses run() {
    when_ = {smt_.truth(true)};
    before_ = smt_.truth(true);
    bindParameters();
    makeGrid();
    before_ = out_.inGrid;
    block(kernel_.body);
    return std::move(out_);
  }
  const std::vector<Range> &ranges() const { return ranges_; }

private:
  // --- values ---

  Term unknown(const std::string &name) { return out_.unknowns.emplace_back(smt_.symbol(name)); }
  Term unknownTruth(const std::string &name) { return out_.unknowns.emplace_back(smt_.truthSymbol(name)); }
  Term unknownOf(const Value &value) {
    if (value.type().elem() == Elem::I1) return unknownTruth(value.name());
    Term term = unknown(value.name());
    out_.bounds.push_back(fits(term, value.type().elem(), smt_));
    return term;
  }
  // The memref that the value, a memref or a tile, looks into; null if it is not known.
  const View *baseOf(const Value *value) const {
    const TileAt *at = tile(value);
    return at ? &at->base : view(value);
  }
  Term number(const Value *value) {
    auto found = values_.find(value);
    if (found != values_.end())
      if (const auto *term = std::get_if<Term>(&found->second)) return *term;
    Term term = unknownOf(*value);
    values_[value] = term;
    return term;
  }
  const View *view(const Value *value) const {
    auto found = values_.find(value);
    return found == values_.end() ? nullptr : std::get_if<View>(&found->second);
  }
  const TileAt *tile(const Value *value) const {
    auto found = values_.find(value);
    return found == values_.end() ? nullptr : std::get_if<TileAt>(&found->second);
  }
  Term sizeOf(const View &view, size_t dim) {
    std::optional<size_t> own = view.dims[dim];
    return own ? out_.sizes[view.param][*own] : smt_.integer(1);
  }

  void bindParameters() {
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
      values_[&param] = whole;
    }
  }

  void bindInteger(size_t p, const Value &param) {
    Term value = smt_.symbol(param.name());
    out_.scalars[p] = value;
    values_[&param] = value;
    out_.bounds.push_back(fits(value, param.type().elem(), smt_));
    bound(smt_.integer(-kMostSize), value, kMostSize);
  }

  void bound(Term least, Term term, int64_t most) {
    out_.bounds.push_back(smt_.lessEqual(least, term));
    out_.bounds.push_back(smt_.lessEqual(term, smt_.integer(most)));
  }

  void makeGrid() {
    std::vector<Term> inside, notEmpty;
    // The grid's block has its own parameters, which stand for those of the kernel.
    for (size_t p = 0; p < kernel_.paramCount; ++p) {
      const Value *param = kernel_.param(p);
      if (p >= kernel_.gridBlock.params().size()) break;
      if (const View *whole = view(param))
        values_[kernel_.gridBlock.param(p)] = *whole;
      else if (isNumber(*param))
        values_[kernel_.gridBlock.param(p)] = number(param);
    }
    block(kernel_.gridBlock);
    for (const GridDim &dim : kernel_.grid) {
      Term at = smt_.symbol(str("workgroup along %", dim.variable->name()));
      Term value = smt_.add(number(dim.lower), smt_.multiply(at, number(dim.step)));
      inside.push_back(smt_.lessEqual(smt_.integer(0), at));
      inside.push_back(smt_.less(value, number(dim.upper)));
      inside.push_back(smt_.less(smt_.integer(0), number(dim.step))); // the launch is an error otherwise
      notEmpty.push_back(smt_.less(number(dim.lower), number(dim.upper)));
      out_.grid.push_back(at);
      values_[dim.variable] = value;
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
  }

  // --- ops ---

  void block(const Block &block) {
    for (const Op &op : block) visit(op);
  }

  void visit(const Op &op) {
    switch (op.kind()) {
    case OpKind::For: return visitFor(op);
    case OpKind::If: return visitIf(op);
    case OpKind::While: return visitWhile(op);
    case OpKind::InitTile: return initTile(op);
    case OpKind::UpdateTileOffset: return moveTile(op);
    case OpKind::Cast: return castView(op);
    case OpKind::LoadTile: return accessTile(op, 0, Access::Kind::Load);
    case OpKind::StoreTile: return accessTile(op, 1, Access::Kind::Store);
    case OpKind::AtomicRmw: return accessTile(op, 1, Access::Kind::Atomic);
    case OpKind::Load: return accessElement(op, 0, Access::Kind::Load);
    case OpKind::Store: return accessElement(op, 1, Access::Kind::Store);
    case OpKind::Assert: return visitAssert(op);
    case OpKind::BlockId: out_.launchGrid = kernel_.grid.empty(); break;
    default: break; // other ops either compute a number, or matter only if they access memory
    }
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (isNumber(*op.result(i))) values_[op.result(i)] = numberOf(op, *op.result(i));
    bool accesses = has(op.info().effects, Effect::Reads) || has(op.info().effects, Effect::Writes);
    if (!accesses || isPrefetch(op)) return;
    for (const Value *operand : op.operands())
      if (operand->type().isWindow()) return notFollowed(op, *operand, str("the addresses of `", op.info().name, "` are not followed"));
  }

  static bool isPrefetch(const Op &op) {
    return op.kind() == OpKind::PrefetchTile || op.kind() == OpKind::PrefetchNd || op.kind() == OpKind::PrefetchTdesc;
  }

  Term numberOf(const Op &op, const Value &result) {
    switch (op.kind()) {
    case OpKind::Dim: {
      const View *base = view(op.operand(0));
      std::optional<int64_t> d = smt_.constant(number(op.operand(1)));
      return base && d && *d >= 0 && *d < static_cast<int64_t>(base->dims.size()) ? sizeOf(*base, static_cast<size_t>(*d)) : unknownOf(result);
    }
    case OpKind::SubgroupId: return subgroup_ ? subgroup_ : smt_.integer(0);
    default: break;
    }
    std::vector<Term> operands;
    for (const Value *operand : op.operands()) {
      if (!isNumber(*operand)) return unknownOf(result);
      operands.push_back(number(operand));
    }
    Term exact = exactResult(op, operands, smt_);
    if (!exact) return unknownOf(result);
    if (!mayWrap(op) || stays(op, exact, result.type().elem())) return exact;
    return wrapped(exact, result.type().elem(), smt_);
  }

  // Whether the term lies in the range of the type in each execution of the op: either it is evident, or it is assumed and to be shown.
  bool stays(const Op &op, Term exact, Elem elem) {
    Term inRange = fits(exact, elem, smt_);
    if (smt_.holds(inRange)) return true;
    if (refuted_.wraps.count(&op)) return false;
    std::vector<Term> reached = when_;
    reached.push_back(before_);
    ranges_.push_back({&op, smt_.all(reached), inRange});
    return true;
  }

  // --- memory ---

  void castView(const Op &op) {
    const View *from = view(op.operand(0));
    if (!from) return;
    View to{from->param, {}};
    std::vector<int> dims = *memrefCastDims(op.operand(0)->type(), op.result()->type());
    for (int dim : dims)
      to.dims.push_back(dim < 0 ? std::nullopt : from->dims[static_cast<size_t>(dim)]);
    values_[op.result()] = to;
  }

  void initTile(const Op &op) {
    const View *base = view(op.operand(0));
    Type type = op.result()->type();
    size_t rank = base ? base->dims.size() : 0;
    bool plain = base && rank >= 2 && op.operandCount() == 1 + rank && !type.data().scatter && type.packFactor() == 1;
    if (!plain) {
      values_[op.result()] = Opaque();
      return;
    }
    TileAt at{*base, {}, rank - 2, rank - 1};
    for (size_t d = 0; d < rank; ++d) at.first.push_back(number(op.operand(1 + d)));
    values_[op.result()] = at;
  }

  void moveTile(const Op &op) {
    const TileAt *from = tile(op.operand(0));
    if (!from || op.operandCount() != 3) {
      values_[op.result()] = Opaque();
      return;
    }
    TileAt to = *from;
    to.first[to.row] = smt_.add(to.first[to.row], number(op.operand(1)));
    to.first[to.column] = smt_.add(to.first[to.column], number(op.operand(2)));
    bool known = stays(op, to.first[to.row], Elem::Index) && stays(op, to.first[to.column], Elem::Index);
    values_[op.result()] = known ? Symbolic(to) : Opaque();
  }

  void accessTile(const Op &op, size_t operand, Access::Kind kind) {
    const Value &window = *op.operand(operand);
    const TileAt *at = tile(&window);
    if (!at) return notFollowed(op, window, "this tile does not look directly into a parameter, so its addresses are not known");
    Type type = window.type();
    add(op, kind, at->base, at->first, [&](size_t d) { return d == at->row ? type.extent(0) : d == at->column ? type.extent(1) : int64_t{1}; });
  }

  void accessElement(const Op &op, size_t operand, Access::Kind kind) {
    const Value &memref = *op.operand(operand);
    const View *base = view(&memref);
    if (!base) return notFollowed(op, memref, "this memref is not a view of one parameter, so its addresses are not known");
    std::vector<Term> index;
    for (size_t i = operand + 1; i < op.operandCount(); ++i) index.push_back(number(op.operand(i)));
    add(op, kind, *base, index, [](size_t) { return int64_t{1}; });
  }

  // Claims are about parameters, which shared local memory is not part of.
  void notFollowed(const Op &op, const Value &memory, std::string why) {
    if (memory.type().data().space != MemorySpace::Slm) out_.obstacles.push_back({&op, std::move(why), {}, false});
  }

  template <class Extent>
  void add(const Op &op, Access::Kind kind, const View &base, const std::vector<Term> &first, Extent extent) {
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
    access.paddingWritten = op.attr("padding") != nullptr;
    out_.accesses.push_back(std::move(access));
  }

  // --- control flow ---

  // A failed assert ends the launch, so sizes that violate it need not be considered.
  void visitAssert(const Op &op) {
    bool always = when_.size() == 1 && isNumber(*op.operand(0));
    Term condition = always ? number(op.operand(0)) : Term();
    if (!always || smt_.mentions(condition, out_.grid) || smt_.mentions(condition, out_.unknowns)) return;
    out_.asserted.push_back(condition);
    Term both[] = {before_, condition};
    before_ = smt_.all(both);
  }

  // A carried number or tile either advances by the same amount in each iteration, or is unknown.
  struct Carried {
    std::vector<Term> start, symbols, steps; // one per dimension for a tile, a single one for a number
  };

  void visitFor(const Op &op) {
    const Block &body = *op.region();
    CarriedAt at = carriedAt(op);
    Term lower = number(op.operand(0)), upper = number(op.operand(1)), step = number(op.operand(2));
    std::optional<int64_t> width = smt_.constant(step);
    Term iteration = smt_.symbol(str("iteration of %", body.param(0)->name()));
    Term induction = smt_.add(lower, smt_.multiply(iteration, step));
    values_[body.param(0)] = induction;
    std::vector<Carried> carried;
    for (size_t i = 0; i < op.resultCount(); ++i)
      carried.push_back(begin(*op.operand(at.operand + i), *body.param(at.param + i)));
    Mark mark = here();
    size_t depth = when_.size();
    loops_.push_back(iteration);
    when_.push_back(smt_.less(smt_.integer(0), step)); // the launch ends with an error otherwise
    when_.push_back(smt_.lessEqual(smt_.integer(0), iteration));
    when_.push_back(smt_.less(induction, upper));
    block(body);
    when_.resize(depth);
    loops_.pop_back();
    std::vector<Value *> yields = yieldedBy(body);
    for (size_t i = 0; i < carried.size(); ++i) findSteps(carried[i], yields.size() > i + at.yield ? yields[i + at.yield] : nullptr);
    checkBases(op, at, yields);
    resolve(carried, iteration, mark);
    Term trips = width && *width > 0 ? smt_.floorDiv(smt_.add(smt_.sub(upper, lower), smt_.integer(*width - 1)), step) : unknown("trips");
    trips = smt_.choose(smt_.less(lower, upper), trips, smt_.integer(0));
    for (size_t i = 0; i < carried.size(); ++i) finish(carried[i], *op.result(i), *body.param(at.param + i), trips);
  }

  Carried begin(const Value &init, const Value &param) {
    Carried carried;
    bool moves = refuted_.bases.count(&param);
    if (const TileAt *from = tile(&init); from && !moves) {
      TileAt at = *from;
      for (Term &first : at.first) {
        carried.start.push_back(first);
        first = carried.symbols.emplace_back(smt_.symbol(param.name()));
      }
      values_[&param] = at;
    } else if (isNumber(init) && init.type().elem() != Elem::I1) {
      carried.start.push_back(number(&init));
      values_[&param] = carried.symbols.emplace_back(smt_.symbol(param.name()));
    } else if (const View *base = view(&init); base && !moves) {
      values_[&param] = *base;
    } else {
      values_[&param] = Opaque();
    }
    return carried;
  }

  void checkBases(const Op &op, CarriedAt at, const std::vector<Value *> &yields) {
    for (size_t i = 0; i < op.resultCount(); ++i) {
      const Value *param = op.region()->param(at.param + i);
      const View *base = baseOf(param), *next = baseOf(yields[at.yield + i]);
      if (base && (!next || *next != *base)) refuted_.bases.insert(param);
    }
  }

  void findSteps(Carried &carried, const Value *yielded) {
    for (size_t d = 0; d < carried.symbols.size(); ++d) {
      Term now;
      if (const TileAt *at = yielded ? tile(yielded) : nullptr) now = d < at->first.size() ? at->first[d] : Term();
      else if (yielded && isNumber(*yielded)) now = number(yielded);
      Term step = now ? smt_.sub(now, carried.symbols[d]) : Term();
      std::optional<int64_t> constant = step ? smt_.constant(step) : std::nullopt;
      carried.steps.push_back(constant ? smt_.integer(*constant) : Term());
    }
  }

  // How much of what mentions carried symbols there is before a loop.
  struct Mark {
    size_t accesses, ranges;
  };
  Mark here() const { return {out_.accesses.size(), ranges_.size()}; }

  // Replaces the symbols of carried values by their values in an iteration.
  void resolve(const std::vector<Carried> &all, Term iteration, Mark mark) {
    std::vector<Term> from, to;
    for (const Carried &carried : all)
      for (size_t d = 0; d < carried.symbols.size(); ++d) {
        from.push_back(carried.symbols[d]);
        to.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(iteration, carried.steps[d])) : unknown("carried"));
      }
    if (from.empty()) return;
    for (size_t r = mark.ranges; r < ranges_.size(); ++r) {
      ranges_[r].reached = smt_.substitute(ranges_[r].reached, from, to);
      ranges_[r].fits = smt_.substitute(ranges_[r].fits, from, to);
    }
    for (size_t a = mark.accesses; a < out_.accesses.size(); ++a) {
      Access &access = out_.accesses[a];
      for (Term &first : access.first) first = smt_.substitute(first, from, to);
      access.when = smt_.substitute(access.when, from, to);
    }
  }

  // The result looks into what the body's parameter looks into.
  void finish(const Carried &carried, const Value &result, const Value &param, Term trips) {
    std::vector<Term> end;
    for (size_t d = 0; d < carried.symbols.size(); ++d)
      end.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(trips, carried.steps[d])) : unknown(result.name()));
    if (const TileAt *from = tile(&param)) {
      TileAt at = *from;
      at.first = end;
      values_[&result] = at;
    } else if (!end.empty()) {
      values_[&result] = end[0];
    } else if (const View *base = view(&param)) {
      values_[&result] = *base;
    }
  }

  void visitIf(const Op &op) {
    Term condition = number(op.operand(0));
    for (size_t r = 0; r < op.regionCount(); ++r) {
      when_.push_back(r == 0 ? condition : smt_.negation(condition));
      block(*op.region(r));
      when_.pop_back();
    }
    for (size_t i = 0; i < op.resultCount(); ++i) {
      const Value *first = yieldedBy(*op.region(0))[i], *second = yieldedBy(*op.region(1))[i];
      const TileAt *a = tile(first), *b = tile(second);
      const View *one = baseOf(first), *other = baseOf(second);
      if (isNumber(*op.result(i))) {
        values_[op.result(i)] = smt_.choose(condition, number(first), number(second));
      } else if (!one || !other || *one != *other) {
        values_[op.result(i)] = Opaque();
      } else if (!a) {
        values_[op.result(i)] = *one;
      } else {
        TileAt at = *a;
        for (size_t d = 0; d < at.first.size(); ++d) at.first[d] = smt_.choose(condition, a->first[d], b->first[d]);
        values_[op.result(i)] = at;
      }
    }
  }

  // The number of iterations is unknown: accesses in the body have an unknown condition and may occur any number of times.
  void visitWhile(const Op &op) {
    const Block &body = *op.region();
    CarriedAt at = carriedAt(op);
    std::vector<Carried> carried;
    for (size_t i = 0; i < op.resultCount(); ++i) carried.push_back(begin(*op.operand(at.operand + i), *body.param(at.param + i)));
    Mark mark = here();
    Term iteration = unknown("iteration");
    loops_.push_back(iteration);
    when_.push_back(unknownTruth("while"));
    block(body);
    when_.pop_back();
    loops_.pop_back();
    std::vector<Value *> yields = yieldedBy(body);
    for (size_t i = 0; i < carried.size(); ++i) findSteps(carried[i], yields.size() > i + at.yield ? yields[i + at.yield] : nullptr);
    checkBases(op, at, yields);
    resolve(carried, iteration, mark);
    for (size_t i = 0; i < carried.size(); ++i) finish(carried[i], *op.result(i), *body.param(at.param + i), unknown("trips"));
  }

  const Kernel &kernel_;
  Smt &smt_;
  Refuted &refuted_;
  KernelAccesses out_;
  std::vector<Range> ranges_;
  std::unordered_map<const Value *, Symbolic> values_; // for lookup only; iteration order would not be deterministic
  std::vector<Term> when_, loops_;
  Term before_; // holds in what follows: the workgroup is in the grid, and asserts hold
  Term subgroup_;
};

// A condition that the facts allow: the op is executed, and its result leaves the range of its type.
std::vector<Term> wraps(const KernelAccesses &accesses, std::span<const Range> ranges, Smt &smt) {
  std::vector<Term> facts = accesses.bounds, any;
  for (const Range &range : ranges) {
    Term both[] = {range.reached, smt.negation(range.fits)};
    any.push_back(smt.all(both));
  }
  facts.push_back(smt.any(any));
  return facts;
}

// Enters what cannot be shown of the ranges: first asks about all at once, since all hold in most kernels.
void refute(const KernelAccesses &accesses, const std::vector<Range> &ranges, Smt &smt, Refuted &refuted) {
  if (ranges.empty() || smt.satisfiable(wraps(accesses, ranges, smt)) == Smt::Answer::No) return;
  for (const Range &range : ranges) {
    if (refuted.wraps.count(range.op) || smt.satisfiable(wraps(accesses, {&range, 1}, smt)) == Smt::Answer::No) continue;
    refuted.wraps.insert(range.op);
    bool number = isNumber(*range.op->result()) && !smt.mentions(range.fits, accesses.unknowns);
    if (number && !smt.timeIsOver()) refuted.shown.push_back(range.op);
  }
}

// Which parameters the access may touch: all, if its address is computed from numbers.
void findMemory(Obstacle &obstacle, const Kernel &kernel, const MemoryOrigins &origins) {
  const Op &op = *obstacle.op;
  std::vector<bool> touched(kernel.paramCount, false);
  bool found = false, anywhere = false;
  for (const Value *operand : op.operands()) {
    if (!operand->type().isMemRef() && !operand->type().isWindow()) continue;
    std::vector<bool> own = origins.of(operand);
    for (size_t p = 0; p < own.size(); ++p) {
      if (!own[p]) continue;
      found = touched[p] = true;
      anywhere = anywhere || !kernel.param(p)->type().isMemRef();
    }
  }
  anywhere = anywhere || !found;
  obstacle.writes.assign(kernel.paramCount, false);
  if (has(op.info().effects, Effect::Writes)) obstacle.writes = anywhere ? std::vector<bool>(kernel.paramCount, true) : touched;
  obstacle.padded = op.kind() == OpKind::LoadGather && op.attr("padding") && !anywhere;
}
} // namespace

KernelAccesses accessesOf(const Kernel &kernel, Smt &smt) {
  Refuted refuted;
  KernelAccesses accesses;
  for (bool again = true; again;) {
    size_t before = refuted.size();
    Walk walk(kernel, smt, refuted);
    accesses = walk.run();
    refute(accesses, walk.ranges(), smt, refuted);
    again = refuted.size() > before;
  }
  accesses.wrapping = std::move(refuted.shown);
  for (Access &access : accesses.accesses) {
    access.known = !smt.mentions(access.when, accesses.unknowns);
    for (Term first : access.first) access.known = access.known && !smt.mentions(first, accesses.unknowns);
  }
  if (!accesses.obstacles.empty()) {
    MemoryOrigins origins(kernel);
    for (Obstacle &obstacle : accesses.obstacles) findMemory(obstacle, kernel, origins);
  }
  return accesses;
}

} // namespace xt
