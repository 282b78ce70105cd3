#include "lang/lower/bindings.h"

#include "ir/base/text.h"

namespace xt {

void poison(KernelState &state, const ast::Stmt &stmt) {
  state.poisoned = true;
  state.namesLost |= stmt.kind == ast::Stmt::Kind::Error && stmt.results.empty();
  if (stmt.kind == ast::Stmt::Kind::Error && !state.yields.empty()) state.yields.back().lost = true;
  for (const ast::Binding &binding : stmt.results)
    if (binding.name) state.names.bind(binding.name.text, {nullptr, false, binding.name.range});
}

void bindName(KernelState &state, const ast::Name &name, Value *value) {
  if (const BoundName *bound = state.names.find(name.text); bound && bound->fixed) {
    state.diagnostics()
        .report(DiagCode::RebindFixed, name.range, str("`%", name.text, "` is a loop or grid variable; it cannot be rebound"))
        .at(bound->range, "bound here");
    return;
  }
  // The value gets the name for dumps, unless it already has one.
  if (value->name().empty()) value->setName(name.text), value->setRange(name.range);
  state.names.bind(name.text, {value, false, name.range});
}

void bindResults(KernelState &state, const ast::Stmt &stmt, const std::vector<Value *> &values, std::string_view what) {
  // The counts come from the source text, so their sum may overflow.
  int64_t named = 0;
  for (const ast::Binding &binding : stmt.results)
    if (__builtin_add_overflow(named, binding.count, &named)) named = INT64_MAX;
  if (named != static_cast<int64_t>(values.size())) {
    SourceRange range = stmt.results.empty() ? stmt.range : stmt.results.front().name.range;
    // The result of an op that writes memory may stay unnamed; for any other op that is a mistake.
    if (named == 0 && values.size() == 1) {
      const Op *op = values[0]->definingOp();
      if (op && has(op->info().effects, Effect::Writes)) return;
      state.diagnostics().report(DiagCode::ResultCount, range, str("the value of `", what, "` is not used: give it a name"));
      return;
    }
    if (named != 0 || !values.empty())
      state.diagnostics().report(DiagCode::ResultCount, range,
                                 str("`", what, "` returns ", values.size(), " value", values.size() == 1 ? "" : "s", ", but ",
                                     named, named == 1 ? " name is" : " names are", " bound"));
    return poison(state, stmt);
  }
  size_t next = 0;
  for (const ast::Binding &binding : stmt.results) {
    if (binding.count == 1) {
      bindName(state, binding.name, values[next++]);
      continue;
    }
    for (int64_t i = 0; i < binding.count; ++i)
      bindName(state, {str(binding.name.text, "#", i), binding.name.range}, values[next++]);
  }
}

void bindOpResults(KernelState &state, const ast::Stmt &stmt, const Op &op, size_t count, std::string_view what) {
  std::vector<Value *> results;
  for (size_t i = 0; i < count; ++i) results.push_back(op.result(i));
  bindResults(state, stmt, results, what);
}

SourceRange headerOf(const ast::Stmt &stmt) {
  return {stmt.range.file, stmt.range.begin, stmt.body ? stmt.body->range.begin : stmt.range.end};
}

} // namespace xt
