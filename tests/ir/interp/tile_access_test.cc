#include "ir/interp/tile_access.h"

#include "ir/elem_kinds.h"
#include "kernel_fixture.h"

#include <limits>
#include <random>

namespace xt {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();

MemRefValue memrefOf(Array &array) {
  LaunchArg arg = array.arg();
  MemRefValue value;
  value.data = static_cast<unsigned char *>(arg.buffer.data);
  value.elem = arg.buffer.elem;
  value.rank = arg.buffer.sizes.size();
  std::copy(arg.buffer.sizes.begin(), arg.buffer.sizes.end(), value.sizes.begin());
  std::copy(arg.buffer.strides.begin(), arg.buffer.strides.end(), value.strides.begin());
  return value;
}
std::vector<int64_t> range(int64_t n) {
  std::vector<int64_t> indices(static_cast<size_t>(n));
  std::iota(indices.begin(), indices.end(), 0);
  return indices;
}

TEST(TileAccess, RandomWindowsAgainstOneElementAtATime) {
  std::mt19937_64 random(4);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 400; ++round) {
    int64_t rows = pick(0, 9), columns = pick(1, 9);
    std::vector<int64_t> strides = {columns + pick(0, 5), 1};                   // row-major with any pitch
    if (round % 3 == 1) strides = {1, std::max<int64_t>(rows, 1) + pick(0, 4)}; // column-major
    if (round % 3 == 2) strides = {2 * columns, 2};
    for (Elem elem : {Elem::F16, Elem::I8, Elem::F64}) {
      Array base(elem, {rows, columns}, strides);
      base.fill([](int64_t k) { return static_cast<double>(k + 1); });
      std::vector<int64_t> offsets = {pick(-12, 12), pick(-12, 12)};
      TileValue tile = moveTile(initTile(memrefOf(base), offsets), 3, -2);
      int64_t y = offsets[0] + 3, x = offsets[1] - 2;
      std::vector<int64_t> rs = range(pick(1, 12)), cs = range(pick(1, 12));
      std::vector<Number> got(rs.size() * cs.size());
      Number padding = isFloat(elem) ? floatNumber(-9) : integerNumber(-9);
      loadTile(tile, rs, cs, padding, got.data());
      auto inside = [&](int64_t r, int64_t c) { return r >= 0 && r < rows && c >= 0 && c < columns; };
      size_t k = 0;
      for (int64_t r : rs)
        for (int64_t c : cs) {
          double expected = inside(y + r, x + c) ? base.number({y + r, x + c}) : -9;
          double value = isFloat(elem) ? got[k].f : static_cast<double>(got[k].i);
          ASSERT_EQ(value, expected);
          ++k;
        }
      Array before = base;
      std::vector<Number> values(rs.size() * cs.size());
      for (size_t i = 0; i < values.size(); ++i)
        values[i] =
            isFloat(elem) ? floatNumber(100 + static_cast<double>(i % 20)) : integerNumber(100 + static_cast<int64_t>(i % 20));
      storeTile(tile, rs, cs, values.data());
      ASSERT_TRUE(base.guardsIntact());
      base.forEach([&](const std::vector<int64_t> &index) {
        int64_t r = index[0] - y, c = index[1] - x;
        bool written = r >= 0 && r < static_cast<int64_t>(rs.size()) && c >= 0 && c < static_cast<int64_t>(cs.size());
        double expected = written ? 100 + (r * static_cast<int64_t>(cs.size()) + c) % 20 : before.number(index);
        ASSERT_EQ(base.number(index), expected);
      });
    }
  }
}

TEST(TileAccess, OffsetsAtTheEndsOf64Bits) {
  Array base(Elem::F32, {4, 4});
  base.fill([](int64_t k) { return static_cast<double>(k); });
  std::vector<unsigned char> before = base.memory();
  std::vector<int64_t> rs = range(4), cs = range(4);
  std::vector<Number> got(16);
  for (int64_t y : {kMin, kMin + 1, kMax, kMax - 1, int64_t{4}, int64_t{-4}, int64_t{1} << 62})
    for (bool row : {true, false}) {
      std::vector<int64_t> offsets = row ? std::vector<int64_t>{y, 0} : std::vector<int64_t>{0, y};
      TileValue tile = initTile(memrefOf(base), offsets);
      loadTile(tile, rs, cs, floatNumber(7), got.data());
      for (Number value : got) EXPECT_EQ(value.f, 7) << y;
      storeTile(tile, rs, cs, got.data());
      EXPECT_EQ(base.memory(), before);
    }
}

TEST(TileAccess, LeadingOffsetsPickTheMatrix) {
  Array base(Elem::I32, {3, 2, 4, 5});
  base.fill([](int64_t k) { return static_cast<double>(k); });
  std::vector<int64_t> rs = range(2), cs = range(2);
  std::vector<Number> got(4);
  for (int64_t i : {int64_t{-1}, int64_t{0}, int64_t{2}, int64_t{3}, kMax, kMin})
    for (int64_t j : {-1, 0, 1, 2}) {
      TileValue tile = initTile(memrefOf(base), std::vector<int64_t>{i, j, 1, 4});
      loadTile(tile, rs, cs, integerNumber(-1), got.data());
      bool there = i >= 0 && i < 3 && j >= 0 && j < 2;
      EXPECT_EQ(got[0].i, there ? base.at({i, j, 1, 4}).i : -1);
      EXPECT_EQ(got[1].i, -1) << "past the last column";
      EXPECT_EQ(got[2].i, there ? base.at({i, j, 2, 4}).i : -1);
      std::vector<unsigned char> before = base.memory();
      storeTile(tile, rs, cs, got.data());
      EXPECT_EQ(base.memory(), before) << "what is stored is what was there, or dropped";
    }
}

} // namespace
} // namespace xt
