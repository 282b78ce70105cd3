// Tests the code of nests: where it converts elements, and how many instructions it has.
#include "ir/elem_kinds.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/products/nest_product.h"

#include <set>
#include <string>
#include <string_view>

namespace xt {
namespace {

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

} // namespace
} // namespace xt
