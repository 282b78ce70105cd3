#include "passes/passes.h"

#include "ir/base/text.h"

namespace xt {

const PassInfo *findPass(std::string_view name) {
  for (const PassInfo &pass : kPasses)
    if (pass.name == name) return &pass;
  return nullptr;
}

Result<std::vector<const PassInfo *>> passesNamed(std::span<const std::string_view> names) {
  std::vector<const PassInfo *> passes;
  for (std::string_view name : names) {
    if (const PassInfo *pass = findPass(name)) {
      passes.push_back(pass);
      continue;
    }
    std::vector<std::string_view> known;
    for (const PassInfo &pass : kPasses) known.push_back(pass.name);
    std::string_view closest = closestName(name, known);
    return Error::environment(
        str("unknown pass `", name, "`",
            closest.empty() ? str("; known are ", join(known, ", ")) : str("; did you mean `", closest, "`?")));
  }
  return passes;
}

} // namespace xt
