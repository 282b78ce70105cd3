// The run-time representation of a subgroup's values.
#pragma once
#include "ir/interp/scalar_eval.h"
#include "ir/named_barriers.h"
#include "ir/type.h"

#include <array>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

namespace xt {

inline constexpr size_t kMaxRank = 5;
inline constexpr size_t kNoParameter = ~size_t{0}; // shared local memory, or an address

// The bytes of a buffer.
struct MemoryRange {
  const unsigned char *low = nullptr, *high = nullptr; // first byte, and the one after the last
  bool contains(const unsigned char *p, size_t bytes) const {
    auto first = reinterpret_cast<uintptr_t>(p), begin = reinterpret_cast<uintptr_t>(low),
         end = reinterpret_cast<uintptr_t>(high);
    return first >= begin && first <= end && bytes <= end - first;
  }
};

// The address of what is at `p` in a contiguous buffer, if the buffer is swizzled.
inline unsigned char *swizzled(const Swizzle &swizzle, const MemoryRange &buffer, unsigned char *p) {
  if (!swizzle) return p;
  return const_cast<unsigned char *>(buffer.low) + swizzle(static_cast<uint64_t>(p - buffer.low));
}

struct MemRefValue {
  unsigned char *data = nullptr; // element [0, …, 0], before the swizzle
  Elem elem = kF32Elem;
  size_t rank = 0;
  std::array<int64_t, kMaxRank> sizes{}, strides{}; // in elements
  size_t parameter = kNoParameter;                  // of the kernel, that the memref comes from
  MemoryRange memory;                               // its buffer
  Swizzle swizzle{};                                // of the buffer
};

// A 2D window in a base matrix. Row r and column c of the tile are row offsets[0] + r and column offsets[1] + c of the matrix;
// elements outside of the matrix are neither read nor written.
struct TileValue {
  unsigned char *matrix = nullptr; // its element [0, 0]
  Elem elem = kF32Elem;
  std::array<int64_t, 2> sizes{}, strides{}, offsets{};
  size_t parameter = kNoParameter;
  size_t leadingCount = 0;
  std::array<int64_t, kMaxRank> leading{}; // the base's leading offsets
  int64_t pack = 1;     // rows interleaved in memory (Type::packFactor)
  bool checked = false; // made with an explicit shape and strides: each access must stay in `memory`
  MemoryRange memory;   // its buffer; if null, all buffers of the launch (an address may point into any)
  Swizzle swizzle{};    // of the buffer
};

// The elements of a vector that one subgroup holds, in the order of Layout::elementsOf; at subgroup scope all elements,
// row-major.
using Fragment = std::vector<Number>;
using FragmentRef = std::shared_ptr<const Fragment>;

// A tile of elements with one offset each from the base, in elements; offsets outside of [0, size) are out of bounds.
struct ScatterTile {
  unsigned char *data = nullptr;
  Elem elem = kF32Elem;
  int64_t size = 0, stride = 1;
  size_t parameter = kNoParameter;
  MemoryRange memory;  // its buffer
  bool anywhere = false; // made from an address: no offset is out of bounds
  FragmentRef offsets{}; // in the order of the fragment of the tile's layout
};

// A copy to shared local memory that one subgroup has begun, or a group of such copies (async_copies.h).
struct CopyGroup;
using CopyGroupRef = std::shared_ptr<CopyGroup>;

using RuntimeValue =
    std::variant<std::monostate, Number, MemRefValue, TileValue, ScatterTile, NamedBarrierPart, FragmentRef, CopyGroupRef>;

} // namespace xt
