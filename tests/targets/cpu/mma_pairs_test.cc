// tile_mma of bf16 outside of nests, which multiplies pairs where the processor can: the same results everywhere.
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/word_products.h"

namespace xt {
namespace {

Product pairs(std::vector<int64_t> sizes, GemmShape tile, bool adds) {
  return {.a = Elem::BF16, .b = Elem::BF16, .sizes = std::move(sizes), .tile = tile, .adds = adds, .nests = false};
}

TEST(CpuMmaPairs, TileShapes) {
  for (GemmShape tile : std::vector<GemmShape>{{64, 128, 64}, {32, 64, 32}, {13, 17, 6}, {7, 33, 34}, {1, 1, 2}, {6, 80, 2}, {5, 9, 70}, {12, 48, 15}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(tile.rows, "x", tile.columns, "x", tile.depth));
      for (double scale : {1.0, 0x1p-130}) expectRight(pairs({2 * tile.rows + 1, tile.columns + 5, 2 * tile.depth + 3}, tile, adds), scale, 1);
    }
}

// The instruction takes these as 0; the language does not.
TEST(CpuMmaPairs, NumbersThatAreNotNormal) {
  for (auto [a, b] : {std::pair{0x1p-130, 0x1p20}, {0x1p20, 0x1p-130}, {0x1p-70, 0x1p-70}, {0x1p-56, 0x1p-56}, {0x1p-57, 1.0}, {0x1p-100, 0x1p-12}, {0x1p-100, 0x1p-13}})
    for (bool adds : {false, true}) {
      SCOPED_TRACE(str(a, " ", b));
      expectRight(pairs({40, 70, 64}, {32, 64, 32}, adds), a, b);
      Product nest = pairs({40, 70, 64}, {32, 64, 32}, adds);
      nest.nests = true;
      expectRight(nest, a, b);
    }
}

// What is multiplied by conversion keeps to its rows: others lie behind them.
TEST(CpuMmaPairs, ConvertedRowsAtTheEnd) {
  KernelMaker m;
  Value *a = m.param(m.matrix(Elem::BF16)), *b = m.param(m.matrix(Elem::BF16)), *c = m.param(m.matrix(Elem::F32)), *zero = m.index(0);
  Value *kept = m.unary(OpKind::NegF, m.load(m.tile(c, {zero, zero}, {3, 16})));
  Value *product = m.mma(m.load(m.tile(a, {zero, zero}, {3, 30})), m.load(m.tile(b, {zero, zero}, {30, 32})), nullptr, Elem::F32);
  m.store(product, m.tile(c, {m.index(3), zero}, {3, 32}));
  Value *twice = m.binary(OpKind::AddF, kept, kept), *more = m.binary(OpKind::AddF, kept, twice);
  m.store(kept, m.tile(c, {m.index(6), zero}, {3, 16}));
  m.store(more, m.tile(c, {m.index(9), zero}, {3, 16}));
  Array x(Elem::BF16, {3, 32}), y(Elem::BF16, {32, 32}), z(Elem::F32, {12, 32});
  fill(x, 1, 0x1p-130), fill(y, 2, 1), fill(z, 3, 1);
  expectAsInterpreter(m, {{&x, {}}, {&y, {}}, {&z, {}}}, {}, runnable());
}

TEST(CpuMmaPairs, EveryOrderInMemory) {
  for (int bits = 0; bits < 4; ++bits) {
    Product product = pairs({45, 75, 143}, {32, 64, 32}, false);
    product.turnA = (bits & 1) != 0, product.turnB = (bits & 2) != 0;
    expectRight(product);
  }
}

TEST(CpuMmaPairs, Instructions) {
  for (auto [processor, depth, instruction] : {std::tuple{"znver4", 32, "vdpbf16ps"}, {"sapphirerapids", 32, "tdpbf16ps"}, {"sapphirerapids", 34, "vdpbf16ps"}, {"znver4", 15, "vfmadd"}, {"haswell", 32, "vfmadd"}}) {
    KernelMaker m;
    make(m, pairs({}, {64, 64, depth}, false));
    Diagnostics diagnostics;
    Result<std::string> text = emit(m.module, EmitKind::Asm, {processor}, diagnostics);
    ASSERT_TRUE(text.ok());
    EXPECT_NE(text->find(instruction), std::string::npos) << processor << " " << depth;
    EXPECT_EQ(text->find("\tvdpbf16ps") != std::string::npos, instruction == std::string_view("vdpbf16ps")) << processor << " " << depth;
  }
}

} // namespace
} // namespace xt
