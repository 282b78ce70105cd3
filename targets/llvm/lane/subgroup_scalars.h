// Values that one subgroup of a workgroup computes from its number and from constants.
#pragma once
#include "ir/interp/scalar_eval.h"

#include <map>

namespace xt {

class SubgroupScalars {
public:
  explicit SubgroupScalars(int64_t subgroup) : subgroup_(subgroup) {}
  // The value of a scalar in this subgroup; nullopt if it depends on anything else.
  std::optional<Number> of(const Value &value) { return of(value, kMostDepth); }

private:
  static constexpr int kMostDepth = 64; // ops from the value to what it is computed from
  std::optional<Number> of(const Value &value, int depth);
  std::optional<Number> computed(const Value &value, int depth);

  int64_t subgroup_;
  std::map<const Value *, std::optional<Number>> known_; // for lookup only
};

} // namespace xt
