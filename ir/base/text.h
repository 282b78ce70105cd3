// Small text helpers: concatenation, joining, quoting, and "did you mean" suggestions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// str(1, " of ", 2) == "1 of 2". Numbers print as std::ostream prints them.
template <class... Parts> std::string str(const Parts &...parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

// join({1, 2, 3}, ", ") == "1, 2, 3"
template <class Range> std::string join(const Range &range, std::string_view separator) {
  std::ostringstream out;
  bool first = true;
  for (const auto &item : range) {
    if (!first) out << separator;
    first = false;
    out << item;
  }
  return out.str();
}

// "256x32" for {256, 32}; a negative extent prints as '?'.
std::string shapeText(std::span<const int64_t> shape);

// The shortest text that reads back as the same double ("0.1", "1e-05", "inf", "nan"). It always has a point or an exponent, or
// is inf or nan, so that it lexes as a float literal.
std::string floatText(double value);
std::string floatText(float value); // the shortest digits that read back as this f32

// Edit distance with transpositions (optimal string alignment).
size_t editDistance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, or "" if none is near enough to be a likely misspelling. If several are equally near, the
// first one.
std::string_view closestName(std::string_view name, std::span<const std::string_view> candidates);

// 1 -> "1st", 2 -> "2nd" ...
std::string ordinal(size_t n);
// "1 byte", "2 bytes".
std::string counted(int64_t n, std::string_view noun);

} // namespace xt
