#include "ir/elem_kinds.h"
#include "targets/cpu/products/register_tile.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace xt {
namespace {

int64_t mostSteps(const char *cpu, Elem elem, int64_t columns) {
  int64_t bytes = elemInfo(elem).storageBytes;
  return mostBlockBytes(registerTile(*cpuInfo(cpu), elem, 256, columns), bytes, cpuInfo(cpu)->tuning) / bytes;
}

std::pair<int, int> tileOf(const char *cpu, Elem elem, int64_t rows, int64_t columns) {
  CpuInfo info = *cpuInfo(cpu);
  RegisterTile tile = nestTile(info, productStyle(info, elem, elem, rows, columns), mmaElem(elem), rows, columns);
  return {tile.rows, tile.vectors};
}

// With sixteen registers, sums of floats are computed in tiles of three registers of columns, except if the columns fill
// exactly four registers, or fewer than three.
TEST(RegisterTile, OfANest) {
  using Size = std::pair<int, int>;
  for (Elem elem : {Elem::F32, Elem::F16, Elem::BF16}) {
    EXPECT_EQ(tileOf("x86-64-v3", elem, 256, 256), Size(4, 3));
    EXPECT_EQ(tileOf("x86-64-v3", elem, 2, 24), Size(2, 3));
    EXPECT_EQ(tileOf("x86-64-v3", elem, 256, 8), Size(12, 1));
    for (int64_t columns : {16, 32}) EXPECT_EQ(tileOf("x86-64-v3", elem, 256, columns), Size(6, 2));
    EXPECT_EQ(tileOf("x86-64-v3", elem, 256, 40), Size(4, 3));
  }
  EXPECT_EQ(tileOf("x86-64-v3", Elem::F64, 256, 128), Size(4, 3));
  EXPECT_EQ(tileOf("x86-64-v3", Elem::I8, 256, 256), Size(6, 2));
  EXPECT_EQ(tileOf("x86-64-v2", Elem::F32, 256, 256), Size(4, 2));
  EXPECT_EQ(tileOf("x86-64-v4", Elem::F32, 256, 256), Size(6, 4));
}

// With AVX2 the narrow tile has more rows than the others, but no more than there are.
TEST(RegisterTile, WhatTakesTheLastColumns) {
  auto rowsOf = [](const char *cpu, int64_t rows) {
    RegisterTile narrow = narrowTile(nestTile(*cpuInfo(cpu), ProductStyle::Elements, Elem::F32, rows, 256));
    EXPECT_EQ(narrow.vectors, 2) << cpu;
    return narrow.rows;
  };
  EXPECT_EQ(rowsOf("x86-64-v3", 256), 6);
  EXPECT_EQ(rowsOf("x86-64-v3", 5), 5);
  EXPECT_EQ(rowsOf("x86-64-v3", 3), 3);
  EXPECT_EQ(rowsOf("x86-64-v4", 256), 6);
  auto tile = [](const char *cpu) { return nestTile(*cpuInfo(cpu), ProductStyle::Elements, Elem::F32, 256, 256); };
  EXPECT_FALSE(hasMiddleTile(tile("x86-64-v3")));
  ASSERT_TRUE(hasMiddleTile(tile("x86-64-v4")));
  RegisterTile middle = middleTile(tile("x86-64-v4"));
  EXPECT_EQ(std::pair(middle.rows, middle.vectors), std::pair(6, 3));
  EXPECT_EQ(middle.steps, 1);
}

// The tile of the last rows has one row fewer than full tiles if there are many rows, and two thirds of the rows if there are
// few or if the tile is narrower.
TEST(RegisterTile, WhatTakesTheLastRows) {
  auto rowsOf = [](const char *cpu, int64_t rows, int64_t columns) {
    return lastRowsTile(registerTile(*cpuInfo(cpu), Elem::F32, rows, columns)).rows;
  };
  EXPECT_EQ(rowsOf("x86-64-v4", 256, 256), 5);
  EXPECT_EQ(rowsOf("x86-64-v4", 13, 64), 5);
  for (int64_t rows : {8, 12}) EXPECT_EQ(rowsOf("x86-64-v4", rows, 256), 4);
  EXPECT_EQ(rowsOf("x86-64-v4", 256, 32), 8);
  EXPECT_EQ(rowsOf("x86-64-v3", 256, 256), 4);
}

// No other number of full tiles needs less work.
TEST(RegisterTile, RowsOfWholeTiles) {
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (int64_t columns : {8, 16, 32, 256})
      for (int64_t rows = 1; rows < 100; ++rows) {
        RegisterTile tile = nestTile(*cpuInfo(cpu), ProductStyle::Elements, Elem::F32, rows, columns);
        const int64_t few = lastRowsTile(tile).rows;
        auto computed = [&](int64_t ofWhole) { return ofWhole + (rows - ofWhole + few - 1) / few * few; };
        int64_t least = computed(0);
        for (int64_t whole = 0; whole <= rows; whole += tile.rows) least = std::min(least, computed(whole));
        EXPECT_EQ(computed(rowsOfWholeTiles(tile, rows)), least) << cpu << ", " << rows << "x" << columns;
      }
  RegisterTile tile = registerTile(*cpuInfo("x86-64-v4"), Elem::F32, 256, 256);
  EXPECT_EQ(rowsOfWholeTiles(tile, 37), 12); // the other rows are five times 5
}

// The table has the number for each remainder, and each number fits its bits.
TEST(RegisterTile, TableOfTilesGivenUp) {
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (int64_t columns : {8, 16, 32, 256}) {
      RegisterTile tile = nestTile(*cpuInfo(cpu), ProductStyle::Elements, Elem::F32, 256, columns);
      const int64_t table = tilesGivenUpByRest(tile);
      EXPECT_EQ(table >> (kGivenUpBits * tile.rows), 0) << cpu;
      for (int64_t rows = 0; rows < 60; ++rows) {
        const int64_t given = tilesGivenUp(tile, rows % tile.rows);
        EXPECT_LT(given, 1 << kGivenUpBits) << cpu;
        EXPECT_EQ(wholeTilesOf(rows, tile.rows, table), std::max<int64_t>(rows / tile.rows - given, 0)) << cpu << ", " << rows;
      }
    }
}

// The depth must be a whole number of iterations, because otherwise the last block would be empty.
TEST(RegisterTile, TheDeepestBlockIsOfWholeTurns) {
  for (const char *cpu : {"x86-64-v3", "x86-64-v4"})
    for (Elem elem : {Elem::F32, Elem::F64}) {
      CpuInfo info = *cpuInfo(cpu);
      RegisterTile tile = nestTile(info, ProductStyle::Elements, elem, 256, 256);
      EXPECT_EQ(mostBlockBytes(tile, elemInfo(elem).storageBytes, info.tuning) / elemInfo(elem).storageBytes % tile.steps, 0)
          << cpu;
    }
}

// A block of a panel that is one cache line wide has no more steps than the L1 cache has lines.
TEST(RegisterTile, StepsOfABlock) {
  EXPECT_EQ(mostSteps("x86-64-v3", Elem::F32, 256), 512);
  EXPECT_EQ(mostSteps("x86-64-v3", Elem::F64, 256), 512);
  EXPECT_EQ(mostSteps("x86-64-v3", Elem::F32, 8), 1024);
  EXPECT_EQ(mostSteps("x86-64-v4", Elem::F32, 256), 1024);
  EXPECT_EQ(mostSteps("x86-64-v4", Elem::F64, 256), 512);
  EXPECT_EQ(mostSteps("x86-64-v4", Elem::F32, 16), 512);
}

} // namespace
} // namespace xt
