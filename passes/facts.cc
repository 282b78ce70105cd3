#include "passes/facts.h"

#include <bit>

namespace xt {

bool isPure(const Op &op) { return op.info().effects == Effect::None && op.regionCount() == 0 && op.resultCount() > 0; }

bool isRemovable(const Op &op) {
  Effect effects = op.info().effects;
  return op.resultCount() > 0 && !has(effects, Effect::Writes) && !has(effects, Effect::Synchronises) &&
         !has(effects, Effect::Terminates) && !has(effects, Effect::Observable);
}

bool isElementwise(const Op &op) {
  TypeRule rule = op.info().typeRule;
  return rule == TypeRule::Elementwise || rule == TypeRule::Compare || rule == TypeRule::Select || rule == TypeRule::Cast;
}

bool costsWork(const Op &op) {
  return op.resultCount() && op.result(0)->type().isVector() && op.info().layoutRule != LayoutRule::Free;
}

bool isLoad(const Op &op) { return op.info().effects == Effect::Reads && op.regionCount() == 0 && costsWork(op); }

const Op *firstWrite(const Op *first, const Op *end) {
  const Op *found = nullptr;
  auto look = [&](const Op &op) {
    if (!found && (has(op.info().effects, Effect::Writes) || has(op.info().effects, Effect::Synchronises))) found = &op;
  };
  for (const Op *op = first; op && op != end && !found; op = op->next()) {
    look(*op);
    for (size_t r = 0; r < op->regionCount(); ++r) walk(*op->region(r), look);
  }
  return found;
}

bool isLoop(const Op &op) { return carriedAt(op).loops; }

bool definedInside(const Value &value, const Block &block) {
  const Block *at = value.definingOp() ? value.definingOp()->block() : value.definingBlock();
  while (at && at != &block) at = at->parentOp() ? at->parentOp()->block() : nullptr;
  return at == &block;
}

bool sameAttributes(const Op &a, const Op &b) {
  if (a.attrs().size() != b.attrs().size()) return false;
  for (size_t i = 0; i < a.attrs().size(); ++i) {
    const AttrValue &x = a.attrs()[i].value, &y = b.attrs()[i].value;
    if (a.attrs()[i].name != b.attrs()[i].name) return false;
    // Compares the bits, so that 0.0 and -0.0 remain different constants.
    const double *p = std::get_if<double>(&x), *q = std::get_if<double>(&y);
    if (p && q ? std::bit_cast<uint64_t>(*p) != std::bit_cast<uint64_t>(*q) : x != y) return false;
  }
  return true;
}

size_t countOps(const Module &module) {
  size_t count = 0;
  for (const auto &kernel : module.kernels) walk(kernel->body, [&](Op &) { ++count; });
  return count;
}

} // namespace xt
