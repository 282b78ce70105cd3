// The offsets of a workgroup's buffers in shared local memory. A buffer's offset is its attribute `offset`, which the pass
// plan-slm sets; buffers without it are placed after all other buffers. Buffers whose ranges overlap share memory, because
// their contents are live at different times.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <cstdint>
#include <vector>

namespace xt {

inline constexpr int64_t kSlmAlignment = 64; // in bytes, of each buffer without an `offset`

struct SlmBuffer {
  const Op *alloc;
  int64_t offset, bytes;
};
struct SlmLayout {
  std::vector<SlmBuffer> buffers; // in program order
  int64_t bytes = 0;              // the size up to the end of the last buffer; saturated
  int64_t offsetOf(const Op &alloc) const;
};
SlmLayout slmLayout(const Kernel &kernel);
// The most shared local memory of a workgroup on targets where ordinary memory holds it, in bytes.
inline constexpr int64_t kMostSlmOfHost = int64_t{1} << 26;
// Whether it is at most that; if not, reports an error at the kernel with the size of each buffer.
bool fitsHost(const Kernel &kernel, const SlmLayout &layout, Diagnostics &diagnostics);
// The size of a memref in bytes, up to and including its last element; saturated.
int64_t slmBytesOf(Type memref);

} // namespace xt
