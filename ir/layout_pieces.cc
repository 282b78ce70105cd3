#include "ir/layout_pieces.h"

#include <algorithm>

namespace xt {

DimPieces dimPieces(const Layout &layout, int dim) {
  DimPieces pieces;
  int64_t weight = 1;
  std::span<const Factor> factors = layout.factors(dim);
  for (size_t k = factors.size(); k-- > 0; weight *= factors[k].extent) { // innermost first
    const Factor &factor = factors[k];
    if (factor.extent == 1) continue;
    if (factor.axis == Axis::Subgroup) {
      pieces.digits.push_back({factor.stride, factor.extent, weight});
    } else if (weight == pieces.length) { // all inside of it are neighbours too
      pieces.length *= factor.extent;
    } else {
      std::vector<int64_t> starts;
      for (int64_t i = 0; i < factor.extent; ++i)
        for (int64_t start : pieces.starts) starts.push_back(i * weight + start);
      pieces.starts = std::move(starts);
    }
  }
  std::sort(pieces.starts.begin(), pieces.starts.end());
  return pieces;
}

std::vector<SubgroupDigit> copyDigits(const Layout &layout) {
  std::vector<SubgroupDigit> digits;
  for (const Factor &factor : layout.replication())
    if (factor.axis == Axis::Subgroup && factor.extent > 1) digits.push_back({factor.stride, factor.extent, 1});
  return digits;
}

} // namespace xt
