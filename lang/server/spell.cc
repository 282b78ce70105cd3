#include "lang/server/spell.h"

#include <variant>

namespace xt::lsp {

// Each kernel has its own context, so layouts are compared by their text, not by address.
const TypeSpeller::Spelled &TypeSpeller::spell(Type type) {
  auto [known, isNew] = known_.try_emplace(&type.data());
  Spelled &spelled = known->second;
  if (!isNew) return spelled;
  bool order = false; // whether the alias also gives the tile's order
  if (const Layout *layout = type.layout()) {
    std::string canonical = layout->text();
    spelled.layout = canonical;
    Context context;
    for (const LayoutAlias &alias : query_.analysis.checked.module->aliases) {
      if (alias.order && (!type.isTile() || *alias.order != type.data().order)) continue;
      LayoutOrError made = makeLayout(context, alias.spec, type.shape());
      const Layout *const *same = std::get_if<const Layout *>(&made);
      if (!same || (*same)->text() != canonical) continue;
      spelled.layout = "#" + alias.name;
      order = alias.order.has_value();
      break;
    }
  }
  spelled.type = typeText(type, spelled.layout, order);
  return spelled;
}

} // namespace xt::lsp
