// Effects of kernels (ir/effects.h), on kernels from text.
#include "ir/effects.h"

#include "run_helper.h"

namespace xt {
namespace {

KernelEffects effectsOf(const std::string &body) {
  Program program("kernel @k(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>, %n: index) {\n" +
                  body + "\n}\n");
  return program.module ? kernelEffects(*program.module->kernels[0]) : KernelEffects();
}

TEST(Effects, DirectTiles) {
  KernelEffects e = effectsOf("%ta = init_tile %A[0, 0] : memref<16x16xf32> -> tile<8x8xf32>\n"
                              "%tc = init_tile %C[0, 0] : memref<16x16xf32> -> tile<8x8xf32>\n"
                              "%v = load_tile %ta\nstore_tile %v, %tc");
  EXPECT_EQ(e.reads, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(e.writes, (std::vector<bool>{false, false, true, false}));
}

TEST(Effects, TilesThatLoopsCarryAndSwap) {
  // After the first round the tile of A is that of B: the store may write both.
  KernelEffects e = effectsOf("%t = init_tile %A[0, 0] : memref<16x16xf32> -> tile<8x8xf32>\n"
                              "%u = init_tile %B[0, 0] : memref<16x16xf32> -> tile<8x8xf32>\n"
                              "%z = constant 0.0 : vector<8x8xf32>\n"
                              "for %i = 0 to %n {\n%old = update_tile_offset %t, 0, 8\nstore_tile %z, %t\n%t = "
                              "update_tile_offset %u, 8, 0\n%u = update_tile_offset %old, 0, 0\n}");
  EXPECT_EQ(e.reads, (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(e.writes, (std::vector<bool>{true, true, false, false}));
}

TEST(Effects, TilesThatBranchesChoose) {
  KernelEffects e = effectsOf("%t = init_tile %A[0, 0] : memref<16x16xf32> -> tile<8x8xf32>\n"
                              "if %n < 4 {\n%t = init_tile %C[0, 0] : memref<16x16xf32> -> tile<8x8xf32>\n}\n"
                              "%z = constant 0.0 : vector<8x8xf32>\nstore_tile %z, %t");
  EXPECT_EQ(e.writes, (std::vector<bool>{true, false, true, false}));
}

} // namespace
} // namespace xt
