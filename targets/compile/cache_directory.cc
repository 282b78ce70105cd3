#include "targets/compile/cache_directory.h"

#include "ir/base/text.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace xt {

std::string cacheDirectory() {
  if (const char *own = std::getenv("XT_CACHE_DIR")) return own;
  const char *caches = std::getenv("XDG_CACHE_HOME"), *home = std::getenv("HOME");
  if (caches && caches[0] == '/') return std::string(caches) + "/xt"; // the specification says to ignore relative paths
  return home && *home ? std::string(home) + "/.cache/xt" : "";
}

Result<uint64_t> cacheLimit() {
  const char *text = std::getenv("XT_CACHE_LIMIT");
  if (!text || !*text) return uint64_t{256} << 20;
  std::string_view number = text;
  constexpr std::string_view kUnits = "KMG";
  size_t unit = kUnits.find(number.back());
  if (unit != std::string_view::npos) number.remove_suffix(1);
  uint64_t value = 0;
  auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), value);
  int shift = unit == std::string_view::npos ? 0 : static_cast<int>(10 * (unit + 1));
  bool good = failed == std::errc() && end == number.data() + number.size() && value <= UINT64_MAX >> shift;
  if (!good)
    return Error::environment(str("XT_CACHE_LIMIT must be a number of bytes such as 1048576, 64M or 2G, not `", text, "`"));
  return value << shift;
}

} // namespace xt
