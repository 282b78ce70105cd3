// What a subgroup's values are at run time.
#pragma once
#include "ir/interp/scalar_eval.h"

#include <array>
#include <memory>
#include <variant>
#include <vector>

namespace xt {

inline constexpr size_t kMaxRank = 5;

struct MemRefValue {
  unsigned char *data = nullptr; // element [0, …, 0]
  Elem elem = Elem::F32;
  size_t rank = 0;
  std::array<int64_t, kMaxRank> sizes{}, strides{}; // in elements
  size_t parameter = 0;                             // of the kernel, that it came from
};

// A 2D window in a base matrix. Row r and column c of the tile are row offsets[0] + r and column offsets[1] + c of the
// matrix; what lies outside of it is neither read nor written.
struct TileValue {
  unsigned char *matrix = nullptr; // its element [0, 0]
  Elem elem = Elem::F32;
  std::array<int64_t, 2> sizes{}, strides{}, offsets{};
  size_t parameter = 0;
  std::array<int64_t, kMaxRank> leading{}; // the base's leading offsets
};

// The elements of a vector that one subgroup holds, in the order of Layout::elementsOf; at subgroup scope all of them,
// row-major.
using Fragment = std::vector<Number>;
using FragmentRef = std::shared_ptr<const Fragment>;

using RuntimeValue = std::variant<std::monostate, Number, MemRefValue, TileValue, FragmentRef>;

} // namespace xt
