// The shared local memory of a workgroup: a range for each alloc_slm, which is filled with kSlmPoison at first.
#pragma once
#include "ir/interp/values.h"
#include "ir/module.h"

#include <unordered_map>

namespace xt {

inline constexpr unsigned char kSlmPoison = 0xFF; // NaN as a float, -1 as an integer

class SlmMemory {
public:
  explicit SlmMemory(const Kernel &kernel);
  // Restores the contents that a workgroup starts with.
  void poison();
  MemRefValue at(const Op &alloc);

private:
  std::vector<unsigned char> memory_;
  std::unordered_map<const Op *, std::pair<size_t, size_t>> places_; // offset and bytes; used for lookup only
};

} // namespace xt
