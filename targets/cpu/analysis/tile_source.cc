#include "targets/cpu/analysis/tile_source.h"

#include "ir/op_kinds.h"

#include <optional>
#include <unordered_set>

namespace xt {
namespace {

using Values = std::vector<const Value *>;

// The possible values of a parameter of a loop's body: the initial value, and the one that an iteration yields; nullopt: not a
// `for`.
std::optional<Values> sourcesInLoop(const Value &param) {
  const Op *loop = param.definingBlock()->parentOp();
  if (!loop || loop->kind() != OpKind::For) return std::nullopt;
  CarriedAt at = carriedAt(*loop);
  if (param.index() < at.param) return Values{loop->operand(0), loop->operand(1), loop->operand(2)}; // the induction variable
  size_t carried = param.index() - at.param;
  return Values{loop->operand(at.operand + carried), param.definingBlock()->last()->operand(at.yield + carried)};
}

// Visits every value that `first` depends on once. sources(value) returns the values one step back; nullopt ends the walk,
// which then returns false.
template <class F> bool walkBack(const Value *first, const F &sources) {
  Values work{first};
  std::unordered_set<const Value *> seen{first};
  while (!work.empty()) {
    const Value *value = work.back();
    work.pop_back();
    std::optional<Values> behind = sources(*value);
    if (!behind) return false;
    for (const Value *source : *behind)
      if (seen.insert(source).second) work.push_back(source);
  }
  return true;
}

} // namespace

const Value *parameterBehind(const Kernel &kernel, const Value *tile) {
  const Value *found = nullptr;
  auto sources = [&](const Value &value) -> std::optional<Values> {
    const Op *op = value.definingOp();
    if (!op) return sourcesInLoop(value);
    if (op->kind() == OpKind::UpdateTileOffset) return Values{op->operand(0)};
    if (op->kind() != OpKind::InitTile) return std::nullopt;
    const Value *base = op->operand(0);
    bool whole = base->type().isMemRef() && op->operandCount() == static_cast<size_t>(base->type().rank()) + 1;
    if (!whole || base->definingOp() || base->definingBlock() != &kernel.body || (found && found != base)) return std::nullopt;
    found = base;
    return Values{};
  };
  return walkBack(tile, sources) ? found : nullptr;
}

bool collectGridDims(const Kernel &kernel, const Value *value, std::vector<bool> &dims) {
  return walkBack(value, [&](const Value &source) -> std::optional<Values> {
    const Op *op = source.definingOp();
    if (!op && source.definingBlock() != &kernel.body) return sourcesInLoop(source);
    if (!op) {
      if (source.index() >= kernel.paramCount) dims[source.index() - kernel.paramCount] = true;
      return Values{};
    }
    if (op->info().effects != Effect::None || op->regionCount() || op->info().typeRule == TypeRule::Id) return std::nullopt;
    return Values(op->operands().begin(), op->operands().end());
  });
}

} // namespace xt
