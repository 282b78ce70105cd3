#include "tests/targets/differential/kernel_text.h"

#include <algorithm>
#include <utility>

namespace xt {

KernelText::KernelText(uint64_t seed) : random_(seed) {
  workgroup_ = pick(2) == 0;
  static const int64_t counts[] = {1, 2, 4, 6, 8};
  subgroups_ = workgroup_ ? counts[1 + pick(4)] : counts[pick(3)];
}

Shape KernelText::randomShape() {
  static const int64_t odd[] = {1, 3, 5, 8, 12, 16, 17, 24, 33}, small[] = {1, 2, 3, 4, 8};
  if (!workgroup_) return {odd[pick(9)], odd[pick(9)]};
  Shape shape{subgroups_ * small[pick(4)], odd[pick(9)]};
  if (pick(2)) std::swap(shape.rows, shape.columns);
  return shape;
}

namespace {
bool inRounds(int64_t extent, int64_t parts, int64_t data) { return extent % (parts * data) == 0; }
bool wraps(int64_t extent, int64_t parts, int64_t data) { return extent % data == 0 && parts * data % extent == 0; }
bool fits(int64_t extent, int64_t parts, int64_t data) { return inRounds(extent, parts, data) || wraps(extent, parts, data); }
} // namespace

// Returns a random sg_data that fits, or 0 if none does.
int64_t KernelText::randomData(int64_t extent, int64_t parts, bool copies) {
  std::vector<int64_t> sizes;
  for (int64_t s = 1; s <= extent; ++s) {
    if (inRounds(extent, parts, s) || (copies && wraps(extent, parts, s))) sizes.push_back(s);
  }
  return sizes.empty() ? 0 : chooseFrom(sizes);
}

std::string KernelText::randomLayout(Shape shape, bool copies) {
  if (!workgroup_) return "";
  for (int tries = 0; tries < 200; ++tries) {
    std::vector<int64_t> divisors;
    for (int64_t d = 1; d <= subgroups_; ++d)
      if (subgroups_ % d == 0) divisors.push_back(d);
    int64_t a = chooseFrom(divisors), b = subgroups_ / a;
    int64_t p = randomData(shape.rows, a, copies), q = randomData(shape.columns, b, copies);
    if (!p || !q) continue;
    std::string map = str("#wg_map<sg_layout = [", a, ", ", b, "], sg_data = [", p, ", ", q, "]>");
    bool once = shape.rows == a * p && shape.columns == b * q;
    if (once && chance(4)) return chance(2) ? randomNested(shape, a, b) : randomFactors(shape, a, b);
    return chance(2) ? withLanes(map, p, q) : map;
  }
  return whole(shape);
}

// A random power of two that divides `extent` and is at most `most`.
int64_t KernelText::powerIn(int64_t extent, int64_t most) {
  std::vector<int64_t> powers;
  for (int64_t power = 1; power <= most && extent % power == 0; power *= 2) powers.push_back(power);
  return chooseFrom(powers);
}

std::string KernelText::withLanes(const std::string &map, int64_t rows, int64_t columns) {
  int64_t x = powerIn(rows, kMostRandomLanes), y = powerIn(columns, kMostRandomLanes / x);
  int64_t u = powerIn(rows / x, 8), v = powerIn(columns / y, 8);
  return str("#xe_map<wg = ", map, ", sg = #sg_map<wi_layout = [", x, ", ", y, "], wi_data = [", u, ", ", v, "]>>");
}

std::string KernelText::randomNested(Shape shape, int64_t a, int64_t b) {
  int64_t most = kMostRandomLanes;
  std::vector<std::string> tiles[5]; // per level, of rows and columns
  int64_t threads[2], groups[2] = {a, b}, extents[2] = {shape.rows / a, shape.columns / b};
  for (size_t d = 0; d < 2; ++d) {
    int64_t rest = extents[d], element = powerIn(rest, 8), thread = powerIn(rest /= element, most),
            outer = powerIn(rest /= thread, 4);
    most /= thread, threads[d] = thread;
    const int64_t levels[5] = {groups[d], rest / outer, outer, thread, element};
    for (size_t level = 0; level < 5; ++level) tiles[level].push_back(str(levels[level]));
  }
  bool down = chance(2); // lanes are numbered down the columns
  auto stride = [](int64_t count, int64_t apart) { return count == 1 ? 0 : apart; };
  auto list = [](const std::vector<std::string> &two) { return "[" + join(two, ", ") + "]"; };
  return str("#nested_layout<subgroup_tile = ", list(tiles[0]), ", batch_tile = ", list(tiles[1]),
             ", outer_tile = ", list(tiles[2]), ", thread_tile = ", list(tiles[3]), ", element_tile = ", list(tiles[4]),
             ", subgroup_strides = [", stride(a, b), ", ", stride(b, 1), "], thread_strides = [",
             stride(threads[0], down ? 1 : threads[1]), ", ", stride(threads[1], down ? threads[0] : 1), "]>");
}

std::string KernelText::randomFactors(Shape shape, int64_t a, int64_t b) {
  const int64_t extents[2] = {shape.rows / a, shape.columns / b}, groups[2] = {a, b}, apart[2] = {b, 1};
  int64_t lanes[2] = {powerIn(extents[0], kMostRandomLanes), 1};
  lanes[1] = powerIn(extents[1], kMostRandomLanes / lanes[0]);
  std::string text;
  for (size_t d = 0; d < 2; ++d) {
    int64_t rest = extents[d] / lanes[d], inner = powerIn(rest, 8);
    std::vector<std::string> digits;
    if (groups[d] > 1) digits.push_back(str(groups[d], ":sg*", apart[d]));
    if (lanes[d] > 1) digits.push_back(str(lanes[d], ":lane*", d == 0 ? lanes[1] : 1));
    for (int64_t registers : {rest / inner, inner})
      if (registers > 1) digits.push_back(str(registers));
    for (size_t i = digits.size(); i > 1; --i) std::swap(digits[i - 1], digits[pick(i)]);
    auto digitOf = [&](std::string_view axis) {
      return std::ranges::find_if(digits, [&](const std::string &digit) { return digit.find(axis) != std::string::npos; });
    };
    auto group = digitOf(":sg"), lane = digitOf(":lane"); // lanes share the pieces of a subgroup (XT0611)
    if (group != digits.end() && lane < group) std::iter_swap(group, lane);
    text += str(d == 0 ? "[" : ", [", digits.empty() ? "1" : join(digits, ", "), "]");
  }
  return str("#layout<", text, ">");
}

std::string KernelText::whole(Shape shape) const {
  return str("#wg_map<sg_layout = [", subgroups_, ", 1], sg_data = [", shape.rows, ", ", shape.columns, "]>");
}

KernelText::MmaLayouts KernelText::mmaLayouts(int64_t m, int64_t n, int64_t k) {
  if (!workgroup_) return {};
  std::vector<MmaLayouts> fitting;
  for (int64_t x = 1; x <= subgroups_; ++x) {
    if (subgroups_ % x) continue;
    int64_t y = subgroups_ / x;
    auto map = [&](int64_t p, int64_t q) {
      return str("#wg_map<sg_layout = [", x, ", ", y, "], sg_data = [", p, ", ", q, "]>");
    };
    for (int64_t p = 1; p <= m; ++p)
      for (int64_t q = 1; q <= n; ++q)
        for (int64_t part : {k, k / 2, k / 4}) {
          // Operands `a` and `b` must divide K into the same parts, so either both or neither of them divide it.
          if (part == 0 || (part < k && (x == 1 || y == 1))) continue;
          if (fits(m, x, p) && fits(n, y, q) && fits(k, y, part) && fits(k, x, part))
            fitting.push_back({map(p, part), map(part, q), map(p, q), {p, q}, part});
        }
  }
  MmaLayouts chosen = chooseFrom(fitting);
  auto [p, q] = chosen.data;
  if (chance(3)) chosen.a = withLanes(chosen.a, p, chosen.depth);
  if (chance(3)) chosen.b = withLanes(chosen.b, chosen.depth, q);
  if (chance(3)) chosen.c = withLanes(chosen.c, p, q);
  return chosen;
}

std::string KernelText::storable(Shape shape) const {
  if (!workgroup_) return "";
  int64_t n = subgroups_;
  for (int64_t a = n; a >= 1; --a)
    if (n % a == 0 && shape.rows % a == 0 && shape.columns % (n / a) == 0)
      return str("#wg_map<sg_layout = [", a, ", ", n / a, "], sg_data = [", shape.rows / a, ", ", shape.columns / (n / a),
                 "]>");
  return "";
}

} // namespace xt
