// What a subgroup holds of one dimension as runs of neighbours: index = start + place + k for k < length, where the starts
// are the same for every subgroup and its place follows from its id.
#pragma once
#include "ir/layout.h"

namespace xt {

struct SubgroupDigit { // (id / stride) mod extent, times weight
  int64_t stride, extent, weight;
  bool operator==(const SubgroupDigit &) const = default;
};

struct DimPieces {
  int64_t length = 1;                // of each run
  std::vector<int64_t> starts = {0}; // ascending
  std::vector<SubgroupDigit> digits; // whose sum is the place
  bool whole() const { return digits.empty() && starts.size() == 1; }
  bool operator==(const DimPieces &) const = default;
};

DimPieces dimPieces(const Layout &layout, int dim);
// Digits (weight 1) that are all zero for exactly one of the subgroups that hold an element.
std::vector<SubgroupDigit> copyDigits(const Layout &layout);

} // namespace xt
