#include "targets/xe/library/mangled_symbol.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

// The reference to the n-th type that can be substituted, from 0: S_, S0_, S1_ …
std::string substitution(size_t n) { return n == 0 ? "S_" : str("S", n - 1, "_"); }

} // namespace

std::string mangledSymbol(std::string_view name, const std::vector<std::string> &parameters) {
  std::string symbol = str("_Z", name.size(), name);
  std::vector<std::string> seen;
  for (const std::string &parameter : parameters) {
    auto known = std::find(seen.begin(), seen.end(), parameter);
    if (known != seen.end()) {
      symbol += substitution(static_cast<size_t>(known - seen.begin()));
      continue;
    }
    symbol += parameter;
    if (parameter.starts_with("Dv")) seen.push_back(parameter);
  }
  return parameters.empty() ? symbol + "v" : symbol;
}

} // namespace xt
