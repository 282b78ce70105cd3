#include "lang/server/spell.h"

#include <variant>

namespace xt::lsp {
namespace {

struct Spelled {
  std::string text;
  bool order = false; // it says a tile's order too
};

// Kernels have contexts of their own, so that layouts are compared as they print.
Spelled spell(const Query &query, Type type) {
  const Layout *layout = type ? type.layout() : nullptr;
  if (!layout) return {};
  std::string canonical = layout->text();
  Context context;
  for (const LayoutAlias &alias : query.analysis.checked.module->aliases) {
    if (alias.order && (!type.isTile() || *alias.order != type.data().order)) continue;
    LayoutOrError made = makeLayout(context, alias.spec, type.shape());
    const Layout *const *same = std::get_if<const Layout *>(&made);
    if (same && (*same)->text() == canonical) return {"#" + alias.name, alias.order.has_value()};
  }
  return {canonical, false};
}

} // namespace

std::string layoutSpelling(const Query &query, Type type) { return spell(query, type).text; }

std::string typeSpelling(const Query &query, Type type) {
  Spelled spelled = spell(query, type);
  return typeText(type, spelled.text, spelled.order);
}

} // namespace xt::lsp
