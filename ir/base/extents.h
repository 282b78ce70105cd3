// Extents of shapes.
#pragma once
#include <cstdint>
#include <span>

namespace xt {

// The number of elements of a shape, or of subgroups of an sg_layout; 1 for an empty list. The caller ensures that the product
// fits 64 bits.
inline int64_t productOf(std::span<const int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents) product *= extent;
  return product;
}

// Whether different indices of an array with these strides, which can have any sign, always address different elements. Returns
// false if that is not certain.
bool haveDistinctPlaces(std::span<const int64_t> sizes, std::span<const int64_t> strides);

} // namespace xt
