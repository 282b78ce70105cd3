// Tests tile_mma of bf16 outside of nests, which multiplies pairs if the processor can. The results are the same on all
// processors.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/word_products.h"

namespace xt {
namespace {

Product pairs(std::vector<int64_t> sizes, GemmShape tile, bool adds) {
  return {.a = Elem::BF16, .b = Elem::BF16, .sizes = std::move(sizes), .tile = tile, .adds = adds, .nests = false};
}

TEST(CpuMmaPairs, TileShapes) {
  for (GemmShape tile : std::vector<GemmShape>{{64, 128, 64},
                                               {32, 64, 32},
                                               {13, 17, 6},
                                               {7, 33, 34},
                                               {1, 1, 2},
                                               {6, 80, 2},
                                               {5, 9, 70},
                                               {12, 48, 15},
                                               {40, 64, 32},
                                               {64, 48, 32}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(tile.rows, "x", tile.columns, "x", tile.depth));
      for (double scale : {1.0, 0x1p-130})
        expectRight(pairs({2 * tile.rows + 1, tile.columns + 5, 2 * tile.depth + 3}, tile, adds), scale, 1);
    }
}

// The instruction treats these numbers or products, which are not normal, as 0; the language does not.
TEST(CpuMmaPairs, NumbersThatAreNotNormal) {
  for (auto [a, b] : {std::pair{0x1p-130, 0x1p20},
                      {0x1p20, 0x1p-130},
                      {0x1p-70, 0x1p-70},
                      {0x1p-56, 0x1p-56},
                      {0x1p-57, 1.0},
                      {0x1p-100, 0x1p-12},
                      {0x1p-100, 0x1p-13}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(a, " ", b));
      expectRight(pairs({40, 70, 64}, {32, 64, 32}, adds), a, b);
      Product nest = pairs({40, 70, 64}, {32, 64, 32}, adds);
      nest.nests = true;
      expectRight(nest, a, b);
    }
}

// A product that is computed by conversion must store only its own rows, because other rows follow them in memory.
TEST(CpuMmaPairs, ConvertedRowsAtTheEnd) {
  KernelMaker m;
  Value *a = m.param(m.matrix(Elem::BF16)), *b = m.param(m.matrix(Elem::BF16)), *c = m.param(m.matrix(Elem::F32)),
        *zero = m.index(0);
  Value *kept = m.unary(OpKind::NegF, m.load(m.tile(c, {zero, zero}, {3, 16})));
  Value *product =
      m.mma(m.load(m.tile(a, {zero, zero}, {3, 30})), m.load(m.tile(b, {zero, zero}, {30, 32})), nullptr, Elem::F32);
  m.store(product, m.tile(c, {m.index(3), zero}, {3, 32}));
  Value *twice = m.binary(OpKind::AddF, kept, kept), *more = m.binary(OpKind::AddF, kept, twice);
  m.store(kept, m.tile(c, {m.index(6), zero}, {3, 16}));
  m.store(more, m.tile(c, {m.index(9), zero}, {3, 16}));
  Array x(Elem::BF16, {3, 32}), y(Elem::BF16, {32, 32}), z(Elem::F32, {12, 32});
  fill(x, 1, 0x1p-130), fill(y, 2, 1), fill(z, 3, 1);
  expectAsInterpreter(m, {{&x, {}}, {&y, {}}, {&z, {}}}, {}, runnable());
}

// Tests products without an accumulator, with sums in f32 and in another type.
TEST(CpuMmaPairs, FreshSumsOfEachType) {
  for (Elem sum : {Elem::F32, Elem::BF16})
    for (double scale : {1.0, 0x1p-130}) {
      SCOPED_TRACE(str(elemName(sum), " ", scale));
      KernelMaker m;
      Value *a = m.param(m.matrix(Elem::BF16)), *b = m.param(m.matrix(Elem::BF16)), *c = m.param(m.matrix(sum)),
            *zero = m.index(0);
      Value *product =
          m.mma(m.load(m.tile(a, {zero, zero}, {64, 64})), m.load(m.tile(b, {zero, zero}, {64, 96})), nullptr, sum);
      m.store(product, m.tile(c, {zero, zero}, {64, 96}));
      Array x(Elem::BF16, {64, 64}), y(Elem::BF16, {64, 96}), z(sum, {64, 96});
      auto unit = [](const std::vector<int64_t> &index) {
        return static_cast<double>((5 * index[0] + 7 * index[1]) % 3 - 1);
      }; // sums are exact
      x.forEach([&](const std::vector<int64_t> &index) { x.set(index, scale * unit(index)); });
      y.forEach([&](const std::vector<int64_t> &index) { y.set(index, unit(index)); });
      fill(z, 3, 1);
      expectAsInterpreter(m, {{&x, {}}, {&y, {}}, {&z, {}}}, {}, runnable());
    }
}

TEST(CpuMmaPairs, EveryOrderInMemory) {
  for (int bits = 0; bits < 4; ++bits) {
    Product product = pairs({45, 75, 143}, {32, 64, 32}, false);
    product.transposeA = (bits & 1) != 0, product.transposeB = (bits & 2) != 0;
    expectRight(product);
  }
}

TEST(CpuMmaPairs, Instructions) {
  struct Case {
    const char *processor;
    GemmShape tile;
    const char *instruction;
  };
  for (const Case &c : {Case{"znver4", {64, 64, 32}, "vdpbf16ps"},
                        {"znver4", {64, 64, 15}, "vfmadd"},
                        {"haswell", {64, 64, 32}, "vfmadd"},
                        {"sapphirerapids", {64, 64, 32}, "tdpbf16ps"},
                        {"sapphirerapids", {64, 64, 34}, "vdpbf16ps"},
                        {"sapphirerapids", {40, 64, 32}, "vdpbf16ps"},
                        {"sapphirerapids", {64, 48, 32}, "vdpbf16ps"}}) {
    SCOPED_TRACE(str(c.processor, " ", c.tile.rows, "x", c.tile.columns, "x", c.tile.depth));
    KernelMaker m;
    make(m, pairs({}, c.tile, false));
    Diagnostics diagnostics;
    Result<std::string> text = emit(m.module, EmitKind::Asm, {c.processor}, diagnostics);
    ASSERT_TRUE(text.ok());
    for (const char *instruction : {"vdpbf16ps", "tdpbf16ps"})
      EXPECT_EQ(text->find(instruction) != std::string::npos, std::string_view(instruction) == c.instruction) << instruction;
    EXPECT_NE(text->find(c.instruction), std::string::npos);
  }
}

} // namespace
} // namespace xt
