#include "ir/type.h"

#include <gtest/gtest.h>

#include <set>

namespace xt {
namespace {

// NVIDIA's 128-byte swizzle moves the 16-byte piece p of a 128-byte row r to piece p ^ (r % 8).
TEST(Swizzle, PlacesPiecesOfRows) {
  const Swizzle swizzle{3, 4, 3};
  for (uint64_t row = 0; row < 64; ++row)
    for (uint64_t byte = 0; byte < 128; ++byte)
      EXPECT_EQ(swizzle(row * 128 + byte), row * 128 + ((byte / 16) ^ (row % 8)) * 16 + byte % 16);
}

TEST(Swizzle, IsItsOwnInverseWithinItsBlocks) {
  for (Swizzle swizzle : {Swizzle{1, 4, 3}, Swizzle{2, 2, 4}, Swizzle{3, 4, 3}, Swizzle{3, 0, 5}}) {
    std::set<uint64_t> places;
    const auto block = static_cast<uint64_t>(swizzle.blockBytes());
    for (uint64_t offset = 0; offset < 8192; ++offset) {
      const uint64_t place = swizzle(offset);
      EXPECT_EQ(swizzle(place), offset);
      EXPECT_EQ(place / block, offset / block);
      places.insert(place);
    }
    EXPECT_EQ(places.size(), 8192u);
  }
  EXPECT_FALSE(Swizzle());
  EXPECT_EQ(Swizzle()(1234), 1234u);
}

} // namespace
} // namespace xt
