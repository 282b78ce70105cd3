// Compares nests with the loops that they replace: every type, memory order, edge, block of K, epilogue and overlap.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "passes/form_nests.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/compare.h"
#include "tests/targets/cpu/text_kernel.h"

#include <set>

namespace xt {
namespace {

struct Product {
  Elem input = Elem::F32;
  std::vector<int64_t> sizes; // rows and columns of the result, and K
  GemmShape tile;
  bool transposeA = false, transposeB = false; // the tiles are stored transposed and loaded with a transpose
  bool columnsA = false, columnsB = false; // the matrices are column-major
  int64_t shift = 0; // offset of the first tiles, in all dimensions
  int64_t shiftOfA = 0; // additional offset of the tiles of A along K
  // Whether the rows of the first workgroup are far after the last row, those of the second in bounds, and those of the others
  // far before the first row.
  bool beginsFar = false;
  bool adds = false; // whether the sum starts at the contents of C
  std::optional<Elem> other = {}; // element type of B, if it is not that of A
  bool fused = false; // whether the result is twice the sum plus a row, as f16
  int64_t fewerRows = 0; // A has this many rows fewer than C
  // Bytes from one row of B to the next; then the first row begins at a cache line. 0: rows have a gap of 3 elements and may
  // begin anywhere.
  int64_t bytesApart = 0;
};

Elem sumElem(Elem input) { return isInteger(input) ? Elem::I32 : input == Elem::F64 ? Elem::F64 : Elem::F32; }

Value *side(KernelMaker &m, Value *matrix, std::vector<Value *> at, std::vector<int64_t> shape, bool transposed, bool columns) {
  if (transposed) std::swap(at[0], at[1]), std::swap(shape[0], shape[1]);
  return m.tile(matrix, at, shape, columns ? Order::ColumnMajor : Order::RowMajor);
}

void make(KernelMaker &m, const Product &p) {
  Elem sum = sumElem(p.input), output = p.fused ? Elem::F16 : sum;
  auto matrix = [&](Elem elem, bool columns) { return columns ? m.columnMajorMatrix(elem) : m.matrix(elem); };
  Value *a = m.param(matrix(p.input, p.columnsA)), *b = m.param(matrix(p.other.value_or(p.input), p.columnsB)),
        *c = m.param(m.matrix(output));
  Value *bias = p.fused ? m.param(m.matrix(Elem::F32)) : nullptr;
  Value *i = m.gridOver(2, 0, p.tile.rows), *j = m.gridOver(2, 1, p.tile.columns);
  Value *start = m.index(p.shift), *zero = m.index(0), *step = m.index(p.tile.depth);
  if (p.beginsFar)
    i = m.binary(OpKind::SubI, m.index(2 * p.tile.rows + (p.tile.rows << 19)), m.binary(OpKind::MulI, i, m.index(1 << 19)));
  else
    i = m.binary(OpKind::AddI, i, start);
  j = m.binary(OpKind::AddI, j, start);
  Value *ta = side(m, a, {i, m.index(p.shift + p.shiftOfA)}, {p.tile.rows, p.tile.depth}, p.transposeA, p.columnsA);
  Value *tb = side(m, b, {start, j}, {p.tile.depth, p.tile.columns}, p.transposeB, p.columnsB);
  Value *tc = m.tile(c, {i, j}, {p.tile.rows, p.tile.columns});
  Type type = m.context.vector({p.tile.rows, p.tile.columns}, sum);
  Value *acc = p.adds ? m.load(tc) : isFloat(sum) ? m.b.constantFloat(type, 0) : m.b.constantInt(type, 0);
  Value *depth = m.dim(a, p.transposeA ? 0 : 1);
  Value *result = m.loop(start, depth, step, {acc, ta, tb}, [&](Value *, std::vector<Value *> in) {
    Value *x = p.transposeA ? m.loadTransposed(in[1]) : m.load(in[1]),
          *y = p.transposeB ? m.loadTransposed(in[2]) : m.load(in[2]);
    auto moved = [&](Value *tile, bool down) { return m.move(tile, down ? step : zero, down ? zero : step); };
    return std::vector<Value *>{m.mma(x, y, in[0], sum), moved(in[1], p.transposeA), moved(in[2], !p.transposeB)};
  })[0];
  if (p.fused) {
    Value *row = m.broadcast(m.load(m.tile(bias, {zero, j}, {1, p.tile.columns})), 0, p.tile.rows);
    result = m.cast(OpKind::TruncF, m.binary(OpKind::AddF, m.binary(OpKind::AddF, result, result), row), Elem::F16);
  }
  m.store(result, tc);
}

size_t formIn(KernelMaker &m) {
  Diagnostics diagnostics;
  EXPECT_TRUE(formNests(m.module, diagnostics).ok());
  size_t nests = 0;
  walk(m.kernel->body, [&](Op &op) { nests += op.kind() == OpKind::Nest; });
  return nests;
}

// Fills an array with small integers, so that every sum is exact in any order.
void fill(Array &array, int64_t seed) {
  int64_t state = seed;
  array.forEach([&](const std::vector<int64_t> &index) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    array.set(index, static_cast<double>((state >> 16) % (isInteger(array.elem()) ? 256 : 4)));
  });
}

void expectAsLoop(const Product &p, const std::vector<CpuInfo> &cpus, int threads = 1) {
  KernelMaker loop, nest;
  make(loop, p);
  make(nest, p);
  ASSERT_EQ(formIn(nest), 1u);
  auto array = [&](Elem elem, int64_t rows, int64_t columns, bool transposed, bool columnMajor, int64_t seed,
                   int64_t bytesApart = 0) {
    if (transposed) std::swap(rows, columns);
    int64_t gap = bytesApart > 0 ? bytesApart / elemInfo(elem).storageBytes - columns : 3;
    auto made = std::make_unique<Array>(elem, std::vector<int64_t>{rows, columns}, gap, columnMajor, 1, bytesApart > 0);
    fill(*made, seed);
    return made;
  };
  auto a = array(p.input, p.sizes[0] - p.fewerRows, p.sizes[2], p.transposeA, p.columnsA, 1);
  auto b = array(p.other.value_or(p.input), p.sizes[2], p.sizes[1], p.transposeB, p.columnsB, 2, p.bytesApart);
  auto c = array(p.fused ? Elem::F16 : sumElem(p.input), p.sizes[0], p.sizes[1], false, false, 3);
  auto bias = array(Elem::F32, 1, p.sizes[1], false, false, 4);
  std::vector<LaunchArray> args{{a.get(), {}}, {b.get(), {}}, {c.get(), {}}};
  if (p.fused) args.push_back({bias.get(), {}});
  expectAsInterpreter(nest.module, *loop.kernel, args, {}, cpus, {}, threads);
  // The nest itself also runs on the interpreter.
  expectAsInterpreter(loop.module, *nest.kernel, args, {}, {cpus[0]}, {}, threads);
}

// Returns the processors of processors(), and variants of this machine with one property inverted each: loads across lines, the
// L3 cache, hidden conversions. These properties decide what is copied and converted first, and how deep blocks of K are.
std::vector<CpuInfo> processorsOfAllFacts() {
  std::vector<CpuInfo> cpus = processors();
  for (bool CpuTuning::*fact : {&CpuTuning::lineSplitLoadsAreFree, &CpuTuning::l3IsFast, &CpuTuning::hidesConversions}) {
    cpus.push_back(cpus[0]);
    cpus.back().tuning.*fact = !(cpus[0].tuning.*fact);
  }
  return cpus;
}

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

// With few rows, B is read without packing. One or two rows sweep over whole rows of B.
TEST(CpuNest, FewRows) {
  for (int64_t rows : {1, 2, 3})
    for (Elem elem : {Elem::F32, Elem::F64})
      for (bool adds : {false, true})
        expectAsLoop({.input = elem, .sizes = {rows, 600, 700}, .tile = {64, 512, 64}, .adds = adds}, processors());
  for (int64_t rows : {2, 7}) expectAsLoop({.sizes = {rows, 150, 2100}, .tile = {64, 160, 64}}, processors());
  for (Elem elem : {Elem::F16, Elem::BF16, Elem::I8})
    expectAsLoop({.input = elem, .sizes = {2, 1111, 133}, .tile = {8, 1200, 32}}, processors());
  for (int64_t depth : {128, 416, 900})
    expectAsLoop({.input = Elem::F16, .sizes = {2, 111, depth}, .tile = {8, 128, 32}, .adds = depth == 416}, processors());
  expectAsLoop({.sizes = {1, 600, 100}, .tile = {64, 512, 64}, .fewerRows = 1}, processors());
  expectAsLoop({.sizes = {1, 600, 100}, .tile = {64, 512, 64}, .transposeB = true}, {processors()[0]});
  expectAsLoop({.sizes = {2, 600, 100}, .tile = {64, 512, 64}, .transposeA = true}, {processors()[0]});
  expectAsLoop({.sizes = {1, 1500, 600}, .tile = {64, 512, 64}, .fused = true}, {processors()[0]}, 2);
}

// B has more than 40 MiB, including the gaps between its rows. Blocks have 12 rows of B. However, one or two rows of A sweep
// over B, and so do 4 rows if B is converted. f64 with AVX2 and more than 4 rows is packed first.
TEST(CpuNest, FewRowsOfALargeB) {
  constexpr int64_t kApart = 512 << 10;
  for (int64_t rows : {1, 2, 3, 4, 8, 9})
    expectAsLoop({.sizes = {rows, 300, 85}, .tile = {16, 272, 32}, .adds = rows == 3, .bytesApart = kApart},
                 processorsOfAllFacts());
  for (Elem elem : {Elem::F16, Elem::BF16, Elem::I8})
    for (int64_t rows : {3, 4})
      expectAsLoop({.input = elem, .sizes = {rows, 150, 340}, .tile = {16, 144, 32}, .bytesApart = kApart / 4}, processors(),
                   2);
  expectAsLoop({.input = Elem::F64, .sizes = {7, 530, 85}, .tile = {8, 528, 32}, .bytesApart = kApart}, processorsOfAllFacts());
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

// If the rows of B do not begin at cache lines, the first tile of rows packs whole panels, with conversion if necessary, or
// they are read in place. Panels are tested for a single workgroup, and shared.
TEST(CpuNest, PanelsThatTheFirstTileCopies) {
  for (Elem elem : {Elem::F32, Elem::F64, Elem::F16})
    for (int64_t rows : {24, 25, 37, 70})
      for (int threads : {1, 3}) {
        SCOPED_TRACE(str(elemName(elem), " ", rows, " ", threads));
        expectAsLoop({.input = elem, .sizes = {rows, 150, 70}, .tile = {32, 144, 16}, .adds = rows == 25},
                     processorsOfAllFacts(), threads);
      }
  for (int64_t rows = 1; rows <= 11; ++rows) // a tile that converts computes rows twice if there are too few
    expectAsLoop(
        {.input = Elem::F16, .sizes = {rows, 150, 40 + rows}, .tile = {32, 144, 16}, .adds = rows == 5, .fused = rows == 4},
        processorsOfAllFacts(), 2);
  expectAsLoop({.sizes = {61, 190, 1100}, .tile = {32, 128, 64}}, processorsOfAllFacts(), 2);
  expectAsLoop({.sizes = {300, 150, 40}, .tile = {64, 64, 16}, .fused = true}, processorsOfAllFacts(), 2);
  expectAsLoop({.sizes = {70, 150, 50}, .tile = {32, 64, 16}, .shift = -5}, processorsOfAllFacts(), 2);
}

// The rows of B, including the gaps, are 16, 4 and 2 KiB apart. Blocks of K are therefore shorter, and the first tile packs a
// large B.
TEST(CpuNest, RowsThatAreWholePagesApart) {
  for (int64_t columns : {1021, 509})
    for (bool adds : {false, true})
      expectAsLoop({.sizes = {13, columns, 300}, .tile = {16, 256, 64}, .adds = adds}, processorsOfAllFacts());
  expectAsLoop({.input = Elem::F64, .sizes = {13, 509, 300}, .tile = {16, 256, 64}}, {processors()[0]});
  expectAsLoop({.sizes = {13, 4093, 261}, .tile = {16, 256, 64}}, processorsOfAllFacts(), 2);
}

// The first tile packs panels whose rows map to few sets of the caches. The test checks results only, not what is packed.
TEST(CpuNest, RowsThatCrowdCaches) {
  for (Elem elem : {Elem::F32, Elem::F64})
    for (int64_t bytesApart : {512, 1024, 4096})
      for (int64_t rows : {48, 49, 61, 160})
        for (int threads : {1, 2}) {
          SCOPED_TRACE(str(elemName(elem), " ", bytesApart, " ", rows, " ", threads));
          expectAsLoop(
              {.input = elem, .sizes = {rows, 64, 130}, .tile = {256, 64, 16}, .adds = rows == 61, .bytesApart = bytesApart},
              processorsOfAllFacts(), threads);
        }
}

// If B is not in the L2 cache, tiles prefetch the next panel: of the same block, of the next block, and of the next workgroup,
// which may be out of bounds. Workgroups share panels, also the workgroup with the last rows, and blocks of K are shorter.
TEST(CpuNest, FewRowsOfABThatIsFar) {
  for (int64_t bytesApart : {3072, 4096, 16 << 10})
    for (int64_t rows : {13, 61, 150})
      expectAsLoop({.sizes = {rows, 200, 530}, .tile = {192, 128, 32}, .bytesApart = bytesApart}, processorsOfAllFacts(), 2);
  for (int64_t bytesApart : {4004, 4096})
    for (int64_t rows : {70, 104})
      for (int threads : {1, 2})
        expectAsLoop({.sizes = {rows, 200, 530}, .tile = {32, 128, 32}, .bytesApart = bytesApart}, processorsOfAllFacts(),
                     threads);
  for (int threads : {1, 2})
    expectAsLoop({.input = Elem::F16, .sizes = {61, 200, 530}, .tile = {64, 128, 32}, .bytesApart = 3072}, processors(),
                 threads);
  // There are several blocks of 12 rows of B, with prefetches of the next block, or one block.
  expectAsLoop({.sizes = {7, 300, 100}, .tile = {16, 272, 32}, .bytesApart = 256 << 10}, processorsOfAllFacts());
  expectAsLoop({.sizes = {40, 300, 100}, .tile = {48, 272, 32}, .bytesApart = 256 << 10},
               processorsOfAllFacts()); // blocks have 32 rows
  expectAsLoop({.sizes = {70, 150, 110}, .tile = {80, 144, 32}, .bytesApart = 256 << 10},
               processorsOfAllFacts()); // B is read in place, or packed
  for (int64_t bytesApart : {7000, 9000, 12 << 10}) // blocks have 28, 20 and 16 rows
    for (int64_t rows : {4, 7, 16})
      expectAsLoop({.sizes = {rows, 300, 521}, .tile = {16, 272, 32}, .bytesApart = bytesApart}, processorsOfAllFacts());
}

// If B is converted first or transposed, two threads begin with different panels of B, so that they do not wait for each other.
TEST(CpuNest, PanelsThatTwoThreadsPack) {
  for (bool transposed : {false, true})
    for (int threads : {1, 2, 3})
      expectAsLoop({.input = transposed ? Elem::F32 : Elem::F8E4M3,
                    .sizes = {200, 250, 70},
                    .tile = {32, 256, 16},
                    .transposeB = transposed},
                   processors(), threads);
}

// With few columns, f16 elements of A are read in place, or copied unchanged if some elements are out of bounds. Transposed
// elements are converted first.
TEST(CpuNest, ElementsThatAreConvertedAsTheyAreMultiplied) {
  for (int64_t columns : {20, 40, 100, 130})
    for (int64_t rows : {1, 2, 5, 13, 37})
      for (int threads : {1, 2}) {
        SCOPED_TRACE(str(columns, " ", rows, " ", threads));
        Product p{.input = Elem::F16,
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
    Product p{.sizes = {size, size, size}, .tile = {96, 96, 16}};
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
    Product p{.sizes = {kRows, kColumns, depth}, .tile = {16, kColumns, 16}};
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

size_t countOf(std::string_view block, std::string_view name) {
  size_t count = 0;
  for (size_t at = 0; (at = block.find(name, at)) != std::string_view::npos; at += name.size()) ++count;
  return count;
}

// Expects `expected` loops, from one label to the next, that have this many conversions and products.
void expectLoops(size_t expected, const char *cpu, GemmShape tile, size_t conversions, size_t products) {
  KernelMaker m;
  make(m, {.input = Elem::F16, .sizes = {}, .tile = tile});
  ASSERT_EQ(formIn(m), 1u);
  Diagnostics diagnostics;
  Result<std::string> text = emit(m.module, EmitKind::Asm, {cpu}, diagnostics);
  ASSERT_TRUE(text.ok()) << text.error().message;
  size_t found = 0;
  for (size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text->find("\n.L", at);
    std::string_view block = std::string_view(*text).substr(at, end - at);
    found += countOf(block, "vfmadd") == products && countOf(block, "vcvtph2ps") == conversions;
  }
  EXPECT_EQ(found, expected) << cpu << " " << tile.columns << " " << conversions << " " << products;
}

// The loop of the tile that packs B also converts it, if that takes one instruction. A Zen 5 converts the elements of A in each
// loop, if there are few panels.
TEST(CpuNest, ConvertsWhileItMultiplies) {
  expectLoops(1, "x86-64-v4", {128, 256, 32}, 4, 24);
  expectLoops(1, "x86-64-v3", {128, 256, 32}, 3, 12);
  for (int64_t columns : {256, 384, 448, 1024}) {
    const GemmShape tile{128, columns, 32};
    const size_t few = columns <= 384 ? 1 : 0;
    expectLoops(1 - few, "znver5", tile, 4, 24);
    expectLoops(few, "znver5", tile, 4 + 6, 24);
    expectLoops(few, "znver5", tile, 2 * 6, 2 * 24); // the loop that multiplies the packed panels
    expectLoops(few, "znver5", tile, 2 * 5, 2 * 20); // the loop of the tile of the last rows
  }
  expectLoops(0, "znver5", {128, 32, 32}, 2 * 12, 2 * 24); // not used, because each conversion would serve only two products
  expectLoops(1, "znver5", {128, 48, 32}, 2 * 8, 2 * 24);
}

// f16 on a Zen 5 is an exception: it is converted differently if there are few columns (ConvertsWhileItMultiplies).
TEST(CpuNest, InstructionCountDoesNotDependOnTheTile) {
  auto expectOneCount = [](const char *cpu, Elem input, const std::vector<int64_t> &sizes, size_t limit) {
    std::set<size_t> counts;
    for (int64_t size : sizes)
      for (int64_t depth : {16, 64}) {
        KernelMaker m;
        make(m, {.input = input, .sizes = {}, .tile = {size, size, depth}});
        ASSERT_EQ(formIn(m), 1u);
        Diagnostics diagnostics;
        Result<size_t> count = instructionCount(m.module, {cpu}, diagnostics);
        ASSERT_TRUE(count.ok()) << count.error().message;
        counts.insert(*count);
      }
    EXPECT_EQ(counts.size(), 1u) << cpu << " " << elemName(input);
    EXPECT_LT(*counts.rbegin(), limit) << cpu << " " << elemName(input);
  };
  const std::vector<int64_t> few{64, 128, 256}, many{512, 1024}, all{64, 128, 256, 512, 1024};
  for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"})
    for (Elem input : {Elem::F32, Elem::F16}) expectOneCount(cpu, input, all, 2700);
  expectOneCount("znver5", Elem::F32, all, 2700);
  expectOneCount("znver5", Elem::F16, few, 2850);
  expectOneCount("znver5", Elem::F16, many, 2700);
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
