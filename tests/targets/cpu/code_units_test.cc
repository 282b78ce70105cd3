// What kernels are compiled as, and which of it they share.
#include "targets/cpu/code_units.h"
#include "ir/base/text.h"
#include "targets/cpu/loop_library.h"
#include "tests/targets/cpu/text_kernel.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

struct Product {
  int rows = 64, columns = 64, depth = 32;
  const char *elem = "f32", *sum = "f32", *zero = "0.0";
  const char *epilogue = "", *stored = "%acc"; // what is computed from %acc
  bool turnA = false;
};

std::string text(const char *name, const Product &p) {
  std::string tileA = p.turnA ? str(p.depth, "x", p.rows) : str(p.rows, "x", p.depth);
  return str("kernel @", name, "(%A: memref<?x?x", p.elem, ">, %B: memref<?x?x", p.elem, ">, %C: memref<?x?x", p.sum, ">)\n    grid (%i = 0 to dim(%C, 0) step ",
             p.rows, ", %j = 0 to dim(%C, 1) step ", p.columns, ") {\n  %ta = init_tile %A[", p.turnA ? "0, %i" : "%i, 0", "] -> tile<", tileA, "x", p.elem,
             ">\n  %tb = init_tile %B[0, %j] -> tile<", p.depth, "x", p.columns, "x", p.elem, ">\n  %acc = constant ", p.zero, " : vector<", p.rows, "x", p.columns,
             "x", p.sum, ">\n  for %k = 0 to dim(%A, ", p.turnA ? 0 : 1, ") step ", p.depth, " {\n    %a = load_tile %ta", p.turnA ? " {transpose = [1, 0]}" : "",
             "\n    %b = load_tile %tb\n    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, ", p.turnA ? str(p.depth, ", 0") : str("0, ", p.depth),
             "\n    %tb = update_tile_offset %tb, ", p.depth, ", 0\n  }\n", p.epilogue, "  %tc = init_tile %C[%i, %j] -> tile<", p.rows, "x", p.columns, "x", p.sum,
             ">\n  store_tile ", p.stored, ", %tc\n}\n");
}

std::vector<CodeUnit> unitsOf(const std::string &source, const char *processor = "x86-64-v4") {
  TextKernel kernel(source);
  if (!kernel) return {};
  auto cpu = cpuInfo(processor);
  EXPECT_TRUE(cpu.ok());
  llvm::LLVMContext context;
  context.setDiscardValueNames(true); // as the target does
  Diagnostics diagnostics;
  auto emitted = emitKernels(kernel.module(), *cpu, context, diagnostics);
  EXPECT_TRUE(emitted.ok());
  auto units = codeUnits(*emitted, *cpu, true);
  EXPECT_TRUE(units.ok());
  return units.ok() ? std::move(*units) : std::vector<CodeUnit>();
}

const CodeUnit *unitOf(const std::vector<CodeUnit> &units, const std::string &symbol) {
  for (const CodeUnit &unit : units)
    if (unit.symbol == symbol) return &unit;
  return nullptr;
}

TEST(CodeUnits, TilesOfOtherSizesHaveTheSameLoops) {
  const Product types[] = {{}, {.elem = "f64", .sum = "f64"}, {.elem = "bf16"}, {.elem = "f16"}, {.elem = "i8", .sum = "i32", .zero = "0"}, {.turnA = true}};
  for (const char *processor : {"x86-64-v3", "x86-64-v4", "sapphirerapids"})
    for (Product one : types) {
      SCOPED_TRACE(str(processor, " ", one.elem, one.turnA ? " turned" : ""));
      Product other = one, third = one;
      other.rows = 192, other.columns = 128, other.depth = 64;
      third.rows = 96, third.columns = 512;
      std::vector<CodeUnit> units = unitsOf(text("one", one) + text("other", other) + text("third", third), processor);
      size_t loops = static_cast<size_t>(std::ranges::count_if(units, &CodeUnit::isLoop));
      EXPECT_EQ(loops, 2U);
      ASSERT_EQ(units.size(), loops + 3);
      for (const char *name : {"xt_kernel_one", "xt_kernel_other", "xt_kernel_third"}) {
        const CodeUnit *kernel = unitOf(units, name);
        ASSERT_TRUE(kernel);
        EXPECT_EQ(kernel->calls, units.back().calls);
        EXPECT_EQ(kernel->level, llvm::CodeGenOptLevel::None);
      }
    }
}

TEST(CodeUnits, WhatIsDoneBehindAProductIsPartOfItsLoops) {
  Product relu{.epilogue = "  %zero = constant 0.0 : vector<64x64xf32>\n  %y = maximumf %acc, %zero : vector<64x64xf32>\n", .stored = "%y"};
  std::vector<CodeUnit> units = unitsOf(text("plain", {}) + text("relu", relu));
  EXPECT_EQ(std::ranges::count_if(units, &CodeUnit::isLoop), 4);
  const CodeUnit *plain = unitOf(units, "xt_kernel_plain"), *other = unitOf(units, "xt_kernel_relu");
  ASSERT_TRUE(plain && other);
  EXPECT_NE(plain->calls, other->calls);
}

// What it reads beside the sums lies elsewhere in each kernel.
TEST(CodeUnits, ABiasIsPartOfLoopsThatAreTheSame) {
  auto biased = [](const char *name, int rows, int columns) {
    std::string epilogue = str("  %t = init_tile %C[0, %j] -> tile<1x", columns, "xf32>\n  %r = load_tile %t\n  %all = broadcast %r [0] -> vector<", rows, "x", columns,
                               "xf32>\n  %y = %acc + %all\n");
    return text(name, {.rows = rows, .columns = columns, .epilogue = epilogue.c_str(), .stored = "%y"});
  };
  std::vector<CodeUnit> units = unitsOf(biased("one", 64, 64) + biased("other", 128, 256));
  const CodeUnit *one = unitOf(units, "xt_kernel_one"), *other = unitOf(units, "xt_kernel_other");
  ASSERT_TRUE(one && other);
  EXPECT_FALSE(one->calls.empty());
  EXPECT_EQ(one->calls, other->calls);
}

// In an order in which all that is called is there.
TEST(CodeUnits, LoopsStandBeforeWhatCallsThem) {
  std::vector<CodeUnit> units = unitsOf(text("one", {}) + text("two", {.elem = "bf16"}));
  std::vector<std::string> known;
  for (const CodeUnit &unit : units) {
    for (const std::string &called : unit.calls) EXPECT_NE(std::ranges::find(known, called), known.end()) << called;
    known.push_back(unit.symbol);
  }
}

TEST(CodeUnits, OtherKernelsAreWhole) {
  std::vector<CodeUnit> units = unitsOf("kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<64x64xf32>\n"
                                        "  %a = load_tile %ta\n  %tb = init_tile %B[0, 0] -> tile<64x64xf32>\n  store_tile %a, %tb\n}\n" +
                                        text("prints", {.epilogue = "  print \"done\"\n"}));
  ASSERT_EQ(units.size(), 2U);
  for (const CodeUnit &unit : units) {
    EXPECT_FALSE(unit.isLoop);
    EXPECT_TRUE(unit.calls.empty());
    EXPECT_EQ(unit.level, llvm::CodeGenOptLevel::Less);
  }
}

// Also loops that another kernel, which is gone, has been compiled with.
TEST(CodeUnits, KernelsRunOnTheLoopsOfOthers) {
  const Product first{.rows = 32, .columns = 96, .depth = 16}, second{.rows = 64, .columns = 64, .depth = 48};
  std::vector<CodeUnit> units = unitsOf(text("k", second), "host");
  ASSERT_GT(units.size(), 1U);
  for (const Product &product : {first, second}) {
    TextKernel kernel(text("k", product));
    Array a(Elem::F32, {70, 33}), b(Elem::F32, {33, 45}), c(Elem::F32, {70, 45});
    RandomNumbers random(11);
    random.fill(a, true);
    random.fill(b, true);
    ASSERT_TRUE(kernel.launch({&a, &b, &c}).ok);
    c.forEach([&](const std::vector<int64_t> &index) {
      double sum = 0;
      for (int64_t k = 0; k < 33; ++k) sum += a.number({index[0], k}) * b.number({k, index[1]});
      ASSERT_EQ(c.number(index), sum);
    });
    for (const CodeUnit &unit : units) EXPECT_EQ(unit.isLoop, LoopLibrary::ofProcess().find(unit.key) != nullptr);
  }
}

} // namespace
} // namespace xt
