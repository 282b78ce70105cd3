// Compares nests with the loops that they replace where panels of B are packed, read in place or prefetched: few rows of A, rows
// of B that are far apart, and threads that share panels.
#include "ir/elem_kinds.h"
#include "tests/targets/cpu/products/nest_product.h"

namespace xt {
namespace {

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

} // namespace
} // namespace xt
