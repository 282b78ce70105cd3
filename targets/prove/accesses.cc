#include "targets/prove/accesses.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <unordered_map>
#include <variant>

namespace xt {

namespace {
// A memref as a view of a parameter; a dimension of the view that the parameter lacks has extent 1.
struct View {
  size_t param = 0;
  std::vector<std::optional<size_t>> dims; // the parameter's dimension, for each dimension of the view
};
struct TileAt {
  View base;
  std::vector<Term> first; // first index in each dimension of the base
  size_t row = 0, column = 0;
};
struct Opaque {}; // vectors, and values that are not tracked
using Symbolic = std::variant<Opaque, Term, View, TileAt>;

class Walk {
public:
  Walk(const Kernel &kernel, Smt &smt) : kernel_(kernel), smt_(smt) {}

  KernelAccesses run() {
    when_ = {smt_.truth(true)};
    bindParameters();
    makeGrid();
    block(kernel_.body);
    return std::move(out_);
  }

private:
  // --- values ---

  Term unknown(const std::string &name) { return out_.unknowns.emplace_back(smt_.symbol(name)); }
  Term unknownTruth(const std::string &name) { return out_.unknowns.emplace_back(smt_.truthSymbol(name)); }
  Term unknownOf(const Value &value) {
    return value.type().elem() == Elem::I1 ? unknownTruth(value.name()) : unknown(value.name());
  }
  static bool isNumber(const Value &value) { return value.type().isScalar() && !isFloat(value.type().elem()); }
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
      if (isNumber(param) && param.type().elem() != Elem::I1) values_[&param] = out_.scalars[p] = smt_.symbol(param.name());
      if (!param.type().isMemRef()) continue;
      View whole{p, {}};
      for (size_t d = 0; d < static_cast<size_t>(param.type().rank()); ++d) {
        int64_t extent = param.type().shape()[d];
        out_.sizes[p].push_back(extent == kDynamic ? smt_.symbol(str("dim(%", param.name(), ", ", d, ")")) : smt_.integer(extent));
        whole.dims.push_back(d);
      }
      values_[&param] = whole;
    }
  }

  void makeGrid() {
    std::vector<Term> inside;
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
      out_.grid.push_back(at);
      values_[dim.variable] = value;
    }
    out_.gridDims = out_.grid.size();
    if (kernel_.scope == Scope::Subgroup && kernel_.subgroups > 1) {
      subgroup_ = smt_.symbol("subgroup");
      inside.push_back(smt_.lessEqual(smt_.integer(0), subgroup_));
      inside.push_back(smt_.less(subgroup_, smt_.integer(kernel_.subgroups)));
      out_.grid.push_back(subgroup_);
    }
    out_.inGrid = smt_.all(inside);
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
    bool writes = has(op.info().effects, Effect::Writes);
    if ((writes || has(op.info().effects, Effect::Reads)) && op.kind() != OpKind::PrefetchTile)
      out_.obstacles.push_back({&op, str("`", op.info().name, "` is not followed"), writes});
  }

  Term numberOf(const Op &op, const Value &result) {
    auto x = [&] { return number(op.operand(0)); };
    auto y = [&] { return number(op.operand(1)); };
    bool truths = result.type().elem() == Elem::I1;
    Term both[2];
    switch (op.kind()) {
    case OpKind::Constant: {
      const auto *value = std::get_if<int64_t>(&op.attr("value")->value);
      if (!value) return unknownOf(result);
      return truths ? smt_.truth(*value != 0) : smt_.integer(*value);
    }
    case OpKind::Dim: {
      const View *base = view(op.operand(0));
      std::optional<int64_t> d = smt_.constant(number(op.operand(1)));
      return base && d && *d >= 0 && *d < static_cast<int64_t>(base->dims.size()) ? sizeOf(*base, static_cast<size_t>(*d)) : unknownOf(result);
    }
    case OpKind::SubgroupId: return subgroup_ ? subgroup_ : smt_.integer(0);
    case OpKind::IndexCast:
    case OpKind::ExtSI: return op.operand(0)->type().elem() == Elem::I1 ? unknownOf(result) : x();
    case OpKind::AddI: return truths ? unknownOf(result) : smt_.add(x(), y());
    case OpKind::SubI: return truths ? unknownOf(result) : smt_.sub(x(), y());
    case OpKind::MulI: return truths ? unknownOf(result) : smt_.multiply(x(), y());
    case OpKind::MinSI: return smt_.choose(smt_.less(x(), y()), x(), y());
    case OpKind::MaxSI: return smt_.choose(smt_.less(x(), y()), y(), x());
    case OpKind::FloorDivSI: return divided(op, result, [&](Term a, Term b) { return smt_.floorDiv(a, b); });
    case OpKind::CeilDivSI:
      return divided(op, result, [&](Term a, Term b) { return smt_.sub(smt_.integer(0), smt_.floorDiv(smt_.sub(smt_.integer(0), a), b)); });
    case OpKind::DivSI: return divided(op, result, [&](Term a, Term b) { return truncated(a, b); });
    case OpKind::RemSI:
      return divided(op, result, [&](Term a, Term b) { return smt_.sub(a, smt_.multiply(truncated(a, b), b)); });
    case OpKind::AndI:
      if (!truths) return unknownOf(result);
      both[0] = x(), both[1] = y();
      return smt_.all(both);
    case OpKind::OrI:
      if (!truths) return unknownOf(result);
      both[0] = x(), both[1] = y();
      return smt_.any(both);
    case OpKind::XorI: return truths ? smt_.negation(smt_.equal(x(), y())) : unknownOf(result);
    case OpKind::CmpI: return compared(op, result);
    case OpKind::Select: return smt_.choose(x(), y(), number(op.operand(2)));
    default: return unknownOf(result);
    }
  }
  template <class F> Term divided(const Op &op, const Value &result, F quotient) {
    std::optional<int64_t> by = smt_.constant(number(op.operand(1)));
    return by && *by > 0 ? quotient(number(op.operand(0)), smt_.integer(*by)) : unknownOf(result);
  }
  Term truncated(Term a, Term b) {
    Term zero = smt_.integer(0);
    return smt_.choose(smt_.less(a, zero), smt_.sub(zero, smt_.floorDiv(smt_.sub(zero, a), b)), smt_.floorDiv(a, b));
  }
  Term compared(const Op &op, const Value &result) {
    if (op.operand(0)->type().elem() == Elem::I1) return unknownOf(result);
    Term a = number(op.operand(0)), b = number(op.operand(1));
    std::string_view kind = op.textAttr("kind");
    if (kind == "eq") return smt_.equal(a, b);
    if (kind == "ne") return smt_.negation(smt_.equal(a, b));
    if (kind == "slt") return smt_.less(a, b);
    if (kind == "sle") return smt_.lessEqual(a, b);
    if (kind == "sgt") return smt_.less(b, a);
    if (kind == "sge") return smt_.lessEqual(b, a);
    return unknownOf(result);
  }

  // --- memory ---

  // Adds or drops dimensions of extent 1; the others keep their order.
  void castView(const Op &op) {
    const View *from = view(op.operand(0));
    if (!from) return;
    View to{from->param, {}};
    Type type = op.result()->type(), old = op.operand(0)->type();
    size_t next = 0;
    auto unit = [&](Type of, size_t d) { return of.shape()[d] == 1; };
    auto oldRank = static_cast<size_t>(old.rank()), rank = static_cast<size_t>(type.rank());
    for (size_t d = 0; d < rank; ++d) {
      bool added = rank - d > oldRank - next && unit(type, d);
      while (!added && next < oldRank && oldRank - next > rank - d && unit(old, next)) ++next;
      to.dims.push_back(added || next >= oldRank ? std::nullopt : from->dims[next++]);
    }
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
    values_[op.result()] = to;
  }

  void accessTile(const Op &op, size_t operand, Access::Kind kind) {
    const TileAt *at = tile(op.operand(operand));
    bool slm = op.operand(operand)->type().data().space == MemorySpace::Slm;
    if (!at) {
      if (!slm)
        out_.obstacles.push_back({&op, str("the tile of this `", op.info().name, "` is not a plain window of a parameter"), kind != Access::Kind::Load});
      return;
    }
    Type type = op.operand(operand)->type();
    add(op, kind, at->base, at->first, [&](size_t d) { return d == at->row ? type.extent(0) : d == at->column ? type.extent(1) : int64_t{1}; });
  }

  void accessElement(const Op &op, size_t operand, Access::Kind kind) {
    const View *base = view(op.operand(operand));
    if (!base) return; // shared local memory is not tracked
    std::vector<Term> index;
    for (size_t i = operand + 1; i < op.operandCount(); ++i) index.push_back(number(op.operand(i)));
    add(op, kind, *base, index, [](size_t) { return int64_t{1}; });
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
    if (always && !smt_.mentions(condition, out_.grid) && !smt_.mentions(condition, out_.unknowns)) out_.asserted.push_back(condition);
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
    size_t firstAccess = out_.accesses.size(), depth = when_.size();
    loops_.push_back(iteration);
    when_.push_back(smt_.lessEqual(smt_.integer(0), iteration));
    when_.push_back(smt_.less(induction, upper));
    block(body);
    when_.resize(depth);
    loops_.pop_back();
    std::vector<Value *> yields = yieldedBy(body);
    for (size_t i = 0; i < carried.size(); ++i) findSteps(carried[i], yields.size() > i + at.yield ? yields[i + at.yield] : nullptr);
    resolve(carried, iteration, firstAccess);
    Term trips = width && *width > 0 ? smt_.floorDiv(smt_.add(smt_.sub(upper, lower), smt_.integer(*width - 1)), step) : unknown("trips");
    trips = smt_.choose(smt_.less(lower, upper), trips, smt_.integer(0));
    for (size_t i = 0; i < carried.size(); ++i) finish(carried[i], *op.result(i), *op.operand(at.operand + i), trips);
  }

  Carried begin(const Value &init, const Value &param) {
    Carried carried;
    if (const TileAt *from = tile(&init)) {
      TileAt at = *from;
      for (Term &first : at.first) {
        carried.start.push_back(first);
        first = carried.symbols.emplace_back(smt_.symbol(param.name()));
      }
      values_[&param] = at;
    } else if (isNumber(init) && init.type().elem() != Elem::I1) {
      carried.start.push_back(number(&init));
      values_[&param] = carried.symbols.emplace_back(smt_.symbol(param.name()));
    } else if (const View *base = view(&init)) {
      values_[&param] = *base;
    } else {
      values_[&param] = Opaque();
    }
    return carried;
  }

  void findSteps(Carried &carried, const Value *yielded) {
    for (size_t d = 0; d < carried.symbols.size(); ++d) {
      Term now;
      if (const TileAt *at = yielded ? tile(yielded) : nullptr) now = at->first[d];
      else if (yielded && isNumber(*yielded)) now = number(yielded);
      Term step = now ? smt_.sub(now, carried.symbols[d]) : Term();
      std::optional<int64_t> constant = step ? smt_.constant(step) : std::nullopt;
      carried.steps.push_back(constant ? smt_.integer(*constant) : Term());
    }
  }

  // Replaces the symbols of carried values by their values in an iteration.
  void resolve(const std::vector<Carried> &all, Term iteration, size_t firstAccess) {
    std::vector<Term> from, to;
    for (const Carried &carried : all)
      for (size_t d = 0; d < carried.symbols.size(); ++d) {
        from.push_back(carried.symbols[d]);
        to.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(iteration, carried.steps[d])) : unknown("carried"));
      }
    if (from.empty()) return;
    for (size_t a = firstAccess; a < out_.accesses.size(); ++a) {
      Access &access = out_.accesses[a];
      for (Term &first : access.first) first = smt_.substitute(first, from, to);
      access.when = smt_.substitute(access.when, from, to);
    }
  }

  void finish(const Carried &carried, const Value &result, const Value &init, Term trips) {
    std::vector<Term> end;
    for (size_t d = 0; d < carried.symbols.size(); ++d)
      end.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(trips, carried.steps[d])) : unknown(result.name()));
    if (const TileAt *from = tile(&init)) {
      TileAt at = *from;
      at.first = end;
      values_[&result] = at;
    } else if (!end.empty()) {
      values_[&result] = end[0];
    } else if (const View *base = view(&init)) {
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
      if (isNumber(*op.result(i))) {
        values_[op.result(i)] = smt_.choose(condition, number(first), number(second));
      } else if (a && b && a->base.param == b->base.param && a->base.dims == b->base.dims) {
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
    size_t firstAccess = out_.accesses.size();
    Term iteration = unknown("iteration");
    loops_.push_back(iteration);
    when_.push_back(unknownTruth("while"));
    block(body);
    when_.pop_back();
    loops_.pop_back();
    std::vector<Value *> yields = yieldedBy(body);
    for (size_t i = 0; i < carried.size(); ++i) findSteps(carried[i], yields.size() > i + at.yield ? yields[i + at.yield] : nullptr);
    resolve(carried, iteration, firstAccess);
    for (size_t i = 0; i < carried.size(); ++i) finish(carried[i], *op.result(i), *op.operand(at.operand + i), unknown("trips"));
  }

  const Kernel &kernel_;
  Smt &smt_;
  KernelAccesses out_;
  std::unordered_map<const Value *, Symbolic> values_; // for lookup only; iteration order would not be deterministic
  std::vector<Term> when_, loops_;
  Term subgroup_;
};
} // namespace

KernelAccesses accessesOf(const Kernel &kernel, Smt &smt) {
  KernelAccesses accesses = Walk(kernel, smt).run();
  for (Access &access : accesses.accesses) {
    access.known = !smt.mentions(access.when, accesses.unknowns);
    for (Term first : access.first) access.known = access.known && !smt.mentions(first, accesses.unknowns);
  }
  return accesses;
}

} // namespace xt
