// Compares nests with the loops that they replace: every type, memory order, edge, block of K, epilogue and overlap.
#include "tests/targets/cpu/products/nest_product.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

TEST(CpuNest, EveryInputType) {
  for (Elem input : {Elem::F64, Elem::F32, Elem::TF32, Elem::F16, Elem::BF16, Elem::F8E4M3, Elem::F8E5M2, Elem::I8, Elem::U8}) {
    SCOPED_TRACE(elemName(input));
    expectAsLoop({.input = input, .sizes = {70, 101, 53}, .tile = {32, 48, 16}}, processors());
  }
}

TEST(CpuNest, BytesOfBothSigns) {
  expectAsLoop({.input = Elem::U8, .sizes = {70, 101, 53}, .tile = {32, 48, 16}, .other = Elem::I8}, processors());
  expectAsLoop({.input = Elem::I8, .sizes = {70, 101, 53}, .tile = {32, 48, 16}, .other = Elem::U8}, {processors()[0]});
}

TEST(CpuNest, TileShapes) {
  for (GemmShape tile : std::vector<GemmShape>{
           {1, 1, 1}, {1, 200, 7}, {7, 1, 3}, {13, 17, 5}, {6, 64, 32}, {5, 33, 40}, {64, 80, 8}, {12, 96, 4}}) {
    SCOPED_TRACE(str(tile.rows, "x", tile.columns, "x", tile.depth));
    expectAsLoop({.sizes = {2 * tile.rows + 1, tile.columns + 5, 2 * tile.depth + 1}, .tile = tile}, processors());
  }
}

TEST(CpuNest, EveryOrderInMemory) {
  for (Elem input : {Elem::F32, Elem::F16, Elem::F64})
    for (int bits = 0; bits < 16; ++bits) {
      SCOPED_TRACE(str(elemName(input), " ", bits));
      expectAsLoop({.input = input,
                    .sizes = {37, 75, 43},
                    .tile = {32, 64, 16},
                    .transposeA = (bits & 1) != 0,
                    .transposeB = (bits & 2) != 0,
                    .columnsA = (bits & 4) != 0,
                    .columnsB = (bits & 8) != 0},
                   {processors()[0]});
    }
}

TEST(CpuNest, BlocksOfK) {
  for (int64_t depth : {511, 512, 513, 1023, 1025, 2100})
    for (bool adds : {false, true}) expectAsLoop({.sizes = {9, 70, depth}, .tile = {16, 64, 64}, .adds = adds}, processors());
  expectAsLoop({.input = Elem::F64, .sizes = {9, 40, 600}, .tile = {16, 64, 64}}, {processors()[0]});
}

// A smaller tile computes the last rows, and the rows of a few full tiles if that is less work. A loop iteration multiplies two
// or four steps of K.
TEST(CpuNest, LastRowsAndSteps) {
  for (int64_t columns : {16, 40, 64}) // the number of rows of a tile depends on the columns
    for (int64_t rows = 3; rows <= 25; ++rows) {
      SCOPED_TRACE(str(rows, " ", columns));
      expectAsLoop({.sizes = {rows, columns, 1 + rows % 5}, .tile = {32, columns, 16}, .adds = rows % 2 == 0}, processors());
    }
  for (int64_t depth : {1, 2, 3, 601})
    for (bool fused : {false, true})
      expectAsLoop({.sizes = {17, 70, depth}, .tile = {32, 64, 16}, .fused = fused}, processors());
  for (Elem elem : {Elem::F64, Elem::F16})
    expectAsLoop({.input = elem, .sizes = {11, 70, 33}, .tile = {32, 64, 16}}, processors());
}

// With AVX2, panels have three registers of columns, one or two narrow panels of two registers take the remaining columns, and
// iterations have four steps.
TEST(CpuNest, ColumnsBehindPanelsOfThree) {
  for (int64_t columns = 1; columns <= 81; columns += columns % 8 == 1 ? 7 : 1) {
    SCOPED_TRACE(columns);
    expectAsLoop({.sizes = {9 + columns % 4, columns, 1 + columns % 7},
                  .tile = {32, 128, 16},
                  .adds = columns % 3 == 1,
                  .fused = columns % 3 == 0},
                 processors());
  }
  for (int64_t depth : {513, 1027, 1030})
    for (int threads : {1, 2, 5})
      expectAsLoop({.sizes = {37, 128, depth}, .tile = {64, 128, 16}, .adds = threads == 2}, processors(), threads);
  for (int64_t columns : {9, 13, 25, 29})
    expectAsLoop({.input = Elem::F64, .sizes = {11, columns, 33}, .tile = {32, 64, 16}}, processors());
  for (int64_t columns : {511, 512, 530}) // f64 is packed
    expectAsLoop({.input = Elem::F64, .sizes = {29, columns, 530}, .tile = {32, 1024, 16}, .adds = columns == 511},
                 processors(), 2);
  for (int64_t rows : {2, 4, 5})
    expectAsLoop({.input = Elem::F64, .sizes = {rows, 514, 530}, .tile = {8, 1024, 16}}, processors());
  for (int64_t columns : {101, 130}) // the columns are divided into several parts
    for (Elem elem : {Elem::F32, Elem::F64})
      expectAsLoop({.input = elem, .sizes = {61, columns, 600}, .tile = {64, 256, 16}, .fused = elem == Elem::F32},
                   processors(), 5);
  for (bool transposed : {false, true}) // narrow tiles need at least three rows
    for (int64_t rows : {2, 3})
      expectAsLoop({.sizes = {rows, 101, 19}, .tile = {rows, 104, 8}, .transposeB = transposed}, processors(), 5);
  for (int64_t rows = 1; rows <= 5; ++rows)
    expectAsLoop({.sizes = {rows, 40, 9}, .tile = {32, 40, 16}, .transposeB = true}, processors());
  for (int64_t columns = 24; columns <= 41; ++columns)
    expectAsLoop({.sizes = {20, columns, 1100}, .tile = {32, 128, 16}}, processors());
}

// A panel of few columns is multiplied by narrower tiles (of two or three instead of four registers), for the last rows too.
TEST(CpuNest, FewColumns) {
  for (int64_t columns : {1, 16, 31, 32, 33, 48, 49, 64 + 1, 64 + 32, 64 + 33, 64 + 48})
    for (int64_t rows : {3, 6, 7, 11, 25}) {
      SCOPED_TRACE(str(rows, " ", columns));
      expectAsLoop({.sizes = {rows, columns, 4 + rows % 2}, .tile = {32, 128, 16}, .adds = rows == 7}, processors());
    }
  for (int64_t depth : {1, 2, 601, 1100, 1101})
    for (int64_t columns : {96, 110})
      for (bool fused : {false, true})
        expectAsLoop({.sizes = {17, columns, depth}, .tile = {32, 128, 16}, .fused = fused}, processors());
  for (int threads : {1, 3}) {
    expectAsLoop({.sizes = {100, 90, 1040}, .tile = {32, 64, 16}}, processors(), threads);
    expectAsLoop({.sizes = {100, 110, 1040}, .tile = {32, 128, 16}}, processors(), threads);
  }
  for (Elem elem : {Elem::F64, Elem::F16})
    for (int64_t columns : {15, 16, 20, 24, 48})
      expectAsLoop({.input = elem, .sizes = {11, columns, 33}, .tile = {32, 128, 16}}, processors());
}

// With few columns, f16 elements of A are read in place, or copied unchanged if some elements are out of bounds. Transposed
// elements are converted first.
TEST(CpuNest, ElementsThatAreConvertedAsTheyAreMultiplied) {
  for (int64_t columns : {20, 40, 100, 130})
    for (int64_t rows : {1, 2, 5, 13, 37})
      for (int threads : {1, 2}) {
        SCOPED_TRACE(str(columns, " ", rows, " ", threads));
        NestProduct p{.input = Elem::F16,
                      .sizes = {rows, columns, 30 + rows},
                      .tile = {32, 128, 16},
                      .adds = rows == 5,
                      .fused = rows == 13};
        p.columnsA = columns == 40;
        expectAsLoop(p, processorsOfAllFacts(), threads);
        p.fewerRows = 1;
        expectAsLoop(p, processorsOfAllFacts(), threads);
      }
  for (int64_t depth : {1, 600, 1100, 2100})
    for (int64_t shift : {0, -3})
      expectAsLoop({.input = Elem::F16, .sizes = {23, 70, depth}, .tile = {32, 64, 16}, .shift = shift},
                   processorsOfAllFacts());
  for (bool transposed : {false, true})
    expectAsLoop(
        {.input = Elem::F16, .sizes = {23, 70, 50}, .tile = {32, 64, 16}, .transposeA = transposed, .transposeB = true},
        processorsOfAllFacts());
}

// A workgroup without any row in bounds may come first and pack the panels that others share.
TEST(CpuNest, AWorkgroupThatIsOutside) {
  for (Elem elem : {Elem::F32, Elem::F16})
    for (int threads : {1, 2}) {
      SCOPED_TRACE(str(elemName(elem), " ", threads));
      expectAsLoop({.input = elem, .sizes = {600, 130, 40}, .tile = {32, 64, 16}, .beginsFar = true}, processorsOfAllFacts(),
                   threads);
    }
}

TEST(CpuNest, NothingToAddUp) {
  for (bool adds : {false, true}) expectAsLoop({.sizes = {20, 20, 0}, .tile = {16, 16, 16}, .adds = adds}, {processors()[0]});
}

TEST(CpuNest, TilesThatBeginOutside) {
  for (bool transposed : {false, true})
    for (Elem input : {Elem::F32, Elem::F16})
      expectAsLoop({.input = input,
                    .sizes = {40, 70, 50},
                    .tile = {32, 64, 16},
                    .transposeA = transposed,
                    .transposeB = transposed,
                    .shift = -5},
                   processors());
  // More than a few registers of each row of A are in bounds, and B has elements where A has none.
  for (Elem input : {Elem::F16, Elem::BF16, Elem::I8, Elem::U8})
    for (int64_t shift : {-5, -4, 1, 2, 3})
      for (int64_t depth : {255, 256, 350}) {
        SCOPED_TRACE(str(elemName(input), " ", shift, " ", depth));
        expectAsLoop({.input = input, .sizes = {40, 70, depth}, .tile = {32, 64, 16}, .shiftOfA = shift},
                     processorsOfAllFacts());
      }
  expectAsLoop({.sizes = {40, 70, 50}, .tile = {32, 64, 16}, .fewerRows = 11}, processors());
}

TEST(CpuNest, WhatFollowsIsFused) {
  for (Elem input : {Elem::F32, Elem::TF32}) {
    expectAsLoop({.input = input, .sizes = {70, 101, 53}, .tile = {32, 48, 16}, .fused = true}, processors());
    expectAsLoop({.input = input, .sizes = {70, 101, 600}, .tile = {64, 64, 16}, .fused = true}, {processors()[0]}, 3);
  }
}

// C overwrites A or B: results that are stored first must not be read as operands afterwards.
TEST(CpuNest, ResultInPlaceOfAnOperand) {
  for (auto [same, size] : {std::pair<size_t, int64_t>{0, 64}, {1, 64}, {0, 81}, {1, 81}}) {
    KernelMaker loop, nest;
    NestProduct p{.sizes = {size, size, size}, .tile = {96, 96, 16}};
    make(loop, p);
    make(nest, p);
    ASSERT_EQ(formIn(nest), 1u);
    auto result = [&](const Module &module, const Kernel &kernel) {
      Array a(Elem::F32, {size, size}), b(Elem::F32, {size, size});
      fill(a, 1);
      fill(b, 2);
      Diagnostics diagnostics;
      auto executable = compileForCpu(module, processors()[0], {}, diagnostics);
      EXPECT_TRUE(executable.ok());
      EXPECT_TRUE(
          (*executable)->launch(kernel, {a.arg(), b.arg(), same == 0 ? a.arg() : b.arg()}, {{0, 96, 1}, {0, 96, 1}}).ok());
      return (same == 0 ? a : b).bytes();
    };
    EXPECT_EQ(result(loop.module, *loop.kernel), result(nest.module, *nest.kernel));
  }
}

// C never holds anything but complete sums, so its rows may be the same memory.
TEST(CpuNest, RowsOfTheResultThatAreTheSame) {
  constexpr int64_t kRows = 13, kColumns = 64;
  for (int64_t depth : {32, 33, 1}) {
    KernelMaker loop, nest;
    NestProduct p{.sizes = {kRows, kColumns, depth}, .tile = {16, kColumns, 16}};
    make(loop, p);
    make(nest, p);
    ASSERT_EQ(formIn(nest), 1u);
    auto result = [&](const Module &module, const Kernel &kernel) {
      Array a(Elem::F32, {kRows, depth}), b(Elem::F32, {depth, kColumns}), c(Elem::F32, {1, kColumns});
      fill(a, 1);
      fill(b, 2);
      LaunchArg rows = c.arg();
      rows.buffer.sizes = {kRows, kColumns};
      rows.buffer.strides = {0, 1};
      Diagnostics diagnostics;
      auto executable = compileForCpu(module, processors()[0], {}, diagnostics);
      EXPECT_TRUE(executable.ok());
      EXPECT_TRUE((*executable)->launch(kernel, {a.arg(), b.arg(), rows}, {{0, 16, 1}, {0, kColumns, 1}}).ok());
      return c.bytes();
    };
    EXPECT_EQ(result(loop.module, *loop.kernel), result(nest.module, *nest.kernel)) << depth;
  }
}

// The launch passes the sizes and strides of A. Its rows are read in place, or copied if A has fewer rows than the tile.
TEST(CpuNest, AWhoseStridesTheLaunchSays) {
  for (const char *elem : {"f16", "f32"}) {
    const std::string e(elem);
    TextKernel text("kernel @k(%A: memref<?x?x" + e + ">, %B: memref<?x?x" + e +
                    ">, %C: memref<?x?xf32>, %m: index, %k: index, %s0: index, %s1: index) {\n"
                    "  %ta = init_tile %A[0, 0], [%m, %k], [%s0, %s1] : memref<?x?x" +
                    e + "> -> tile<24x32x" + e + ">\n  %tb = init_tile %B[0, 0] -> tile<32x64x" + e +
                    ">\n"
                    "  %acc = constant 0.0 : vector<24x64xf32>\n  for %n = 0 to %k step 32 {\n    %a = load_tile %ta\n    %b = "
                    "load_tile %tb\n"
                    "    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, 0, 32\n    %tb = update_tile_offset "
                    "%tb, 32, 0\n  }\n"
                    "  %tc = init_tile %C[0, 0] -> tile<24x64xf32>\n  store_tile %acc, %tc\n}\n");
    for (int64_t rows : {24, 20}) {
      SCOPED_TRACE(str(elem, " ", rows));
      const Elem of = e == "f16" ? Elem::F16 : Elem::F32;
      Array a(of, {24, 100}), b(of, {100, 64}), c(Elem::F32, {24, 64});
      fill(a, 1), fill(b, 2), fill(c, 3);
      auto number = [](int64_t value) { return LaunchArray{nullptr, intArg(value)}; };
      expectAsInterpreter(text.module(), text.kernel(),
                          {{&a, {}}, {&b, {}}, {&c, {}}, number(rows), number(99), number(100), number(1)}, {},
                          processorsOfAllFacts());
    }
  }
}

} // namespace
} // namespace xt
