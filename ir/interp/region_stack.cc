#include "ir/interp/region_stack.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"

namespace xt {

std::vector<LoopIteration> RegionStack::iterations() const {
  std::vector<LoopIteration> loops;
  for (const Frame &frame : frames_)
    if (frame.owner && frame.owner->op->kind() != OpKind::If) loops.push_back({frame.owner->op, frame.iteration});
  return loops;
}

Result<void> RegionStack::enterFor(const Step &step, SlotValues &values) {
  int64_t lower = values.index(step, 0), upper = values.index(step, 1), increment = values.index(step, 2);
  if (increment <= 0)
    return Error::kernel(str("the step of a `for` must be positive, it is ", increment), step.op->operandRange(2));
  if (lower >= upper) {
    for (size_t i = 0; i < step.results.size(); ++i) values.set(step.results[i], values.operand(step, 3 + i));
    return {};
  }
  // Iterations are counted up front, in unsigned arithmetic: neither the distance nor the last increment can overflow.
  uint64_t distance = static_cast<uint64_t>(upper) - static_cast<uint64_t>(lower);
  const BlockPlan &body = program_.block(step.regions[0]);
  values.set(body.params[0], integerNumber(lower));
  for (size_t i = 1; i < body.params.size(); ++i) values.set(body.params[i], values.operand(step, 2 + i));
  frames_.push_back({&body, 0, &step, lower, increment, (distance - 1) / static_cast<uint64_t>(increment)});
  return {};
}

void RegionStack::enterIf(const Step &step, const SlotValues &values) {
  size_t branch = values.number(step, 0).i ? 0 : 1;
  if (branch < step.regions.size()) frames_.push_back({&program_.block(step.regions[branch]), 0, &step});
}

void RegionStack::enterWhile(const Step &step, SlotValues &values) {
  if (values.number(step, 0).i == 0) {
    for (size_t i = 0; i < step.results.size(); ++i) values.set(step.results[i], values.operand(step, 1 + i));
    return;
  }
  const BlockPlan &body = program_.block(step.regions[0]);
  for (size_t i = 0; i < body.params.size(); ++i) values.set(body.params[i], values.operand(step, 1 + i));
  frames_.push_back({&body, 0, &step});
}

void RegionStack::leave(const Step *yield, SlotValues &values) {
  // All values are read before any is set: a yield may permute the values that a loop carries.
  std::vector<RuntimeValue> yielded;
  if (yield)
    for (size_t slot : yield->operands) yielded.push_back(values.at(slot));
  Frame &frame = frames_.back();
  if (frame.owner->op->kind() == OpKind::For && frame.remaining > 0) {
    --frame.remaining;
    ++frame.iteration;
    frame.induction += frame.increment;
    frame.next = 0;
    values.set(frame.block->params[0], integerNumber(frame.induction));
    for (size_t i = 0; i < yielded.size(); ++i) values.set(frame.block->params[1 + i], std::move(yielded[i]));
    return;
  }
  if (frame.owner->op->kind() == OpKind::While) {
    bool again = std::get<Number>(yielded[0]).i != 0;
    yielded.erase(yielded.begin());
    if (again) {
      frame.next = 0;
      ++frame.iteration;
      for (size_t i = 0; i < yielded.size(); ++i) values.set(frame.block->params[i], std::move(yielded[i]));
      return;
    }
  }
  XT_CHECK(yielded.size() == frame.owner->results.size(), "a region yields one value per result");
  for (size_t i = 0; i < yielded.size(); ++i) values.set(frame.owner->results[i], std::move(yielded[i]));
  frames_.pop_back();
}

} // namespace xt
