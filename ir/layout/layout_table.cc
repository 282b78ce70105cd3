#include "ir/layout/layout_table.h"

#include "ir/base/hash.h"

#include <algorithm>

namespace xt {
namespace {

void mixFactors(size_t &seed, std::span<const Factor> factors) {
  mixHash(seed, factors.size());
  for (const Factor &f : factors) {
    mixHash(seed, static_cast<size_t>(f.extent));
    mixHash(seed, static_cast<size_t>(f.axis));
    mixHash(seed, static_cast<size_t>(f.stride));
  }
}

size_t hashLayout(const Layout &layout) {
  size_t seed = 17;
  mixHashes(seed, layout.shape());
  for (int d = 0; d < layout.rank(); ++d) mixFactors(seed, layout.factors(d));
  mixFactors(seed, layout.replication());
  return seed;
}

bool sameLayout(const Layout &a, const Layout &b) {
  if (!std::ranges::equal(a.shape(), b.shape())) return false;
  for (int axis = 0; axis < kAxisCount; ++axis)
    if (a.axisSize(static_cast<Axis>(axis)) != b.axisSize(static_cast<Axis>(axis))) return false;
  for (int d = 0; d < a.rank(); ++d)
    if (!std::ranges::equal(a.factors(d), b.factors(d))) return false;
  return std::ranges::equal(a.replication(), b.replication());
}

} // namespace

const Layout *LayoutTable::intern(Layout layout) {
  const size_t hash = hashLayout(layout);
  auto [first, last] = index_.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (sameLayout(*it->second, layout)) return it->second;
  layouts_.push_back(std::move(layout));
  index_.emplace(hash, &layouts_.back());
  return &layouts_.back();
}

} // namespace xt
