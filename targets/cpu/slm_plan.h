// Where a workgroup's buffers in shared local memory lie.
#pragma once
#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace xt {

struct SlmPlan {
  struct Buffer {
    const Op *alloc;
    int64_t offset; // a multiple of 64
    int64_t bytes;
  };
  std::vector<Buffer> buffers; // in program order, one behind the other
  int64_t bytes = 0;           // of all; saturated
};
SlmPlan planSlm(const Kernel &kernel);

} // namespace xt
