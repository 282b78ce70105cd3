#include "lang/lower/carried_values.h"

#include "ir/base/text.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// The search for bindings stops at this depth. The parser's own limit is lower, so this only guards other callers.
constexpr int kMaxBlockDepth = 512;

// Collects the names that the statements of a block and of its nested blocks bind; names in a nested block come before
// those of the statement that contains it.
void collectBindings(const ast::Block &block, std::vector<ast::Name> &names, int depth = 0) {
  if (depth > kMaxBlockDepth) return;
  for (const ast::Stmt &stmt : block.stmts) {
    if (stmt.body) collectBindings(*stmt.body, names, depth + 1);
    if (stmt.orElse) collectBindings(*stmt.orElse, names, depth + 1);
    for (const ast::Binding &binding : stmt.results) names.push_back(binding.name);
  }
}

} // namespace

std::vector<CarriedName> carriedNames(const KernelState &state, const std::vector<const ast::Block *> &blocks) {
  std::vector<ast::Name> bound;
  for (const ast::Block *block : blocks) collectBindings(*block, bound);
  std::vector<CarriedName> carried;
  for (const ast::Name &name : bound) {
    const BoundName *outer = state.names.find(name.text);
    if (!outer || outer->fixed || !outer->value) continue;
    if (std::any_of(carried.begin(), carried.end(), [&](const CarriedName &c) { return c.name == name.text; })) continue;
    carried.push_back({name.text, outer->value, name.range});
  }
  return carried;
}

bool appendCarried(KernelState &state, const std::vector<CarriedName> &carried, RegionYield &yield) {
  bool ok = true;
  for (const CarriedName &c : carried) {
    const BoundName *bound = state.names.find(c.name);
    Value *value = bound ? bound->value : nullptr;
    ok &= value && sameCarriedType(state, c.init->type(), value, bound->range, str("`%", c.name, "`"), c.init->range());
    yield.values.push_back(value);
    yield.ranges.push_back(bound ? bound->range : c.range);
  }
  return ok;
}

void bindCarried(KernelState &state, const std::vector<CarriedName> &carried, Op &op, size_t first) {
  for (size_t i = 0; i < carried.size(); ++i) {
    Value *result = op.result(first + i);
    result->setName(carried[i].name);
    state.names.bind(carried[i].name, {result, false, carried[i].range});
  }
}

void loseCarried(KernelState &state, const std::vector<CarriedName> &carried) {
  for (const CarriedName &c : carried) state.names.bind(c.name, {nullptr, false, c.range});
}

bool sameCarriedType(KernelState &state, Type type, Value *value, SourceRange range, std::string_view what,
                     SourceRange initRange) {
  if (sameTypeButLayout(type, value->type())) return true;
  state.diagnostics()
      .report(
          DiagCode::LoopType, range,
          str(what, " was ", shapedText(type), " and becomes ", shapedText(value->type()), "; a carried value keeps its type"))
      .at(initRange, shapedText(type));
  return false;
}

void emitYield(KernelState &state, const std::optional<RegionYield> &yield, SourceRange range) {
  state.builder.setRange(range);
  Op *op = state.builder.create(OpKind::Yield, yield ? yield->values : std::vector<Value *>(), {});
  op->setOperandRanges(yield ? yield->ranges : std::vector<SourceRange>());
}

} // namespace xt
