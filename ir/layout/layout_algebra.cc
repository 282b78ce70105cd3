// Layouts of related shapes: grouped and repeated indices, parts, and the same elements in another shape. Layouts without lanes,
// on more lanes, and on more or fewer subgroups.
#include "ir/base/check.h"
#include "ir/layout/layout_builder.h"
#include "ir/layout/layout_table.h"

#include <algorithm>
#include <limits>

namespace xt {
namespace {

// Splits the digits so that those from the returned position on multiply to `weight`. Returns nothing if a digit cannot be
// split there.
std::optional<size_t> splitAt(std::vector<Factor> &digits, int64_t weight) {
  int64_t below = 1;
  for (size_t i = digits.size(); i-- > 0;) {
    if (below == weight) return i + 1;
    Factor &f = digits[i];
    if (below * f.extent <= weight) {
      below *= f.extent;
      continue;
    }
    int64_t inner = weight / below;
    if (weight % below != 0 || f.extent % inner != 0) return std::nullopt;
    Factor low = {inner, f.axis, f.stride};
    f = {f.extent / inner, f.axis, f.stride * inner};
    digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(i) + 1, low);
    return i + 1;
  }
  if (below == weight) return 0;
  return std::nullopt;
}

// Turns the digits from `first` on into copies: every one of their owners now holds all of their elements.
void replicateFrom(LayoutBuilder &builder, std::vector<Factor> &digits, size_t first) {
  for (size_t i = first; i < digits.size(); ++i)
    if (digits[i].axis != Axis::Register) builder.replication.push_back(digits[i]);
  digits.resize(first);
}

// Handles blocks of n that do not end between digits. All blocks may still be held by the same owners: if each block contains
// every coordinate of the digits below some register digit, and no block crosses the end of that digit. n consecutive indices
// miss a coordinate of digits (extent e, weight w) on one axis only if they fit between two of its occurrences. The distance of
// these is sum(w * (e - 1)).
bool groupAcross(LayoutBuilder &builder, std::vector<Factor> &digits, int64_t n) {
  int64_t weight = 1, gap[kAxisCount] = {};
  for (size_t i = digits.size(); i-- > 0;) {
    const Factor f = digits[i];
    if (f.axis != Axis::Register) {
      gap[static_cast<size_t>(f.axis)] += weight * (f.extent - 1);
    } else if (weight * f.extent % n == 0 && std::all_of(gap, gap + kAxisCount, [&](int64_t g) { return g < n; })) {
      replicateFrom(builder, digits, i);
      digits.push_back({weight * f.extent / n, Axis::Register, 1});
      return true;
    }
    weight *= f.extent;
  }
  return false;
}

int64_t saturated(int64_t a, int64_t b) {
  int64_t product;
  return multiply(a, b, product) ? product : std::numeric_limits<int64_t>::max();
}

} // namespace

const Layout *grouped(LayoutTable &table, const Layout *layout, int dim, int64_t n) {
  LayoutBuilder builder = builderFrom(*layout);
  size_t d = static_cast<size_t>(dim);
  XT_CHECK(d < builder.shape.size(), "the dimension exists");
  if (n < 1 || builder.shape[d] % n != 0) return nullptr;
  std::vector<Factor> digits = builder.dims[d];
  if (std::optional<size_t> inner = splitAt(digits, n))
    replicateFrom(builder, digits, *inner);
  else if (digits = builder.dims[d]; !groupAcross(builder, digits, n))
    return nullptr;
  builder.dims[d] = std::move(digits);
  builder.shape[d] /= n;
  return table.intern(std::move(builder).build());
}

const Layout *repeated(LayoutTable &table, const Layout *layout, int dim, int64_t n) {
  LayoutBuilder builder = builderFrom(*layout);
  size_t d = static_cast<size_t>(dim);
  XT_CHECK(d < builder.shape.size(), "the dimension exists");
  int64_t elements = 1;
  if (n < 1 || !multiply(builder.shape[d], n, builder.shape[d])) return nullptr;
  for (int64_t extent : builder.shape)
    if (!multiply(elements, extent, elements)) return nullptr;
  builder.dims[d].push_back({n, Axis::Register, 1});
  return table.intern(std::move(builder).build());
}

const Layout *reshaped(LayoutTable &table, const Layout *layout, std::span<const int64_t> shape) {
  LayoutBuilder source = builderFrom(*layout), result;
  int64_t before = 1, after = 1;
  for (int64_t extent : source.shape) before *= extent;
  for (int64_t extent : shape)
    if (extent < 1 || !multiply(after, extent, after)) return nullptr;
  if (before != after) return nullptr;
  // The digits of all dimensions in sequence are the digits of the element's row-major number.
  std::vector<Factor> digits;
  for (const std::vector<Factor> &part : source.dims) digits.insert(digits.end(), part.begin(), part.end());
  mergeDigits(digits);
  result.shape.assign(shape.begin(), shape.end());
  result.dims.resize(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    std::optional<size_t> first = splitAt(digits, shape[d]);
    if (!first) return nullptr;
    result.dims[d].assign(digits.begin() + static_cast<std::ptrdiff_t>(*first), digits.end());
    digits.resize(*first);
  }
  result.replication = std::move(source.replication);
  return table.intern(std::move(result).build());
}

const Layout *onSubgroups(LayoutTable &table, const Layout *layout) {
  if (layout->axisSize(Axis::Lane) == 1) return layout;
  LayoutBuilder builder = builderFrom(*layout);
  for (size_t d = 0; d < builder.dims.size(); ++d) builder.dims[d] = digitsOn(*layout, static_cast<int>(d), Axis::Subgroup);
  std::erase_if(builder.replication, [](const Factor &factor) { return factor.axis == Axis::Lane; });
  return table.intern(std::move(builder).build());
}

const Layout *withCopies(LayoutTable &table, const Layout *layout, int64_t lanes) {
  int64_t own = layout->axisSize(Axis::Lane);
  if (own == lanes) return layout;
  XT_CHECK(lanes % own == 0, "the subgroup size is a multiple of the lanes of each layout");
  LayoutBuilder builder = builderFrom(*layout);
  builder.replication.push_back({lanes / own, Axis::Lane, own});
  return table.intern(std::move(builder).build());
}

namespace {

// Makes the subgroup digits count modulo `subgroups`: the part of a digit whose stride is below that number stays, and the rest
// counts registers, or nothing if the digit is one of copies. Returns false if a digit cannot be split there.
bool countModulo(std::vector<Factor> &digits, int64_t subgroups, bool copies) {
  std::vector<Factor> result;
  for (const Factor &f : digits) {
    int64_t kept = f.extent;
    if (f.axis == Axis::Subgroup && f.stride >= subgroups) kept = 1;
    if (f.axis == Axis::Subgroup && f.stride < subgroups && f.stride * f.extent > subgroups) {
      kept = subgroups / f.stride;
      if (subgroups % f.stride != 0 || f.extent % kept != 0) return false;
    }
    if (kept != f.extent && !copies) result.push_back({f.extent / kept, Axis::Register, 1});
    result.push_back({kept, f.axis, f.stride});
  }
  digits = std::move(result);
  return true;
}

std::optional<LayoutBuilder> builderModulo(const Layout &layout, int64_t subgroups) {
  LayoutBuilder builder = builderFrom(layout);
  int64_t own = layout.subgroups();
  if (subgroups % own == 0) {
    builder.replication.push_back({subgroups / own, Axis::Subgroup, own});
    return builder;
  }
  if (own % subgroups != 0 || !countModulo(builder.replication, subgroups, true)) return std::nullopt;
  for (std::vector<Factor> &digits : builder.dims)
    if (!countModulo(digits, subgroups, false)) return std::nullopt;
  return builder;
}

} // namespace

const Layout *onSubgroupsModulo(LayoutTable &table, const Layout *layout, int64_t subgroups) {
  XT_CHECK(subgroups >= 1, "a workgroup has subgroups");
  std::optional<LayoutBuilder> builder = builderModulo(*layout, subgroups);
  return builder ? table.intern(std::move(*builder).build()) : nullptr;
}

std::vector<int64_t> subgroupsModulo(const Layout *layout, int64_t most) {
  std::vector<int64_t> counts;
  for (int64_t n = 1; n <= std::min(layout->subgroups(), most); ++n)
    if (builderModulo(*layout, n)) counts.push_back(n);
  return counts;
}

const Layout *sliced(LayoutTable &table, const Layout *layout, std::span<const int64_t> shape) {
  LayoutBuilder builder = builderFrom(*layout);
  XT_CHECK(builder.shape.size() == shape.size(), "a part has the rank of the whole");
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == builder.shape[d]) continue;
    std::vector<Factor> &digits = builder.dims[d];
    if (digits.empty() || digits[0].axis != Axis::Register) return nullptr;
    int64_t step = builder.shape[d] / digits[0].extent;
    if (shape[d] % step != 0) return nullptr;
    digits[0].extent = shape[d] / step;
    builder.shape[d] = shape[d];
  }
  return table.intern(std::move(builder).build());
}

int64_t movedBytes(const Layout *from, const Layout *to, int64_t elemBytes) {
  if (movement(from, to) != Movement::AcrossSubgroups) return 0;
  int64_t held = 1, looks = to->subgroups();
  for (int64_t extent : to->subgroupShape()) held *= extent;
  int64_t looksEach = 0;
  for (int64_t extent : to->shape()) looksEach = std::max(looksEach, extent);
  constexpr int64_t kMostSubgroups = 1 << 20, kMostLooks = 1 << 24;
  if (looks > kMostSubgroups || saturated(looks, looksEach) > kMostLooks) return saturated(saturated(looks, held), elemBytes);
  int64_t lacking = 0;
  for (int64_t s = 0; s < to->subgroups(); ++s) {
    int64_t kept = s < from->subgroups() ? 1 : 0;
    for (int d = 0; d < to->rank() && kept > 0; ++d) {
      std::vector<int64_t> had = from->sliceOf(s, d), has = to->sliceOf(s, d), both;
      std::set_intersection(had.begin(), had.end(), has.begin(), has.end(), std::back_inserter(both));
      kept *= static_cast<int64_t>(both.size());
    }
    lacking += held - kept;
  }
  return saturated(lacking, elemBytes);
}

} // namespace xt
