// Tests the decisions about a nest: those made when its code is emitted (NestRules), and those for the sizes of a launch
// (NestPlan).
#include "ir/elem_kinds.h"
#include "targets/cpu/products/nest_plan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace xt {
namespace {

constexpr int64_t kMiB = 1 << 20;

struct Sizes { // sizes of the product of a workgroup
  int64_t rows, columns, depth;
};

NestProblem problemOf(const char *cpu, Elem elem, Sizes tile) {
  CpuInfo info = *cpuInfo(cpu);
  NestProblem problem;
  problem.style = productStyle(info, elem, elem, tile.rows, tile.columns);
  problem.elem = mmaElem(elem);
  problem.tile = nestTile(info, problem.style, problem.elem, tile.rows, tile.columns);
  problem.rows = tile.rows, problem.columns = tile.columns;
  problem.left.elem = problem.right.elem = elem;
  problem.convertsHalves = info.f16c;
  problem.tuning = info.tuning;
  return problem;
}

// Returns the sizes of matrices without gaps, in bounds, for one thread. `wide`: the number of columns of the whole matrix B.
NestSizes sizesOf(const NestProblem &problem, Sizes sizes, int64_t wide) {
  NestSizes s{};
  s.rows = sizes.rows, s.columns = sizes.columns;
  s.parts = s.divides = s.apart = s.threads = 1;
  s.leftRowHigh = sizes.rows, s.leftColumnHigh = sizes.depth, s.leftColumnStride = problem.left.bytes();
  s.rightRowHigh = sizes.depth, s.rightColumnHigh = sizes.columns, s.rightRowStride = wide * problem.right.bytes();
  return s;
}

NestPlan planOf(const char *cpu, Elem elem, Sizes sizes, int64_t wide = 0) {
  NestProblem problem = problemOf(cpu, elem, sizes);
  return planNest(rulesOf(problem), sizesOf(problem, sizes, wide ? wide : sizes.columns));
}

// Returns the plan for a workgroup at the edge, which computes fewer rows than the others.
NestPlan planAtEdge(const char *cpu, Elem elem, Sizes tile, int64_t rows) {
  NestProblem problem = problemOf(cpu, elem, tile);
  return planNest(rulesOf(problem), sizesOf(problem, {rows, tile.columns, tile.depth}, tile.columns));
}

// --- operand A ---

TEST(NestPlan, RowsOfAInPlace) {
  NestProblem problem = problemOf("x86-64-v4", Elem::F32, {64, 256, 300});
  NestRules rules = rulesOf(problem);
  NestSizes sizes = sizesOf(problem, {64, 256, 300}, 256);
  EXPECT_TRUE(planNest(rules, sizes).leftInPlace);
  NestSizes before = sizes, fewer = sizes;
  before.leftLow = 1, fewer.leftRowHigh = 63;
  EXPECT_FALSE(planNest(rules, before).leftInPlace);
  EXPECT_FALSE(planNest(rules, fewer).leftInPlace);
  problem.left.transposed = true;
  EXPECT_FALSE(rulesOf(problem).leftReady);
  problem.left.transposed = false, problem.left.elem = Elem::F16;
  EXPECT_FALSE(rulesOf(problem).leftReady);
  problem.convertsLeft = true;
  EXPECT_TRUE(rulesOf(problem).leftReady);
}

TEST(NestPlan, WordsOfAAreNeighbours) {
  NestProblem problem = problemOf("znver4", Elem::BF16, {64, 256, 300});
  ASSERT_EQ(problem.style, ProductStyle::DotBf16);
  NestRules rules = rulesOf(problem);
  NestSizes sizes = sizesOf(problem, {64, 256, 300}, 256);
  EXPECT_TRUE(planNest(rules, sizes).leftInPlace);
  NestSizes apart = sizes, odd = sizes, shallow = sizes;
  apart.leftColumnStride = 4;
  odd.leftColumnHigh = odd.rightRowHigh = 299; // the last word would be half out of bounds
  shallow.leftColumnHigh = shallow.rightRowHigh = 30; // a register has 16 words
  EXPECT_FALSE(planNest(rules, apart).leftInPlace);
  EXPECT_FALSE(planNest(rules, odd).leftInPlace);
  EXPECT_FALSE(planNest(rules, shallow).leftInPlace);
}

TEST(NestPlan, AmxTakesHalfTilesOfA) {
  NestProblem problem = problemOf("sapphirerapids", Elem::BF16, {64, 256, 512});
  ASSERT_EQ(problem.style, ProductStyle::TilesBf16);
  NestRules rules = rulesOf(problem);
  for (int64_t rows : {64, 48, 40}) EXPECT_EQ(planNest(rules, sizesOf(problem, {rows, 256, 512}, 256)).leftInPlace, rows != 40);
}

TEST(NestPlan, RowsOfF64ArePackedForManyColumns) {
  EXPECT_TRUE(planOf("x86-64-v3", Elem::F64, {96, 256, 512}).leftInPlace);
  EXPECT_FALSE(planOf("x86-64-v3", Elem::F64, {96, 512, 512}).leftInPlace);
  EXPECT_TRUE(planOf("x86-64-v3", Elem::F64, {4, 512, 512}).leftInPlace);
  EXPECT_TRUE(planOf("x86-64-v3", Elem::F32, {96, 512, 512}).leftInPlace);
}

// --- operand B ---

TEST(NestPlan, FormsOfB) {
  NestProblem problem = problemOf("x86-64-v4", Elem::F32, {64, 256, 256});
  EXPECT_TRUE(rulesOf(problem).mayBeDirect && rulesOf(problem).mayCopyPlain && rulesOf(problem).maySweep);
  problem.right.elem = Elem::F16; // products convert it, if the processor has instructions for this
  EXPECT_TRUE(!rulesOf(problem).mayBeDirect && rulesOf(problem).mayCopy);
  problem.convertsHalves = false;
  EXPECT_TRUE(!rulesOf(problem).mayCopy && rulesOf(problem).maySweep);
  problem.right.elem = Elem::F32, problem.right.unitStride = false;
  EXPECT_FALSE(rulesOf(problem).maySweep);
  problem.right.unitStride = true, problem.right.interleaved = true;
  EXPECT_FALSE(rulesOf(problem).maySweep);
  EXPECT_FALSE(rulesOf(problemOf("sapphirerapids", Elem::F32, {256, 512, 256})).mayBeDirect); // it is multiplied in slices
  EXPECT_TRUE(rulesOf(problemOf("znver5", Elem::F32, {64, 256, 256})).prefersInPlace);
  EXPECT_FALSE(rulesOf(problemOf("znver5", Elem::F32, {64, 32, 256})).prefersInPlace); // the panels are narrow
}

TEST(NestPlan, OneOrTwoRowsSweep) {
  for (const char *cpu : {"x86-64-v3", "x86-64-v4", "znver5"})
    for (int64_t rows = 1; rows < 6; ++rows) {
      EXPECT_EQ(planOf(cpu, Elem::F32, {rows, 4096, 4096}).sweeps, rows <= 2) << cpu;
      EXPECT_EQ(planOf(cpu, Elem::F16, {rows, 4096, 4096}).sweeps, rows <= 2) << cpu; // B has 32 MiB
      EXPECT_EQ(planOf(cpu, Elem::F16, {rows, 8192, 4096}).sweeps, rows <= 4) << cpu; // B has 64 MiB
    }
  EXPECT_TRUE(planOf("x86-64-v4", Elem::F32, {1, 512, 4096}).sweepPrefetches);
  EXPECT_FALSE(planOf("x86-64-v4", Elem::F32, {1, 1024, 4096}).sweepPrefetches); // the hardware prefetches long rows
  EXPECT_FALSE(planOf("x86-64-v4", Elem::F32, {1, 512, 128}).sweepPrefetches);
}

TEST(NestPlan, FewRowsReadBInPlace) {
  auto inPlace = [](const char *cpu, int64_t rows, int64_t wide) {
    return planOf(cpu, Elem::F32, {rows, 256, 64}, wide).rightInPlace != 0;
  };
  EXPECT_TRUE(inPlace("x86-64-v4", 256, 272) && !inPlace("x86-64-v4", 257, 272));
  EXPECT_TRUE(inPlace("x86-64-v4", 24, 257) && !inPlace("x86-64-v4", 25, 257)); // the rows of B do not begin at cache lines
  EXPECT_TRUE(inPlace("znver5", 250, 257));
  EXPECT_TRUE(inPlace("x86-64-v3", 24, 256) && !inPlace("x86-64-v3", 25, 256));
}

// The first tile packs panels that the L2 cache does not hold, or whose rows have set conflicts.
TEST(NestPlan, TheFirstTilePacks) {
  auto inPlace = [](const char *cpu, Sizes sizes, int64_t wide) {
    return planOf(cpu, Elem::F32, sizes, wide).rightInPlace != 0;
  };
  EXPECT_TRUE(inPlace("x86-64-v4", {64, 256, 256}, 272));
  EXPECT_FALSE(inPlace("x86-64-v4", {64, 1024, 1024}, 1040)); // B has 4 MiB
  EXPECT_FALSE(inPlace("x86-64-v4", {64, 256, 128}, 1024)); // rows of B are 4 KiB apart
  EXPECT_TRUE(inPlace("x86-64-v4", {36, 256, 128}, 1024)); // there are too few rows for packing
  EXPECT_TRUE(inPlace("znver5", {64, 1024, 1024}, 1040));
  EXPECT_FALSE(inPlace("znver5", {64, 2048, 2048}, 2048)); // B has 16 MiB in rows of 8 KiB
  EXPECT_TRUE(inPlace("znver5", {64, 4096, 4096}, 4096)); // B is read from memory
}

TEST(NestPlan, RowsAheadOfATileThatPacks) {
  EXPECT_EQ(planOf("x86-64-v4", Elem::F32, {64, 256, 256}, 1024).copyPrefetchRows, 6);
  EXPECT_EQ(planOf("x86-64-v4", Elem::F32, {64, 256, 256}, 1000).copyPrefetchRows, 16);
}

// --- blocks of K ---

TEST(NestPlan, BlocksOfK) {
  auto blocks = [](const char *cpu, Elem elem, Sizes sizes) {
    NestPlan plan = planOf(cpu, elem, sizes);
    return std::pair(plan.blocks, plan.blockDepth);
  };
  using Blocks = std::pair<int64_t, int64_t>;
  EXPECT_EQ(blocks("x86-64-v4", Elem::F32, {300, 256, 1024}), Blocks(1, 1024));
  EXPECT_EQ(blocks("x86-64-v4", Elem::F32, {300, 256, 1025}), Blocks(3, 342)); // each block is a whole number of iterations
  EXPECT_EQ(blocks("znver5", Elem::F32, {300, 256, 1025}), Blocks(2, 514));
  EXPECT_EQ(blocks("x86-64-v3", Elem::F32, {300, 256, 1024}), Blocks(2, 512));
  EXPECT_EQ(blocks("x86-64-v4", Elem::F16, {300, 256, 1024}), Blocks(2, 512)); // the many rows of A are staged
  EXPECT_EQ(blocks("sapphirerapids", Elem::BF16, {256, 256, 1024}), Blocks(2, 256)); // the depth is in words
  EXPECT_EQ(blocks("sapphirerapids", Elem::F32, {256, 512, 256}), Blocks(1, 128));
  EXPECT_EQ(blocks("sapphirerapids", Elem::F32, {256, 512, 257}), Blocks(2, 80));
}

TEST(NestPlan, BlocksOfRowsThatAreReadInPlace) {
  auto depth = [](const char *cpu, Sizes sizes, int64_t wide) { return planOf(cpu, Elem::F32, sizes, wide).blockDepth; };
  EXPECT_EQ(depth("x86-64-v4", {40, 64, 1024}, 64), 1024); // rows of B are 256 bytes apart
  EXPECT_EQ(depth("x86-64-v4", {40, 64, 512}, 512), 256); // rows of B are 2 KiB apart
  EXPECT_EQ(depth("znver5", {64, 1024, 1024}, 1024), 512);
  EXPECT_EQ(depth("znver5", {64, 1000, 1000}, 1000), 1000);
}

TEST(NestPlan, FewRowsOfALargeBTakeShallowBlocks) {
  auto depth = [](const char *cpu, Sizes sizes) { return planOf(cpu, Elem::F32, sizes).blockDepth; };
  EXPECT_EQ(depth("x86-64-v4", {8, 4096, 4096}), 12);
  EXPECT_EQ(depth("x86-64-v4", {8, 1024, 1024}), 32);
  EXPECT_GT(depth("x86-64-v4", {8, 512, 512}), 32);
  EXPECT_GT(depth("znver5", {8, 4096, 4096}), 32);
}

// The buffers of a nest have space for every block, whatever the sizes. Only the last block may be shallower.
TEST(NestPlan, BlocksFitTheirBuffers) {
  std::mt19937 random(3);
  auto any = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)) + 1; };
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "znver5", "sapphirerapids"})
    for (Elem elem : {Elem::F64, Elem::F32, Elem::F16, Elem::BF16, Elem::I8})
      for (int i = 0; i < 500; ++i) {
        Sizes tile{any(600), any(1200), any(5000)};
        NestProblem problem = problemOf(cpu, elem, tile);
        problem.left.transposed = random() % 4 == 0, problem.right.transposed = random() % 4 == 0;
        NestSizes sizes = sizesOf(problem, {any(tile.rows), any(tile.columns), tile.depth}, any(5000));
        sizes.alike = any(40), sizes.columnGroups = any(40), sizes.threads = any(8);
        sizes.leftRowHigh = problem.left.transposed ? tile.depth : sizes.rows;
        sizes.leftColumnHigh = problem.left.transposed ? sizes.rows : tile.depth;
        sizes.rightRowHigh = problem.right.transposed ? sizes.columns : tile.depth;
        sizes.rightColumnHigh = problem.right.transposed ? tile.depth : sizes.columns;
        sizes.apart = random() % 2;
        NestPlan plan = planNest(rulesOf(problem), sizes);
        const int64_t bytes = problem.bytes() * problem.slices();
        std::string what = std::string(cpu) + " " + std::string(elemName(elem));
        ASSERT_GE(plan.blockDepth, 1) << what;
        ASSERT_LE(plan.blockDepth * problem.bytes(), kNestDepthBytes) << what;
        if (!plan.leftInPlace) {
          ASSERT_LE(plan.blockDepth * bytes, nestStagedBytes(tile.rows)) << what;
        }
        ASSERT_GE(plan.blocks * plan.blockDepth, plan.depth) << what;
        ASSERT_GT(plan.depth, (plan.blocks - 1) * plan.blockDepth) << what;
        ASSERT_EQ(plan.turns, plan.fusesEpilogue ? plan.blocks : plan.blocks + 1);
        ASSERT_LE(plan.insidePanels, plan.panelCount);
        ASSERT_GE(plan.insidePanels, 0);
      }
}

// --- rows and columns ---

TEST(NestPlan, PartsDivideTheColumns) {
  NestProblem problem = problemOf("x86-64-v4", Elem::F32, {64, 1000, 64});
  NestRules rules = rulesOf(problem);
  NestSizes sizes = sizesOf(problem, {64, 1000, 64}, 1000);
  sizes.parts = 3;
  int64_t end = 0;
  for (sizes.part = 0; sizes.part < 3; ++sizes.part) {
    NestPlan plan = planNest(rules, sizes);
    EXPECT_EQ(plan.columnBegin, end);
    EXPECT_EQ(plan.columnBegin % 64, 0);
    end = plan.columnEnd;
  }
  EXPECT_EQ(end, 1000);
  sizes.divides = 0; // the first part computes all columns
  for (sizes.part = 0; sizes.part < 3; ++sizes.part) {
    NestPlan plan = planNest(rules, sizes);
    EXPECT_EQ(plan.columnEnd - plan.columnBegin, sizes.part == 0 ? 1000 : 0);
  }
}

TEST(NestPlan, WorkgroupsShareWhatSeveralNeed) {
  auto plan = [](const char *cpu, Elem elem, int64_t alike, int64_t groups, int64_t threads) {
    NestProblem problem = problemOf(cpu, elem, {64, 256, 256});
    NestSizes sizes = sizesOf(problem, {64, 256, 256}, 256);
    sizes.alike = alike, sizes.columnGroups = groups, sizes.threads = threads;
    return planNest(rulesOf(problem), sizes);
  };
  EXPECT_FALSE(plan("x86-64-v4", Elem::F32, 0, 0, 2).shares);
  EXPECT_FALSE(plan("x86-64-v4", Elem::F32, 1, 4, 2).shares);
  EXPECT_TRUE(plan("x86-64-v4", Elem::F32, 8, 4, 2).shares);
  EXPECT_FALSE(plan("x86-64-v4", Elem::F32, 8, 4, 2).ownPanels);
  EXPECT_TRUE(plan("x86-64-v4", Elem::F32, 4, 4, 2).ownPanels);
  EXPECT_FALSE(plan("x86-64-v4", Elem::F32, 2, 1, 2).shares); // there is only one workgroup for each thread
  EXPECT_FALSE(plan("sapphirerapids", Elem::BF16, 2, 4, 2).shares);
  EXPECT_TRUE(plan("sapphirerapids", Elem::BF16, 3, 4, 2).shares);
  EXPECT_TRUE(plan("x86-64-v4", Elem::F32, 8, 4, 1).rightInPlace == 0); // the workgroups that share a panel have 512 rows
}

TEST(NestPlan, FullTilesAndOthers) {
  auto tiles = [](int64_t rows) { return planOf("x86-64-v4", Elem::F32, {rows, 256, 64}).wholeTiles; };
  EXPECT_EQ(tiles(36), 6);
  EXPECT_EQ(tiles(37), 2); // the other rows are five times 5
  EXPECT_EQ(tiles(25), 0);
  EXPECT_EQ(planOf("sapphirerapids", Elem::BF16, {65, 256, 64}).wholeTiles, 3);
  EXPECT_TRUE(planOf("x86-64-v4", Elem::F32, {25, 256, 64}).hasRowsToCopy);
  EXPECT_FALSE(planAtEdge("x86-64-v4", Elem::F32, {256, 256, 64}, 5).hasRowsToCopy);
  EXPECT_TRUE(planAtEdge("x86-64-v4", Elem::F16, {256, 256, 64}, 5).hasRowsToCopy); // the copy converts
}

// The planner computes the number of full tiles from a table (tilesGivenUpByRest) instead of the register tile. Both give the
// same number.
TEST(NestPlan, FullTilesAreThoseOfTheRegisterTile) {
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (int64_t columns : {8, 16, 32, 256})
      for (int64_t rows = 3; rows < 100; ++rows) {
        NestProblem problem = problemOf(cpu, Elem::F32, {rows, columns, 64});
        if (!problem.hasRest()) continue;
        NestPlan plan = planNest(rulesOf(problem), sizesOf(problem, {rows, columns, 64}, columns));
        EXPECT_EQ(plan.wholeTiles * problem.tile.rows, rowsOfWholeTiles(problem.tile, rows)) << cpu << ", " << rows;
      }
}

TEST(NestPlan, PanelsOfColumns) {
  NestPlan plan = planOf("x86-64-v3", Elem::F32, {64, 256, 64}); // panels of 24 columns
  EXPECT_EQ(plan.panelCount, 11);
  EXPECT_FALSE(plan.endsByTwoNarrow);
  plan = planOf("x86-64-v3", Elem::F32, {64, 248, 64}); // 8 columns are left
  EXPECT_EQ(plan.panelCount, 11);
  EXPECT_TRUE(plan.endsByTwoNarrow);
  EXPECT_EQ(plan.insidePanels, 9);
  EXPECT_EQ(planOf("x86-64-v4", Elem::F32, {64, 256, 64}).insidePanels, 4);
}

TEST(NestPlan, PanelsOfAmx) {
  auto plan = [](Elem elem, int64_t depth) { return planOf("sapphirerapids", elem, {256, 256, depth}); };
  EXPECT_TRUE(plan(Elem::BF16, 192).byRows); // 96 words: both panels stay in the cache
  EXPECT_EQ(plan(Elem::BF16, 192).panelsEach, 2);
  EXPECT_FALSE(plan(Elem::BF16, 256).byRows);
  EXPECT_EQ(plan(Elem::BF16, 256).panelsEach, 1);
  EXPECT_EQ(plan(Elem::BF16, 512).panelsEach, 2);
  EXPECT_TRUE(plan(Elem::BF16, 512).keepsRight);
  EXPECT_EQ(plan(Elem::I8, 512).panelsEach, 2);
  EXPECT_EQ(plan(Elem::BF16, 32).resultPrefetchRows, 32);
  EXPECT_EQ(plan(Elem::BF16, 64).resultPrefetchRows, 16);
  EXPECT_EQ(plan(Elem::BF16, 96).resultPrefetchRows, 2);
}

// --- prefetches ---

TEST(NestPlan, FewTilesPrefetchTheNextPanel) {
  auto plan = [](const char *cpu, Sizes sizes) { return planOf(cpu, Elem::F32, sizes); };
  EXPECT_EQ(plan("x86-64-v4", {64, 2048, 2048}).sourceTiles, 8); // four lines, two steps per iteration
  EXPECT_EQ(plan("x86-64-v4", {64, 256, 256}).sourceTiles, 0);
  EXPECT_EQ(plan("x86-64-v4", {256, 2048, 2048}).sourceTiles, 0);
  EXPECT_EQ(plan("x86-64-v4", {64, 1000, 1000}).lastSourceTiles, 8);
  EXPECT_EQ(plan("znver5", {64, 1000, 1000}).lastSourceTiles, 0);
  EXPECT_EQ(plan("znver5", {64, 4096, 4096}).lastSourceTiles, 8);
  EXPECT_TRUE(planAtEdge("x86-64-v4", Elem::F32, {256, 4096, 4096}, 4).prefetchesNextBlock);
  EXPECT_FALSE(planAtEdge("x86-64-v4", Elem::F32, {256, 1024, 1024}, 4).prefetchesNextBlock);
  EXPECT_FALSE(planAtEdge("znver5", Elem::F32, {256, 4096, 4096}, 4).prefetchesNextBlock);
  EXPECT_TRUE(plan("x86-64-v4", {64, 256, 127}).prefetchesResult);
  EXPECT_FALSE(plan("x86-64-v4", {64, 256, 128}).prefetchesResult);
}

// With smaller caches, the thresholds are lower.
TEST(NestPlan, ThresholdsFollowTheCaches) {
  NestProblem problem = problemOf("x86-64-v4", Elem::F32, {8, 1024, 512});
  NestSizes sizes = sizesOf(problem, {8, 1024, 512}, 1024); // B has 2 MiB
  EXPECT_GT(planNest(rulesOf(problem), sizes).blockDepth, 32);
  problem.tuning.l3Bytes = 8 * kMiB;
  EXPECT_LE(planNest(rulesOf(problem), sizes).blockDepth, 32);
}

// The product of two such sizes would wrap around to 0.
TEST(NestPlan, HugeSizesDoNotWrap) {
  constexpr int64_t kDeep = int64_t{1} << 57, kPage = 4096;
  NestProblem problem = problemOf("x86-64-v4", Elem::F32, {64, 256, 256});
  const NestRules rules = rulesOf(problem);
  NestSizes deep = sizesOf(problem, {64, 256, kDeep}, 256);
  deep.rightRowStride = kPage;
  EXPECT_GT(planNest(rules, deep).sourceTiles, 0); // B is larger than the L2 cache
  deep.rightRowStride = -kPage; // the rows of B are before the first one in memory
  EXPECT_TRUE(planNest(rules, deep).rightInPlace); // a panel does not fit into the L1 cache, so none is copied
  NestSizes many = sizesOf(problem, {64, 256, 256}, 272);
  EXPECT_TRUE(planNest(rules, many).rightInPlace);
  many.alike = int64_t{1} << 60, many.columnGroups = 1, many.threads = 4;
  EXPECT_FALSE(planNest(rules, many).rightInPlace); // one packed panel serves many rows
}

// --- the call ---

TEST(NestPlan, TheSameSizesArePlannedOnce) {
  NestProblem problem = problemOf("x86-64-v4", Elem::F32, {64, 256, 64});
  NestRules rules = rulesOf(problem);
  NestCall call{};
  call.sizes = sizesOf(problem, {64, 256, 64}, 256);
  call.sizes.rules = static_cast<int64_t>(reinterpret_cast<uintptr_t>(&rules));
  xt_plan_nest(&call);
  EXPECT_EQ(call.plan.depth, 64);
  call.plan.depth = -1;
  xt_plan_nest(&call);
  EXPECT_EQ(call.plan.depth, -1);
  call.sizes.leftColumnHigh = call.sizes.rightRowHigh = 32;
  xt_plan_nest(&call);
  EXPECT_EQ(call.plan.depth, 32);
}

} // namespace
} // namespace xt
