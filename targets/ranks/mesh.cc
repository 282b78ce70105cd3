#include "targets/ranks/mesh.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

// The divisors of n that are as equal as possible, largest first.
std::vector<int> balancedFactors(int n, size_t count) {
  std::vector<int> factors;
  for (; count > 1; --count) {
    // The largest of `count` balanced factors: the least divisor of n that is at least its root of that degree.
    auto power = [&](int64_t base) {
      int64_t all = 1;
      for (size_t i = 0; i < count && all < n; ++i) all *= base;
      return all;
    };
    int factor = 1;
    while (n % factor != 0 || power(factor) < n) ++factor;
    factors.push_back(factor);
    n /= factor;
  }
  factors.push_back(n);
  std::ranges::sort(factors, std::greater<>());
  return factors;
}

std::string product(std::span<const int64_t> extents) {
  std::vector<std::string> parts;
  for (int64_t extent : extents) parts.push_back(str(extent));
  return join(parts, " x ");
}

} // namespace

std::optional<Mesh> Mesh::make(std::span<const int64_t> extents, int ranks, std::string &why) {
  int64_t given = 1;
  size_t open = 0;
  for (int64_t extent : extents) {
    if (extent < 0) {
      why = str("an extent of a mesh must not be negative: ", extent);
      return std::nullopt;
    }
    if (extent == 0)
      ++open;
    else if (__builtin_mul_overflow(given, extent, &given) || given > ranks)
      given = INT32_MAX; // more than there are
  }
  bool fits = open ? ranks % given == 0 : given == ranks;
  if (!fits) {
    why = str("a mesh of ", product(extents), open ? " does not divide " : " does not have ", ranks,
              ranks == 1 ? " rank" : " ranks");
    return std::nullopt;
  }
  std::vector<int> chosen;
  if (open) chosen = balancedFactors(ranks / static_cast<int>(given), open);
  Mesh mesh;
  size_t next = 0;
  for (int64_t extent : extents) mesh.extents_.push_back(extent ? static_cast<int>(extent) : chosen[next++]);
  return mesh;
}

int Mesh::ranks() const {
  int all = 1;
  for (int extent : extents_) all *= extent;
  return all;
}

int Mesh::position(int rank, int axis) const {
  for (int a = axes() - 1; a > axis; --a) rank /= extent(a);
  return rank % extent(axis);
}

int Mesh::moved(int rank, int axis, int position) const {
  int step = 1;
  for (int a = axes() - 1; a > axis; --a) step *= extent(a);
  return rank + (position - this->position(rank, axis)) * step;
}

std::vector<int> Mesh::group(int rank, std::optional<int> axis) const {
  std::vector<int> members;
  int count = axis ? extent(*axis) : ranks();
  for (int i = 0; i < count; ++i) members.push_back(axis ? moved(rank, *axis, i) : i);
  return members;
}

int64_t Box::elements() const {
  int64_t all = 1;
  for (int64_t e : extent) all *= e;
  return all;
}

std::optional<Box> intersection(const Box &a, const Box &b) {
  Box both;
  for (size_t d = 0; d < a.begin.size(); ++d) {
    int64_t begin = std::max(a.begin[d], b.begin[d]);
    int64_t end = std::min(a.begin[d] + a.extent[d], b.begin[d] + b.extent[d]);
    if (begin >= end) return std::nullopt;
    both.begin.push_back(begin);
    both.extent.push_back(end - begin);
  }
  return both;
}

bool Sharding::any() const { return !axes().empty(); }

std::vector<int> Sharding::axes() const {
  std::vector<int> dividing;
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] >= 0) dividing.push_back(static_cast<int>(axis));
  return dividing;
}

std::string unevenShards(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh) {
  for (int axis : sharding.axes()) {
    int dim = sharding.dims[static_cast<size_t>(axis)];
    int64_t extent = shape[static_cast<size_t>(dim)], parts = mesh.extent(axis);
    if (extent % parts == 0) continue;
    return str("the extent ", extent, " of dimension ", dim, " is no multiple of the ", parts, " parts that axis ", axis,
               " of the mesh divides it into; the nearest are ", extent / parts * parts, " and ", (extent / parts + 1) * parts);
  }
  return "";
}

Box partOf(std::span<const int64_t> shape, const Sharding &sharding, const Mesh &mesh, int rank) {
  Box box = {std::vector<int64_t>(shape.size()), {shape.begin(), shape.end()}};
  for (int axis : sharding.axes()) {
    auto dim = static_cast<size_t>(sharding.dims[static_cast<size_t>(axis)]);
    box.extent[dim] = shape[dim] / mesh.extent(axis);
    box.begin[dim] = box.extent[dim] * mesh.position(rank, axis);
  }
  return box;
}

} // namespace xt
