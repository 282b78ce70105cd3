#include "ir/op_kinds.h"
#include "passes/facts.h"
#include "passes/simplify.h"

#include <optional>

namespace xt {
namespace {

std::optional<int64_t> constantInteger(const Value &value) {
  const AttrValue *constant = constantValue(value);
  const auto *integer = constant ? std::get_if<int64_t>(constant) : nullptr;
  return integer ? std::optional(*integer) : std::nullopt;
}

// The number of iterations if it is known to be 0 or 1.
std::optional<int> knownSteps(const Op &loop) {
  if (loop.kind() == OpKind::While) return constantInteger(*loop.operand(0)) == 0 ? std::optional(0) : std::nullopt;
  if (loop.operand(0) == loop.operand(1)) return 0;
  auto lower = constantInteger(*loop.operand(0)), upper = constantInteger(*loop.operand(1)),
       step = constantInteger(*loop.operand(2));
  if (lower && upper && *lower >= *upper) return 0;
  if (!lower || !upper || !step || *step <= 0) return std::nullopt;
  // Subtracts as unsigned, because the distance may overflow int64.
  uint64_t distance = static_cast<uint64_t>(*upper) - static_cast<uint64_t>(*lower);
  return distance <= static_cast<uint64_t>(*step) ? std::optional(1) : std::nullopt;
}

void replaceResults(Op &op, const std::vector<Value *> &values) {
  for (size_t i = 0; i < op.resultCount(); ++i) {
    if (values[i]->name().empty()) values[i]->setName(op.result(i)->name());
    op.result(i)->replaceAllUsesWith(values[i]);
  }
}

// Before layout inference, a value and its replacement may have different layouts.
bool sameTypes(const std::vector<Value *> &values, const std::vector<Value *> &others) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i]->type() != others[i]->type()) return false;
  return true;
}

// Moves the region's ops in front of `op` and erases `op`.
void inlineRegion(Op &op, Block &region, Op *&next) {
  Op *yield = region.last();
  replaceResults(op, yield->operands());
  Block &block = *op.block();
  next = nullptr;
  while (region.first() != yield) {
    Op *inner = region.first();
    block.moveBefore(&op, inner);
    if (!next) next = inner;
  }
  if (!next) next = op.next();
  block.erase(&op);
}

std::string_view resolveLoop(Op &loop, Op *&next) {
  std::optional<int> steps = knownSteps(loop);
  Block &body = *loop.region();
  CarriedAt at = carriedAt(loop);
  std::vector<Value *> inits(loop.operands().begin() + static_cast<ptrdiff_t>(at.operand), loop.operands().end()),
      results = resultsOf(loop), carried;
  for (size_t i = at.param; i < body.params().size(); ++i) carried.push_back(body.param(i));
  if (!steps || !sameTypes(inits, results) || !sameTypes(inits, carried)) return "";
  if (*steps == 0) {
    replaceResults(loop, inits);
    next = loop.next();
    loop.block()->erase(&loop);
    return "this loop has no iterations: it is removed";
  }
  if (!sameTypes(results, body.last()->operands())) return "";
  body.param(0)->replaceAllUsesWith(loop.operand(0));
  for (size_t i = 0; i < carried.size(); ++i) carried[i]->replaceAllUsesWith(inits[i]);
  inlineRegion(loop, body, next);
  return "this loop has one iteration: it is replaced by its body";
}

std::string_view resolveBranch(Op &branch, Op *&next) {
  std::optional<int64_t> condition = constantInteger(*branch.operand(0));
  if (!condition) return "";
  Block &taken = *branch.region(*condition ? 0 : 1);
  if (!sameTypes(resultsOf(branch), taken.last()->operands())) return "";
  inlineRegion(branch, taken, next);
  return *condition ? "this condition is always true: the branch is replaced by its body"
                    : "this condition is never true: the code under it is removed";
}

bool forward(Value *from, Value *to) {
  if (from == to || from->uses().empty() || from->type() != to->type()) return false;
  from->replaceAllUsesWith(to);
  return true;
}

} // namespace

bool forwardKnownResults(Op &op) {
  bool changed = false;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    if (CarriedAt at = carriedAt(op); at.loops) {
      Block &body = *op.region();
      Value *init = op.operand(i + at.operand), *param = body.param(i + at.param),
            *yielded = body.last()->operand(i + at.yield);
      if (yielded != param && yielded != init) continue;
      changed |= forward(op.result(i), init);
      changed |= forward(param, init);
    } else if (op.regionCount() == 2) {
      Value *value = op.region(0)->last()->operand(i);
      if (value != op.region(1)->last()->operand(i)) continue;
      changed |= forward(op.result(i), value);
    }
  }
  return changed;
}

std::string_view resolveStructure(Op &op, Op *&next) {
  if (isLoop(op)) return resolveLoop(op, next);
  return op.info().typeRule == TypeRule::If ? resolveBranch(op, next) : "";
}

} // namespace xt
