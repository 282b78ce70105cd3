#include "ir/base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace xt {

std::string shapeText(std::span<const int64_t> shape) {
  std::string text;
  for (int64_t extent : shape) {
    if (!text.empty()) text += 'x';
    text += extent < 0 ? "?" : std::to_string(extent);
  }
  return text;
}

namespace {
template <class Float> std::string shortestText(Float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}
} // namespace

std::string floatText(double value) { return shortestText(value); }
std::string floatText(float value) { return shortestText(value); }

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1] ? 1u : 0u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string_view closestName(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t bestDistance = 4;
  // The time of a comparison grows with the square of the length, and nobody misspells a name that long.
  constexpr size_t kLongestCompared = 200;
  if (name.size() > kLongestCompared) return best;
  for (std::string_view candidate : candidates) {
    size_t longer = std::max(name.size(), candidate.size());
    size_t shorter = std::min(name.size(), candidate.size());
    if (longer - shorter >= bestDistance) continue;
    size_t distance = editDistance(name, candidate);
    // At most a third of the name may differ: "ad" is not a misspelt "or".
    if (distance < bestDistance && distance * 3 <= longer) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string counted(int64_t n, std::string_view noun) { return str(n, " ", noun, n == 1 ? "" : "s"); }

std::string ordinal(size_t n) {
  const char *suffix = "th";
  if (n % 100 < 11 || n % 100 > 13) {
    if (n % 10 == 1) suffix = "st";
    if (n % 10 == 2) suffix = "nd";
    if (n % 10 == 3) suffix = "rd";
  }
  return std::to_string(n) + suffix;
}

} // namespace xt
