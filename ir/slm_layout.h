// Where a workgroup's buffers in shared local memory lie: where their `offset` says (the pass plan-slm), else behind all
// others. Buffers whose offsets overlap share memory, as what they hold is wanted at different times.
#pragma once
#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace xt {

inline constexpr int64_t kSlmAlignment = 64; // of each buffer that has no offset of its own

struct SlmBuffer {
  const Op *alloc;
  int64_t offset, bytes;
};
struct SlmLayout {
  std::vector<SlmBuffer> buffers; // in program order
  int64_t bytes = 0;              // up to the end of the last; saturated
  int64_t offsetOf(const Op &alloc) const;
};
SlmLayout slmLayout(const Kernel &kernel);
// Up to and with the last element; saturated.
int64_t slmBytesOf(Type memref);

} // namespace xt
