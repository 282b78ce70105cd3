// Tests into which code kernels are compiled, and which kernels share code.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/cpu/jit/code_library.h"
#include "targets/cpu/jit/code_units.h"
#include "targets/cpu/module/kernel_module.h"
#include "tests/targets/cpu/text_kernel.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace xt {
namespace {

struct ProductSizes {
  int rows = 64, columns = 64, depth = 32;
  const char *elem = "f32", *sum = "f32", *zero = "0.0";
  const char *epilogue = "", *stored = "%acc"; // statements that compute `stored` from %acc
  bool transposeA = false;
};

std::string text(const char *name, const ProductSizes &p) {
  std::string tileA = p.transposeA ? str(p.depth, "x", p.rows) : str(p.rows, "x", p.depth);
  return str("kernel @", name, "(%A: memref<?x?x", p.elem, ">, %B: memref<?x?x", p.elem, ">, %C: memref<?x?x", p.sum,
             ">)\n    grid (%i = 0 to dim(%C, 0) step ", p.rows, ", %j = 0 to dim(%C, 1) step ", p.columns,
             ") {\n  %ta = init_tile %A[", p.transposeA ? "0, %i" : "%i, 0", "] -> tile<", tileA, "x", p.elem,
             ">\n  %tb = init_tile %B[0, %j] -> tile<", p.depth, "x", p.columns, "x", p.elem, ">\n  %acc = constant ", p.zero,
             " : vector<", p.rows, "x", p.columns, "x", p.sum, ">\n  for %k = 0 to dim(%A, ", p.transposeA ? 0 : 1, ") step ",
             p.depth, " {\n    %a = load_tile %ta", p.transposeA ? " {transpose = [1, 0]}" : "",
             "\n    %b = load_tile %tb\n    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, ",
             p.transposeA ? str(p.depth, ", 0") : str("0, ", p.depth), "\n    %tb = update_tile_offset %tb, ", p.depth,
             ", 0\n  }\n", p.epilogue, "  %tc = init_tile %C[%i, %j] -> tile<", p.rows, "x", p.columns, "x", p.sum,
             ">\n  store_tile ", p.stored, ", %tc\n}\n");
}

std::vector<CodeUnit> unitsOf(const std::string &source, const char *processor = "x86-64-v4", bool optimise = true) {
  TextKernel kernel(source);
  if (!kernel) return {};
  auto cpu = cpuInfo(processor);
  EXPECT_TRUE(cpu.ok());
  llvm::LLVMContext context;
  context.setDiscardValueNames(true); // as the target does
  Diagnostics diagnostics;
  auto emitted = emitKernels(kernel.module(), *cpu, context, diagnostics);
  EXPECT_TRUE(emitted.ok());
  auto units = codeUnits(*emitted, *cpu, optimise);
  EXPECT_TRUE(units.ok());
  return units.ok() ? std::move(*units) : std::vector<CodeUnit>();
}

std::vector<std::string> keysOf(const std::string &source, const char *processor = "x86-64-v4", bool optimise = true) {
  std::vector<std::string> keys;
  for (const CodeUnit &unit : unitsOf(source, processor, optimise)) keys.push_back(unit.key);
  return keys;
}

size_t differentOnes(std::vector<std::string> keys) { return std::set<std::string>(keys.begin(), keys.end()).size(); }

// Kernels that differ only in the sizes of their tiles and in their names have the same code.
TEST(CodeUnits, TilesOfOtherSizesHaveTheSameCode) {
  const ProductSizes types[] = {{},
                                {.elem = "f64", .sum = "f64"},
                                {.elem = "bf16"},
                                {.elem = "f16"},
                                {.elem = "i8", .sum = "i32", .zero = "0"},
                                {.transposeA = true}};
  for (const char *processor : {"x86-64-v3", "x86-64-v4", "sapphirerapids"})
    for (ProductSizes one : types) {
      SCOPED_TRACE(str(processor, " ", one.elem, one.transposeA ? " transposed" : ""));
      ProductSizes other = one, third = one;
      other.rows = 192, other.columns = 128, other.depth = 64;
      third.rows = 96, third.columns = 512;
      std::vector<std::string> keys = keysOf(text("one", one) + text("other", other) + text("third", third), processor);
      ASSERT_EQ(keys.size(), 3U);
      EXPECT_EQ(differentOnes(keys), 1U);
    }
}

// Kernels whose epilogues read another operand at different offsets share their code, but not with a kernel without an
// epilogue.
TEST(CodeUnits, WhatIsDoneBehindAProductIsPartOfTheCode) {
  auto biased = [](const char *name, int rows, int columns) {
    std::string epilogue = str("  %t = init_tile %C[0, %j] -> tile<1x", columns,
                               "xf32>\n  %r = load_tile %t\n  %all = broadcast %r [0] -> vector<", rows, "x", columns,
                               "xf32>\n  %y = %acc + %all\n");
    return text(name, {.rows = rows, .columns = columns, .epilogue = epilogue.c_str(), .stored = "%y"});
  };
  std::vector<std::string> keys = keysOf(biased("one", 64, 64) + biased("other", 128, 256) + text("plain", {}));
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[0], keys[1]);
  EXPECT_NE(keys[0], keys[2]);
}

std::string softmax(const char *name, int rows, int columns) {
  std::string shape = str(rows, "x", columns);
  return str("kernel @", name, "(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0) step ", rows,
             ") {\n  assert (dim(%X, 1) <= ", columns, "), \"wide\"\n  %tx = init_tile %X[%i, 0] -> tile<", shape,
             "xf32>\n  %ty = init_tile %Y[%i, 0] -> tile<", shape,
             "xf32>\n  %x = load_tile %tx {padding = -inf}\n  %max = reduction <maximumf> %x [1]\n  %m = broadcast %max [1] -> "
             "vector<",
             shape, "xf32>\n  %e = exp(%x - %m)\n  %sum = reduction <add> %e [1]\n  %s = broadcast (1.0 / %sum) [1] -> vector<",
             shape, "xf32>\n  store_tile (%e * %s), %ty\n}\n");
}

TEST(CodeUnits, RowsOfOtherLengthsHaveTheSameCode) {
  for (const char *processor : {"x86-64-v3", "x86-64-v4"}) {
    std::vector<std::string> keys =
        keysOf(softmax("one", 4, 2048) + softmax("other", 4, 4096) + softmax("third", 8, 1024), processor);
    ASSERT_EQ(keys.size(), 3U);
    EXPECT_EQ(differentOnes(keys), 1U);
  }
}

// Returns a kernel with two products, one of which multiplies the result of the other.
std::string attention(const char *name, const char *elem, int queries, int keys, const char *converted) {
  std::string scores = str(queries, "x", keys), sums = str(queries, "x64");
  return str(
      "kernel @", name, "(%Q: memref<?x?x", elem, ">, %K: memref<?x?x", elem, ">, %V: memref<?x?x", elem,
      ">, %O: memref<?x?xf32>)\n    grid (%i = 0 to dim(%Q, 0) step ", queries, ") {\n  %tq = init_tile %Q[%i, 0] -> tile<",
      sums, "x", elem, ">\n  %tk = init_tile %K[0, 0] -> tile<", keys, "x64x", elem, ">\n  %tv = init_tile %V[0, 0] -> tile<",
      keys, "x64x", elem, ">\n  %q = load_tile %tq\n  %max = constant -inf : vector<", queries,
      "x1xf32>\n  %acc = constant 0.0 : vector<", sums, "xf32>\n  for %n = 0 to dim(%K, 0) step ", keys,
      " {\n    %kt = load_tile %tk {transpose = [1, 0]}\n    %v = load_tile %tv\n    %s = tile_mma %q, %kt\n    %inside = "
      "create_mask ",
      queries, ", (dim(%K, 0) - %n) : vector<", scores,
      "xi1>\n    %t = select(%inside, %s, -inf)\n    %block = reduction <maximumf> %t [1]\n    %max = max(%max, %block)\n"
      "    %m = broadcast %max [1] -> vector<",
      scores, "xf32>\n    %p = exp(%t - %m)\n", converted,
      "    %acc = tile_mma %r, %v, %acc\n    %tk = update_tile_offset %tk, ", keys, ", 0\n    %tv = update_tile_offset %tv, ",
      keys, ", 0\n  }\n  %to = init_tile %O[%i, 0] -> tile<", sums, "xf32>\n  store_tile %acc, %to\n}\n");
}

TEST(CodeUnits, AttentionByOtherBlocksHasTheSameCode) {
  for (const char *processor : {"x86-64-v3", "x86-64-v4", "sapphirerapids"})
    for (std::string elem : {"f32", "bf16"}) {
      SCOPED_TRACE(str(processor, " ", elem));
      auto converted = [&](int queries, int keys) {
        std::string from = str(" : vector<", queries, "x", keys, "xf32>");
        return elem == "f32" ? str("    %r = %p * 1.0\n")
                             : str("    %r = truncf %p", from, " -> vector<", queries, "x", keys, "xbf16>\n");
      };
      std::string source;
      for (auto [queries, keys] : {std::pair(128, 256), std::pair(256, 128), std::pair(128, 512)})
        source +=
            attention(str("of", queries, "by", keys).c_str(), elem.c_str(), queries, keys, converted(queries, keys).c_str());
      std::vector<std::string> keys = keysOf(source, processor);
      ASSERT_EQ(keys.size(), 3U);
      EXPECT_EQ(differentOnes(keys), 1U);
    }
}

TEST(CodeUnits, WithoutOptimisationItIsOtherCode) {
  EXPECT_NE(keysOf(text("k", {}), "x86-64-v4", true), keysOf(text("k", {}), "x86-64-v4", false));
}

// A kernel on the host, and its expected result.
class RunningProduct {
public:
  explicit RunningProduct(const ProductSizes &product) : kernel_(text("k", product)) {
    RandomNumbers random(11);
    random.fill(a_, true);
    random.fill(b_, true);
  }
  void run(int threads = 1) {
    ASSERT_TRUE(kernel_.launch({&a_, &b_, &c_}, {}, threads).ok);
    c_.forEach([&](const std::vector<int64_t> &index) {
      double sum = 0;
      for (int64_t k = 0; k < 33; ++k) sum += a_.number({index[0], k}) * b_.number({k, index[1]});
      ASSERT_EQ(c_.number(index), sum);
    });
  }

private:
  TextKernel kernel_;
  Array a_{Elem::F32, {70, 33}}, b_{Elem::F32, {33, 45}}, c_{Elem::F32, {70, 45}};
};

const ProductSizes kOne{.rows = 64, .columns = 96, .depth = 16}, kOther{.rows = 128, .columns = 64, .depth = 48};

TEST(CodeUnits, KernelsRunOnTheCodeOfOthers) {
  std::vector<std::string> one = keysOf(text("k", kOne), "host"), other = keysOf(text("k", kOther), "host");
  ASSERT_EQ(one.size(), 1U);
  ASSERT_EQ(one, other);
  for (const ProductSizes &product : {kOne, kOther}) {
    RunningProduct(product).run();
    EXPECT_NE(CodeLibrary::ofProcess().find(one[0]), nullptr);
  }
}

TEST(CodeUnits, AKernelKeepsItsCode) {
  RunningProduct product(kOne);
  product.run();
  for (size_t i = 0; i < CodeLibrary::kMost; ++i)
    CodeLibrary::ofProcess().keep(str("another ", i), std::make_shared<LoadedCode>());
  for (const std::string &key : keysOf(text("k", kOne), "host")) EXPECT_EQ(CodeLibrary::ofProcess().find(key), nullptr);
  product.run();
  RunningProduct(kOther).run(); // this product runs newly compiled code
}

// Launches the first kernel of each module. Kernels with the same code must use their own numbers.
TEST(CodeUnits, KernelsOfTheSameCodeHaveTheirOwnNumbers) {
  const std::string narrow = softmax("narrow", 4, 16), wide = softmax("wide", 4, 48);
  TextKernel narrowFirst(narrow + wide), wideFirst(wide + narrow);
  ASSERT_TRUE(narrowFirst && wideFirst);
  Array x(Elem::F32, {6, 40}), y(Elem::F32, {6, 40});
  RandomNumbers(3).fill(x, false);
  EXPECT_FALSE(narrowFirst.launch({&x, &y}).ok); // 40 columns are more than 16
  ASSERT_TRUE(wideFirst.launch({&x, &y}).ok);
  for (int64_t row = 0; row < 6; ++row) {
    double sum = 0;
    for (int64_t column = 0; column < 40; ++column) sum += y.number({row, column});
    EXPECT_NEAR(sum, 1, 1e-5) << row;
  }
}

TEST(CodeUnits, ThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int columns : {64, 128, 192})
        RunningProduct({.rows = 64, .columns = columns, .depth = 16 + 16 * (i % 2)}).run(1 + i % 2);
    });
  for (std::thread &thread : threads) thread.join();
}

} // namespace
} // namespace xt
