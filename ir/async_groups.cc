#include "ir/async_groups.h"

#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

bool isGroup(const Value *value) { return value->type().is(TypeKind::Token); }

} // namespace

AsyncGroups::AsyncGroups(const Kernel &kernel) {
  Ages ages;
  visit(kernel.body, ages);
}

void AsyncGroups::visit(const Block &block, Ages &ages) {
  for (const Op &op : block) visit(op, ages);
}

void AsyncGroups::visit(const Op &op, Ages &ages) {
  if (op.kind() == OpKind::AsyncCommit) {
    for (auto &[group, age] : ages) ++age;
    ages[op.result()] = 0;
  } else if (op.kind() == OpKind::AsyncWait) {
    int64_t age = ages.at(op.operand(0));
    auto [known, isNew] = later_.try_emplace(&op, age);
    known->second = std::min(known->second, age);
  } else if (op.regionCount()) {
    visitRegions(op, ages);
  }
}

// A loop is visited until the ages at its start no longer change. They only fall, and never below 0.
void AsyncGroups::visitRegions(const Op &op, Ages &ages) {
  CarriedAt at = carriedAt(op);
  Ages entered = ages, left; // `left`: the least age on each way out
  auto join = [](Ages &into, const Value *group, int64_t age) {
    auto [known, isNew] = into.try_emplace(group, age);
    bool falls = !isNew && age < known->second;
    known->second = std::min(known->second, age);
    return falls;
  };
  // How a group that the op carries at this position ages before the op. Loops of several regions may carry other groups.
  bool oneRegion = op.regionCount() == 1;
  Ages carried;
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (isGroup(op.result(i))) carried[op.result(i)] = at.loops && oneRegion ? ages.at(op.operand(at.operand + i)) : 0;
  for (bool changes = true; changes;) {
    changes = false;
    left = at.loops || op.regionCount() < 2 ? entered : Ages();
    for (size_t r = 0; r < op.regionCount(); ++r) {
      const Block &region = *op.region(r);
      Ages inside = entered;
      for (const auto &param : region.params())
        if (isGroup(param.get()))
          inside[param.get()] = at.loops && oneRegion ? carried.at(op.result(param->index() - at.param)) : 0;
      visit(region, inside);
      for (const auto &[group, age] : entered) join(left, group, inside.at(group));
      const Op *yield = region.last();
      for (size_t i = 0; i < op.resultCount(); ++i) {
        const Value *result = op.result(i);
        if (!isGroup(result)) continue;
        int64_t yielded = oneRegion || !at.loops ? inside.at(yield->operand(at.yield + i)) : 0;
        if (at.loops)
          changes |= join(carried, result, yielded);
        else
          join(left, result, yielded);
      }
    }
  }
  if (at.loops)
    for (const auto &[group, age] : carried) left[group] = age;
  ages = std::move(left);
}

} // namespace xt
