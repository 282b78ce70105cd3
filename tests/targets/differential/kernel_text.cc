#include "tests/targets/differential/kernel_text.h"

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
    if (p && q) return str("#wg_map<sg_layout = [", a, ", ", b, "], sg_data = [", p, ", ", q, "]>");
  }
  return whole(shape);
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
            fitting.push_back({map(p, part), map(part, q), map(p, q)});
        }
  }
  return chooseFrom(fitting);
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
