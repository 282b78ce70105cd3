#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/prove/carried_values.h"
#include "targets/prove/integers.h"
#include "targets/prove/walk.h"

namespace xt {

void AccessWalk::visitAssert(const Op &op) {
  bool always = when_.size() == 1 && isNumber(*op.operand(0));
  Term condition = always ? values_.number(op.operand(0)) : Term();
  if (!always || smt_.mentions(condition, out_.grid) || smt_.mentions(condition, out_.unknowns)) return;
  out_.asserted.push_back(condition);
  Term both[] = {before_, condition};
  before_ = smt_.all(both);
}

void AccessWalk::visitFor(const Op &op) {
  const Block &body = *op.region();
  Term lower = values_.number(op.operand(0)), upper = values_.number(op.operand(1)), step = values_.number(op.operand(2));
  std::optional<int64_t> width = smt_.constant(step);
  Term iteration = smt_.symbol(str("iteration of %", body.param(0)->name()));
  Term induction = smt_.add(lower, smt_.multiply(iteration, step));
  values_.set(body.param(0), induction);
  CarriedValues carried(op, smt_, values_, refuted_);
  Mark mark = here();
  size_t depth = when_.size();
  loops_.push_back(iteration);
  when_.push_back(smt_.less(smt_.integer(0), step)); // the launch ends with an error otherwise
  when_.push_back(smt_.lessEqual(smt_.integer(0), iteration));
  when_.push_back(smt_.less(induction, upper));
  block(body);
  when_.resize(depth);
  loops_.pop_back();
  carried.findSteps();
  carried.resolve(iteration, std::span(out_.accesses).subspan(mark.accesses), std::span(ranges_).subspan(mark.ranges));
  Term trips = width && *width > 0 ? smt_.floorDiv(smt_.add(smt_.sub(upper, lower), smt_.integer(*width - 1)), step)
                                   : values_.unknown("trips", values_.sourceOf(smt_.add(upper, smt_.add(lower, step))));
  trips = smt_.choose(smt_.less(lower, upper), trips, smt_.integer(0));
  for (size_t i = 0; i < op.resultCount(); ++i) carried.finish(i, trips);
}

void AccessWalk::visitIf(const Op &op) {
  Term condition = values_.number(op.operand(0));
  for (size_t r = 0; r < op.regionCount(); ++r) {
    when_.push_back(r == 0 ? condition : smt_.negation(condition));
    block(*op.region(r));
    when_.pop_back();
  }
  for (size_t i = 0; i < op.resultCount(); ++i) {
    const Value *first = yieldedBy(*op.region(0))[i], *second = yieldedBy(*op.region(1))[i];
    const TileAt *a = values_.tile(first), *b = values_.tile(second);
    const View *one = values_.baseOf(first), *other = values_.baseOf(second);
    if (isNumber(*op.result(i))) {
      values_.set(op.result(i), smt_.choose(condition, values_.number(first), values_.number(second)));
    } else if (!one || !other || *one != *other) {
      values_.set(op.result(i), Opaque());
    } else if (!a) {
      values_.set(op.result(i), *one);
    } else {
      TileAt at = *a;
      for (size_t d = 0; d < at.first.size(); ++d) at.first[d] = smt_.choose(condition, a->first[d], b->first[d]);
      values_.set(op.result(i), at);
    }
  }
}

void AccessWalk::visitWhile(const Op &op) {
  const Block &body = *op.region();
  CarriedValues carried(op, smt_, values_, refuted_);
  Mark mark = here();
  Term iteration = values_.unknown("iteration", Source::Arithmetic);
  loops_.push_back(iteration);
  when_.push_back(values_.unknownTruth("while", Source::Arithmetic));
  block(body);
  when_.pop_back();
  loops_.pop_back();
  carried.findSteps();
  carried.resolve(iteration, std::span(out_.accesses).subspan(mark.accesses), std::span(ranges_).subspan(mark.ranges));
  for (size_t i = 0; i < op.resultCount(); ++i) carried.finish(i, values_.unknown("trips", Source::Arithmetic));
}

} // namespace xt
