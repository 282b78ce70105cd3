#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/prove/integers.h"
#include "targets/prove/walk.h"

namespace xt {

void AccessWalk::visitAssert(const Op &op) {
  bool always = when_.size() == 1 && isNumber(*op.operand(0));
  Term condition = always ? number(op.operand(0)) : Term();
  if (!always || smt_.mentions(condition, out_.grid) || smt_.mentions(condition, out_.unknowns)) return;
  out_.asserted.push_back(condition);
  Term both[] = {before_, condition};
  before_ = smt_.all(both);
}

void AccessWalk::visitFor(const Op &op) {
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
  for (size_t i = 0; i < carried.size(); ++i)
    findSteps(carried[i], yields.size() > i + at.yield ? yields[i + at.yield] : nullptr);
  checkBases(op, at, yields);
  resolve(carried, iteration, mark);
  Term trips =
      width && *width > 0 ? smt_.floorDiv(smt_.add(smt_.sub(upper, lower), smt_.integer(*width - 1)), step) : unknown("trips");
  trips = smt_.choose(smt_.less(lower, upper), trips, smt_.integer(0));
  for (size_t i = 0; i < carried.size(); ++i) finish(carried[i], *op.result(i), *body.param(at.param + i), trips);
}

AccessWalk::Carried AccessWalk::begin(const Value &init, const Value &param) {
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

void AccessWalk::checkBases(const Op &op, CarriedAt at, const std::vector<Value *> &yields) {
  for (size_t i = 0; i < op.resultCount(); ++i) {
    const Value *param = op.region()->param(at.param + i);
    const View *base = baseOf(param), *next = baseOf(yields[at.yield + i]);
    if (base && (!next || *next != *base)) refuted_.bases.insert(param);
  }
}

void AccessWalk::findSteps(Carried &carried, const Value *yielded) {
  for (size_t d = 0; d < carried.symbols.size(); ++d) {
    Term now;
    if (const TileAt *at = yielded ? tile(yielded) : nullptr)
      now = d < at->first.size() ? at->first[d] : Term();
    else if (yielded && isNumber(*yielded))
      now = number(yielded);
    Term step = now ? smt_.sub(now, carried.symbols[d]) : Term();
    std::optional<int64_t> constant = step ? smt_.constant(step) : std::nullopt;
    carried.steps.push_back(constant ? smt_.integer(*constant) : Term());
  }
}

void AccessWalk::resolve(const std::vector<Carried> &all, Term iteration, Mark mark) {
  std::vector<Term> from, to;
  for (const Carried &carried : all)
    for (size_t d = 0; d < carried.symbols.size(); ++d) {
      from.push_back(carried.symbols[d]);
      to.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(iteration, carried.steps[d]))
                                    : unknown("carried"));
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

void AccessWalk::finish(const Carried &carried, const Value &result, const Value &param, Term trips) {
  std::vector<Term> end;
  for (size_t d = 0; d < carried.symbols.size(); ++d)
    end.push_back(carried.steps[d] ? smt_.add(carried.start[d], smt_.multiply(trips, carried.steps[d]))
                                   : unknown(result.name()));
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

void AccessWalk::visitIf(const Op &op) {
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

void AccessWalk::visitWhile(const Op &op) {
  const Block &body = *op.region();
  CarriedAt at = carriedAt(op);
  std::vector<Carried> carried;
  for (size_t i = 0; i < op.resultCount(); ++i)
    carried.push_back(begin(*op.operand(at.operand + i), *body.param(at.param + i)));
  Mark mark = here();
  Term iteration = unknown("iteration");
  loops_.push_back(iteration);
  when_.push_back(unknownTruth("while"));
  block(body);
  when_.pop_back();
  loops_.pop_back();
  std::vector<Value *> yields = yieldedBy(body);
  for (size_t i = 0; i < carried.size(); ++i)
    findSteps(carried[i], yields.size() > i + at.yield ? yields[i + at.yield] : nullptr);
  checkBases(op, at, yields);
  resolve(carried, iteration, mark);
  for (size_t i = 0; i < carried.size(); ++i) finish(carried[i], *op.result(i), *body.param(at.param + i), unknown("trips"));
}

} // namespace xt
