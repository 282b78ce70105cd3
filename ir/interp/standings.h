// The ops at which the workers of a workgroup wait when none of them can continue.
#pragma once
#include "ir/interp/subgroup.h"

namespace xt {

// The workers that wait at one op, or those that have finished.
struct Standing {
  const Step *place = nullptr; // null: they have finished
  std::vector<size_t> subgroups;
  // "subgroups 0–3, 6 wait at `barrier`". At lane scope, where `lanes` is the number of lanes per subgroup: "lanes 0–3 of
  // subgroup 1 wait at `dpas`".
  std::string text(size_t lanes = 0) const;
};

// Groups the workers by the op at which they wait. The groups are ordered by their first workers.
std::vector<Standing> standingsOf(std::span<const Subgroup> subgroups);

} // namespace xt
