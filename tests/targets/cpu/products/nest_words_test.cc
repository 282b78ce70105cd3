// Tests nests that multiply bf16 and bytes with special instructions: the results must be the same on each kind of processor.
#include "ir/elem_kinds.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/text_kernel.h"
#include "tests/targets/cpu/word_products.h"

#include <sys/mman.h>
#include <unistd.h>

namespace xt {
namespace {

TEST(CpuNestWords, BytesWithAndWithoutSign) {
  for (Elem a : {Elem::I8, Elem::U8})
    for (Elem b : {Elem::I8, Elem::U8})
      for (bool adds : {false, true}) {
        SCOPED_TRACE(str(elemName(a), " ", elemName(b)));
        expectRight({.a = a, .b = b, .sizes = {70, 101, 333}, .tile = {64, 128, 32}, .adds = adds});
      }
}

TEST(CpuNestWords, EveryOrderInMemory) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (int bits = 0; bits < 4; ++bits) {
      SCOPED_TRACE(str(elemName(elem), " ", bits));
      expectRight({.a = elem,
                   .b = elem,
                   .sizes = {45, 75, 143},
                   .tile = {32, 64, 16},
                   .transposeA = (bits & 1) != 0,
                   .transposeB = (bits & 2) != 0});
    }
}

// Whole tiles are read in place; others are staged.
TEST(CpuNestWords, WholeTilesAndEdges) {
  for (Elem elem : {Elem::BF16, Elem::U8})
    for (int64_t depth : {1, 63, 64, 1100})
      for (int64_t rows : {32, 33, 64}) {
        SCOPED_TRACE(str(elemName(elem), " ", rows, " ", depth));
        expectRight({.a = elem, .b = elem, .sizes = {rows, 64, depth}, .tile = {64, 64, 64}, .adds = depth == 1100});
      }
  expectRight({.a = Elem::BF16, .b = Elem::BF16, .sizes = {200, 200, 320}, .tile = {64, 64, 32}}, 1, 1, runnable(), 3);
}

// AMX uses half a tile for the last 16 rows or fewer. Products of subnormal numbers, which AMX would treat as 0, are computed
// by conversion, also if the operand is read in place.
TEST(CpuNestWords, LastRows) {
  for (Elem elem : {Elem::BF16, Elem::U8})
    for (int64_t rows : {3, 16, 17, 40, 48, 49})
      for (int64_t depth : {64, 63})
        for (double scale : {1.0, 0x1p-130}) {
          SCOPED_TRACE(str(elemName(elem), " ", rows, " ", depth, " ", scale));
          expectRight({.a = elem, .b = elem, .sizes = {rows, 70, depth}, .tile = {64, 64, 64}, .adds = depth == 63}, scale, 1);
        }
}

// AMX packs one or two panels of 32 columns of B, and multiplies each tile of rows by one panel or by both. Rows of A are kept
// in the cache or not. 400 words of bf16 make blocks of 208 and 192, which are multiplied by two panels and by one.
TEST(CpuNestWords, OnePanelOrTwo) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (int64_t words : {48, 150, 250, 400})
      for (int64_t columns : {20, 33, 48, 64, 70}) {
        int64_t depth = words * (elem == Elem::BF16 ? 2 : 4) - 3;
        SCOPED_TRACE(str(elemName(elem), " ", columns, " ", depth));
        bool transposed = columns == 33;
        expectRight({.a = elem,
                     .b = elem,
                     .sizes = {45, columns, depth},
                     .tile = {64, 128, 32},
                     .transposeB = transposed,
                     .adds = columns >= 64});
        if (columns > 64)
          expectRight({.a = elem, .b = elem, .sizes = {40, columns, depth + 3}, .tile = {32, 128, 32}}, 1, 1, runnable(), 3);
      }
}

// Parts of a workgroup have one panel, or an odd number of panels.
TEST(CpuNestWords, PartsOfPanels) {
  for (Elem elem : {Elem::BF16, Elem::U8})
    for (int64_t columns : {96, 160})
      for (int threads : {2, 3}) {
        SCOPED_TRACE(str(elemName(elem), " ", columns, " ", threads));
        expectRight({.a = elem, .b = elem, .sizes = {24, columns, 130}, .tile = {64, 256, 32}}, 1, 1, runnable(), threads);
      }
}

// B begins out of bounds, or ends far before the end of K.
TEST(CpuNestWords, RowsOfBThatAreOutside) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (int64_t first : {-70, -3, 40, 500}) {
      SCOPED_TRACE(str(elemName(elem), " ", first));
      const bool bytes = elem == Elem::I8;
      std::string name(elemName(elem)), sum = bytes ? "i32" : "f32";
      TextKernel text("kernel @k(%A: memref<?x?x" + name + ">, %B: memref<?x?x" + name + ">, %C: memref<?x?x" + sum +
                      ">) {\n  %ta = init_tile %A[0, 0] -> tile<40x32x" + name + ">\n  %tb = init_tile %B[" +
                      std::to_string(first) + ", 0] -> tile<32x64x" + name + ">\n  %acc = constant " + (bytes ? "0" : "0.0") +
                      " : vector<40x64x" + sum +
                      ">\n  for %k = 0 to dim(%A, 1) step 32 {\n    %a = load_tile %ta\n    %b = load_tile %tb\n    %acc = "
                      "tile_mma %a, %b, %acc\n"
                      "    %ta = update_tile_offset %ta, 0, 32\n    %tb = update_tile_offset %tb, 32, 0\n  }\n  %tc = "
                      "init_tile %C[0, 0] -> tile<40x64x" +
                      sum + ">\n  store_tile %acc, %tc\n}\n");
      Array a(elem, {40, 333}), b(elem, {90, 64}), c(bytes ? Elem::I32 : Elem::F32, {40, 64});
      fill(a, 1, 1), fill(b, 2, 1), fill(c, 3, 1);
      expectAsInterpreter(text.module(), text.kernel(), {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
    }
}

// A column of B in the second panel is subnormal.
TEST(CpuNestWords, AColumnOfTheSecondPanelThatIsNotNormal) {
  for (int64_t depth : {60, 300, 500})
    for (bool transposed : {false, true}) {
      SCOPED_TRACE(str(depth, " ", transposed));
      KernelMaker m;
      make(m, {.a = Elem::BF16, .b = Elem::BF16, .sizes = {}, .tile = {32, 64, 32}, .transposeB = transposed});
      Array a(Elem::BF16, {32, depth}),
          b(Elem::BF16, transposed ? std::vector<int64_t>{64, depth} : std::vector<int64_t>{depth, 64}), c(Elem::F32, {32, 64});
      fill(a, 1, 0x1p20), fill(c, 2, 1);
      b.forEach([&](const std::vector<int64_t> &index) { b.set(index, index[transposed ? 0 : 1] == 50 ? 0x1p-130 : 1); });
      expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
    }
}

// Three registers of columns are packed one at a time.
TEST(CpuNestWords, AnOddNumberOfRegisters) {
  for (Elem elem : {Elem::BF16, Elem::I8}) expectRight({.a = elem, .b = elem, .sizes = {45, 100, 130}, .tile = {32, 48, 32}});
}

// A sum that starts at 0 and only adds -0 is 0.
TEST(CpuNestWords, AFreshSumOfNegativeZeros) {
  KernelMaker m;
  make(m, {.a = Elem::BF16, .b = Elem::BF16, .sizes = {}, .tile = {32, 64, 32}});
  for (int64_t depth : {64, 600}) {
    Array a(Elem::BF16, {32, depth}), b(Elem::BF16, {depth, 64}), c(Elem::F32, {32, 64});
    fill(c, 1, 1);
    for (double small : {1.0, 0x1p-130}) {
      a.forEach([&](const std::vector<int64_t> &index) { a.set(index, -small); });
      b.forEach([&](const std::vector<int64_t> &index) { b.set(index, index[1] % 2 ? 0 : 1); });
      expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
    }
  }
}

// Products of one or two rows are computed by element, not by word of 32 bits. K may or may not fill whole words.
TEST(CpuNestWords, ARowOrTwo) {
  for (auto [a, b] : {std::pair{Elem::BF16, Elem::BF16}, {Elem::I8, Elem::I8}, {Elem::U8, Elem::I8}, {Elem::I8, Elem::U8}})
    for (int64_t rows : {1, 2, 3})
      for (int64_t depth : {32, 64, 66, 67, 1200}) {
        SCOPED_TRACE(str(elemName(a), " ", elemName(b), " ", rows, " ", depth));
        expectRight({.a = a, .b = b, .sizes = {rows, 150, depth}, .tile = {8, 256, 32}, .adds = depth == 66});
      }
}

// The instructions treat these numbers or products, which are not normal, as 0; the language does not.
TEST(CpuNestWords, NumbersThatAreNotNormal) {
  for (auto [a, b] : {std::pair{0x1p-130, 0x1p20}, {0x1p20, 0x1p-130}, {0x1p-70, 0x1p-70}, {0x1p-56, 0x1p-56}, {0x1p-57, 1.0}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(a, " ", b));
      for (int64_t columns : {70, 104})
        expectRight({.a = Elem::BF16, .b = Elem::BF16, .sizes = {40, columns, 600}, .tile = {64, 64, 32}, .adds = adds}, a, b);
    }
}

// The rows of A are read in place and scanned in registers, of which the last one ends at the end of the row. This is also
// tested with a last block of K that is shorter than a register.
TEST(CpuNestWords, RowsThatEndWithinARegister) {
  for (auto [a, b] : {std::pair{Elem::BF16, Elem::BF16}, {Elem::I8, Elem::I8}, {Elem::U8, Elem::U8}})
    for (int64_t depth : {28, 32, 36, 68, 100, 204, 1000, 4100}) {
      SCOPED_TRACE(str(elemName(a), " ", depth));
      expectRight({.a = a, .b = b, .sizes = {13, 70, depth}, .tile = {32, 64, 32}, .adds = depth == 100});
    }
  // The last block of K is one word.
  for (auto [elem, each] : {std::pair{Elem::BF16, 2}, {Elem::I8, 4}})
    expectRight({.a = elem, .b = elem, .sizes = {3, 20, 16897 * each}, .tile = {32, 64, 32}});
}

// If the rows of A are shorter than a register, they are not read in place, because the register would begin before the row.
// For longer rows, the last register ends at the end of the row. The rows have gaps, because otherwise they would be scanned as
// one row.
TEST(CpuNestWords, NothingBesideRowsIsRead) {
  for (auto [elem, depth] : {std::pair{Elem::BF16, int64_t{20}},
                             {Elem::BF16, int64_t{36}},
                             {Elem::I8, int64_t{28}},
                             {Elem::I8, int64_t{64}},
                             {Elem::I8, int64_t{68}}}) {
    const int64_t page = sysconf(_SC_PAGESIZE), rows = 13;
    void *pages = mmap(nullptr, static_cast<size_t>(3 * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    char *begin = static_cast<char *>(pages) + page, *end = begin + page;
    ASSERT_EQ(mprotect(begin, static_cast<size_t>(page), PROT_READ | PROT_WRITE), 0);
    KernelMaker m;
    make(m, {.a = elem, .b = elem, .sizes = {}, .tile = {32, 64, 32}});
    Array b(elem, {depth, 64}), c(isInteger(elem) ? Elem::I32 : Elem::F32, {rows, 64});
    const int64_t bytes = ((rows - 1) * (depth + 4) + depth) * elemInfo(elem).storageBytes;
    for (char *first : {begin, end - bytes}) {
      LaunchArg a;
      a.kind = LaunchArg::Kind::Buffer;
      a.buffer = {first, elem, {rows, depth}, {depth + 4, 1}};
      std::vector<LaunchArg> args{a, b.arg(), c.arg()};
      for (const CpuInfo &cpu : runnable()) {
        Diagnostics diagnostics;
        auto executable = compileForCpu(m.module, cpu, {}, diagnostics);
        ASSERT_TRUE(executable.ok());
        EXPECT_TRUE((*executable)->launch(*m.kernel, args, *computeGrid(*m.kernel, args)).ok()) << cpu.name;
      }
    }
    munmap(pages, static_cast<size_t>(3 * page));
  }
}

// Only the last word of one row of A is subnormal, and only the last register of that row holds this word.
TEST(CpuNestWords, AColumnThatIsNotNormal) {
  for (int64_t depth : {36, 40, 68, 200}) {
    SCOPED_TRACE(depth);
    KernelMaker m;
    make(m, {.a = Elem::BF16, .b = Elem::BF16, .sizes = {}, .tile = {32, 64, 32}});
    Array a(Elem::BF16, {13, depth}, 3), b(Elem::BF16, {depth, 64}), c(Elem::F32, {13, 64});
    fill(b, 1, 0x1p20), fill(c, 2, 1);
    a.forEach([&](const std::vector<int64_t> &index) { a.set(index, index[0] == 5 && index[1] >= depth - 2 ? 0x1p-130 : 0); });
    expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
  }
}

// Only one row of A is subnormal, in a full tile or among the last rows. The tile of this row and all later tiles are
// converted. Panels have any width, and there are one or two blocks of K.
TEST(CpuNestWords, ARowOfAThatIsNotNormal) {
  for (int64_t columns : {64, 150, 170})
    for (int64_t depth : {70, 2200})
      for (bool adds : {false, true}) {
        KernelMaker m;
        make(m, {.a = Elem::BF16, .b = Elem::BF16, .sizes = {}, .tile = {64, 128, 32}, .adds = adds});
        for (int64_t row : depth == 70 ? std::vector<int64_t>{0, 5, 7, 20, 31, 36} : std::vector<int64_t>{7}) {
          SCOPED_TRACE(str(columns, " ", depth, " ", adds, " ", row));
          Array a(Elem::BF16, {37, depth}), b(Elem::BF16, {depth, columns}), c(Elem::F32, {37, columns});
          a.forEach([&](const std::vector<int64_t> &index) {
            a.set(index, index[0] == row ? 0x1p-130 : static_cast<double>((index[0] + index[1]) % 5));
          });
          fill(b, 1, 1), fill(c, 2, 1);
          expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
        }
      }
}

// Only an element in the second block of K of A is subnormal. Workgroups share panels.
TEST(CpuNestWords, ALaterElementOfAThatIsNotNormal) {
  for (int threads : {1, 3}) {
    KernelMaker m;
    make(m, {.a = Elem::BF16, .b = Elem::BF16, .sizes = {}, .tile = {32, 128, 32}});
    Array a(Elem::BF16, {100, 2200}), b(Elem::BF16, {2200, 150}), c(Elem::F32, {100, 150});
    a.forEach([&](const std::vector<int64_t> &index) {
      const bool isSmall = index[0] == 40 && index[1] == 2190;
      a.set(index, isSmall                              ? 0x1p-130
                   : index[0] == 40 || index[1] == 2190 ? 0
                                                        : static_cast<double>((index[0] + index[1]) % 5));
    });
    b.forEach([&](const std::vector<int64_t> &index) {
      b.set(index, index[0] == 2190 ? 0x1p100 : static_cast<double>((index[0] + index[1]) % 3));
    });
    fill(c, 2, 1);
    expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable(), {}, threads);
  }
}

// The first depth is the maximum of a panel, with the sums of its columns after it. The second one needs several panels.
TEST(CpuNestWords, TheDeepestPanelOfBytes) {
  for (int64_t rows : {10, 70})
    for (int64_t depth : {4096, 8192 + 4})
      for (Elem elem : {Elem::I8, Elem::U8})
        expectRight({.a = elem, .b = elem, .sizes = {rows, 64, depth}, .tile = {32, 64, 32}}, 1, 1, runnable(),
                    rows == 10 ? 1 : 2);
}

// Only the last row of B is subnormal. It fills half a word.
TEST(CpuNestWords, ARowThatIsNotNormal) {
  KernelMaker m;
  make(m, {.a = Elem::BF16, .b = Elem::BF16, .sizes = {}, .tile = {32, 64, 32}});
  Array a(Elem::BF16, {32, 63}), b(Elem::BF16, {63, 64}), c(Elem::F32, {32, 64});
  fill(a, 1, 0x1p20), fill(c, 2, 1);
  b.forEach([&](const std::vector<int64_t> &index) { b.set(index, index[0] == 62 ? 0x1p-130 : 0); });
  expectAsInterpreter(m.module, *m.kernel, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, runnable());
}

// If K does not fill the last word, the rest of the word must not add +0 to a sum of -0. AMX is left out, because its sums
// start at +0.
TEST(CpuNestWords, ASumOfNegativeZero) {
  std::vector<CpuInfo> cpus = runnable();
  std::erase_if(cpus, [](const CpuInfo &cpu) { return cpu.tilesBf16; });
  TextKernel text(
      "kernel @k(%A: memref<?x?xbf16>, %B: memref<?x?xbf16>, %C: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> "
      "tile<4x3xbf16>\n"
      "  %tb = init_tile %B[0, 0] -> tile<3x32xbf16>\n  %tc = init_tile %C[0, 0] -> tile<4x32xf32>\n  %acc = load_tile %tc\n"
      "  for %k = 0 to dim(%A, 1) step 3 {\n    %a = load_tile %ta\n    %b = load_tile %tb\n    %acc = tile_mma %a, %b, %acc\n"
      "    %ta = update_tile_offset %ta, 0, 3\n    %tb = update_tile_offset %tb, 3, 0\n  }\n  store_tile %acc, %tc\n}\n");
  for (int64_t depth : {3, 9, 12, 11, 1023, 2049, 3000}) {
    SCOPED_TRACE(depth);
    Array a(Elem::BF16, {4, depth}), b(Elem::BF16, {depth, 32}), c(Elem::F32, {4, 32});
    a.forEach([&](const std::vector<int64_t> &index) { a.set(index, -1.0 - static_cast<double>(index[1] % 7)); });
    b.forEach([&](const std::vector<int64_t> &index) { b.set(index, 0); });
    c.forEach([&](const std::vector<int64_t> &index) { c.set(index, -0.0); });
    expectAsInterpreter(text.module(), text.kernel(), {{&a, {}}, {&b, {}}, {&c, {}}}, {}, cpus);
  }
}

// The columns fill about half of the last tile, or less.
TEST(CpuNestWords, FewColumns) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (int64_t columns : {5, 32, 33, 64 + 32})
      for (double scale : {1.0, 0x1p-130}) {
        SCOPED_TRACE(str(elemName(elem), " ", columns, " ", scale));
        if (elem == Elem::I8 && scale != 1) continue;
        for (int64_t depth : {40, 1200})
          expectRight({.a = elem, .b = elem, .sizes = {13, columns, depth}, .tile = {32, 128, 32}, .adds = depth == 40}, scale);
        expectRight({.a = elem, .b = elem, .sizes = {100, columns, 100}, .tile = {32, 128, 32}}, scale, 1, runnable(), 3);
      }
}

TEST(CpuNestWords, NothingToAddUp) {
  for (Elem elem : {Elem::BF16, Elem::I8})
    for (bool adds : {false, true})
      expectRight({.a = elem, .b = elem, .sizes = {20, 20, 0}, .tile = {16, 16, 16}, .adds = adds});
}

TEST(CpuNestWords, Instructions) {
  for (const Processor &processor : kProcessors)
    for (Elem elem : {Elem::BF16, Elem::I8}) {
      KernelMaker m;
      make(m, {.a = elem, .b = elem, .sizes = {}, .tile = {256, 256, 32}});
      Diagnostics diagnostics;
      Result<std::string> text = emit(m.module, EmitKind::Asm, {processor.name}, diagnostics);
      ASSERT_TRUE(text.ok());
      EXPECT_NE(text->find(elem == Elem::BF16 ? processor.bf16 : processor.bytes), std::string::npos)
          << processor.name << " " << elemName(elem);
    }
}

TEST(CpuNestWords, InstructionCountDoesNotDependOnTheTile) {
  for (const Processor &processor : kProcessors)
    for (Elem elem : {Elem::BF16, Elem::I8}) {
      std::vector<size_t> counts;
      for (int64_t size : {64, 128, 512}) {
        KernelMaker m;
        make(m, {.a = elem, .b = elem, .sizes = {}, .tile = {size, size, 32}});
        Diagnostics diagnostics;
        Result<size_t> count = instructionCount(m.module, {processor.name}, diagnostics);
        ASSERT_TRUE(count.ok());
        counts.push_back(*count);
        EXPECT_EQ(counts[0], *count) << processor.name;
      }
      EXPECT_LT(counts[0], elem == Elem::BF16 ? 3100u : 2900u) << processor.name;
    }
}

} // namespace
} // namespace xt
