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

inline constexpr size_t kNoParameter = ~size_t{0}; // for shared local memory, and for tiles made from an address

// The bytes of a buffer.
struct MemoryRange {
  const unsigned char *low = nullptr, *high = nullptr; // first byte, and the one after the last
  bool contains(const unsigned char *p, size_t bytes) const {
    auto first = reinterpret_cast<uintptr_t>(p), begin = reinterpret_cast<uintptr_t>(low),
         end = reinterpret_cast<uintptr_t>(high);
    return first >= begin && first <= end && bytes <= end - first;
  }
};

// Returns the address at which a swizzled buffer holds the element that a contiguous one would hold at `p`; `p` if there is no
// swizzle.
inline unsigned char *swizzled(const Swizzle &swizzle, const MemoryRange &buffer, unsigned char *p) {
  if (!swizzle) return p;
  return const_cast<unsigned char *>(buffer.low) + swizzle(static_cast<uint64_t>(p - buffer.low));
}

struct MemRefValue {
  unsigned char *data = nullptr; // element [0, …, 0], before the swizzle
  Elem elem = kF32Elem;
  size_t rank = 0;
  std::array<int64_t, kMaxRank> sizes{}, strides{}; // in elements
  size_t parameter = kNoParameter;                  // the kernel's parameter that the memref comes from
  MemoryRange memory;                               // the buffer
  Swizzle swizzle{};                                // the swizzle of the buffer
};

// A 2D window in a base matrix. Row r and column c of the tile are row offsets[0] + r and column offsets[1] + c of the matrix;
// elements outside of the matrix are neither read nor written.
struct TileValue {
  unsigned char *matrix = nullptr; // the matrix's element [0, 0]
  Elem elem = kF32Elem;
  std::array<int64_t, 2> sizes{}, strides{}, offsets{};
  size_t parameter = kNoParameter;
  size_t leadingCount = 0;
  std::array<int64_t, kMaxRank> leading{}; // the base's leading offsets
  int64_t pack = 1;     // rows interleaved in memory (Type::packFactor)
  bool checked = false; // whether the tile has an explicit shape and strides: each access must stay in `memory`
  MemoryRange memory;   // the buffer; if null, all buffers of the launch (an address may point into any)
  Swizzle swizzle{};    // the swizzle of the buffer
};

// The elements of a vector that one subgroup holds, in the order of Layout::elementsOf. At subgroup scope these are all
// elements, in row-major order.
using Fragment = std::vector<Number>;
using FragmentRef = std::shared_ptr<const Fragment>;

// A tile whose elements have one offset each, counted in elements of the base. Offsets outside of [0, size) are out of bounds.
struct ScatterTile {
  unsigned char *data = nullptr;
  Elem elem = kF32Elem;
  int64_t size = 0, stride = 1;
  size_t parameter = kNoParameter;
  MemoryRange memory;  // the buffer; null if the tile was made from an address
  bool anywhere = false; // whether the tile was made from an address: no offset is out of bounds
  FragmentRef offsets{}; // one per element that the subgroup holds
};

// A copy to shared local memory that one subgroup has begun, or a group of such copies (async_copies.h).
struct CopyGroup;
using CopyGroupRef = std::shared_ptr<CopyGroup>;

using RuntimeValue =
    std::variant<std::monostate, Number, MemRefValue, TileValue, ScatterTile, NamedBarrierPart, FragmentRef, CopyGroupRef>;

} // namespace xt
