// Tests the effects of kernels (ir/effects.h), on kernels from text.
#include "ir/effects.h"

#include "run_helper.h"

namespace xt {
namespace {

KernelEffects effectsOf(const std::string &body) {
  TestedProgram program("kernel @k(%A: memref<16x16xf32>, %B: memref<16x16xf32>, %C: memref<16x16xf32>, %n: index) {\n" + body +
                        "\n}\n");
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
  // After the first iteration, %t is the tile of B, so the store may write to either buffer.
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

KernelEffects effectsOfText(const std::string &text) {
  TestedProgram program(text);
  return program.module ? kernelEffects(*program.module->kernels[0]) : KernelEffects();
}

TEST(Effects, ScattersScalarsAndAtomics) {
  KernelEffects e = effectsOfText("kernel @k(%A: memref<?xi32>, %B: memref<?xi32>, %C: memref<?xi32>, %D: memref<?xi32>) {\n"
                                  "  %i = iota [1] : vector<1x8xindex>\n  %m = create_mask 1, 4 : vector<1x8xi1>\n"
                                  "  %a = init_tile %A, %i -> tile<1x8xi32, #scatter>\n"
                                  "  %b = init_tile %B, %i -> tile<1x8xi32, #scatter>\n"
                                  "  %c = init_tile %C, %i -> tile<1x8xi32, #scatter>\n"
                                  "  %v = load_gather %a, %m\n  store_scatter %v, %m, %b\n"
                                  "  %old = atomic_rmw <addi> %v, %c\n"
                                  "  %x = memref.load %A[0]\n  memref.store %x, %D[0]\n}\n");
  EXPECT_EQ(e.reads, (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(e.writes, (std::vector<bool>{false, true, true, true}));
}

TEST(Effects, AddressesAreFollowedThroughArithmetic) {
  KernelEffects e = effectsOfText("kernel @k(%p: i64, %q: i64, %A: memref<?x?xf32>, %n: index) {\n"
                                  "  %i = index_cast %p : i64 to index\n  %j = %i + 64\n  %a = index_cast %j : index to i64\n"
                                  "  %t = init_tile %a[0, 0], [2, 2], [2, 1] : i64 -> tile<2x2xf32>\n"
                                  "  %k = index_cast %q : i64 to index\n  %u = init_tile %A[%k, %n] -> tile<2x2xf32>\n"
                                  "  %v = load_tile %u\n  store_tile %v, %t\n}\n");
  EXPECT_EQ(e.writes, (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(e.reads, (std::vector<bool>{false, false, true, false})) << "an offset is no base";
}

} // namespace
} // namespace xt
