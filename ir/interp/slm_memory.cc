#include "ir/interp/slm_memory.h"

#include "ir/gpu/slm_layout.h"

#include <algorithm>

namespace xt {

SlmMemory::SlmMemory(const Kernel &kernel) {
  SlmLayout layout = slmLayout(kernel);
  memory_.assign(static_cast<size_t>(layout.bytes), kSlmPoison);
  for (const SlmBuffer &buffer : layout.buffers)
    places_[buffer.alloc] = {static_cast<size_t>(buffer.offset), static_cast<size_t>(buffer.bytes)};
}

void SlmMemory::poison() { std::fill(memory_.begin(), memory_.end(), kSlmPoison); }

MemRefValue SlmMemory::at(const Op &alloc) {
  Type type = alloc.result()->type();
  MemRefValue value;
  auto [offset, bytes] = places_.at(&alloc);
  value.data = memory_.data() + offset;
  value.memory = {value.data, value.data + bytes};
  value.elem = type.elem();
  value.swizzle = type.data().memory.swizzle;
  value.rank = static_cast<size_t>(type.rank());
  std::vector<int64_t> strides = memrefStrides(type);
  for (size_t d = 0; d < value.rank; ++d) {
    value.sizes[d] = type.extent(static_cast<int>(d));
    value.strides[d] = strides[d];
  }
  return value;
}

} // namespace xt
