// Where the workers of a workgroup stand when none of them can go on.
#pragma once
#include "ir/interp/subgroup.h"

namespace xt {

// Workers that wait at the same place.
struct Standing {
  const Step *place = nullptr; // null: they have finished
  std::vector<size_t> subgroups;
  // "subgroups 0–3, 6 wait at `barrier`"; with `lanes`, the lanes per subgroup: "lanes 0–3 of subgroup 1 wait at `dpas`".
  std::string text(size_t lanes = 0) const;
};

// Ordered by the first subgroup at each place.
std::vector<Standing> standingsOf(std::span<const Subgroup> subgroups);

} // namespace xt
