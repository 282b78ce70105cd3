// Tests that the output of the compiler and the memory that it allocates grow at most linearly with the source. The tests
// compare counts, so that they do not depend on the machine; times are only printed.
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "lang/lower/lower.h"
#include "passes/facts.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "targets/cpu/module/kernel_module.h"
#include "tests/targets/growth/allocated.h"

#include <gtest/gtest.h>

#include <chrono>

namespace xt {
namespace {

struct Counts {
  double sourceOps, irOps, llvmInstructions, bytes, milliseconds;
};

Counts compile(const std::string &text, double sourceOps) {
  auto start = std::chrono::steady_clock::now();
  size_t before = test::allocatedBytes;
  Counts counts{sourceOps, 0, 0, 0, 0};
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  auto lowered = lowerFile(sources, sources.add("growth.xt", text), context, {}, diagnostics);
  EXPECT_TRUE(lowered.ok()) << renderText(diagnostics, sources, false);
  if (!lowered) return counts;
  std::string_view names[] = {"canonicalize", "cse", "dead-code"};
  auto passes = passesNamed(names);
  EXPECT_TRUE(passes.ok() && runPasses(**lowered, *passes, {}, diagnostics).ok());
  counts.irOps = static_cast<double>(countOps(**lowered));
  auto cpu = cpuInfo("x86-64-v3");
  EXPECT_TRUE(cpu.ok());
  llvm::LLVMContext llvmContext;
  auto emitted = emitKernels(**lowered, *cpu, llvmContext, diagnostics);
  EXPECT_TRUE(emitted.ok()) << renderText(diagnostics, sources, false);
  if (emitted) counts.llvmInstructions = static_cast<double>(emitted->module->getInstructionCount());
  counts.bytes = static_cast<double>(test::allocatedBytes - before);
  counts.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("%8.0f ops of source: %8.0f ops, %9.0f LLVM instructions, %7.1f MB allocated, %7.1f ms\n", sourceOps,
              counts.irOps, counts.llvmInstructions, counts.bytes / 1e6, counts.milliseconds);
  return counts;
}

// Compares the increase per op of source between consecutive sizes, which must not grow by more than a tenth.
void expectLinear(const std::vector<Counts> &counts) {
  auto slope = [&](size_t i, double Counts::*what) {
    return (counts[i + 1].*what - counts[i].*what) / (counts[i + 1].sourceOps - counts[i].sourceOps);
  };
  for (double Counts::*what : {&Counts::irOps, &Counts::llvmInstructions, &Counts::bytes})
    for (size_t i = 0; i + 2 < counts.size(); ++i)
      EXPECT_LE(slope(i + 1, what), 1.1 * slope(i, what)) << "between sizes " << i << " and " << i + 2;
}

// Returns a kernel with groups of ops that load, reduce, broadcast and combine tiles. The kernel stores the result at its end.
std::string chain(int groups) {
  std::string text = "kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %acc = constant 0.0 : vector<16x32xf32>\n";
  for (int g = 0; g < groups; ++g)
    text += str("  %t", g, " = init_tile %A[", g, ", 0] -> tile<16x32xf32>\n  %v", g, " = load_tile %t", g, "\n  %r", g,
                " = reduction <add> %v", g, " [1]\n  %b", g, " = broadcast %r", g,
                " [1] -> vector<16x32xf32>\n  %acc = %acc * %b", g, "\n");
  return text + "  %o = init_tile %B[0, 0] -> tile<16x32xf32>\n  store_tile %acc, %o\n}\n";
}

TEST(Growth, LinearInOps) {
  std::vector<Counts> counts;
  compile(chain(2), 10); // warms up: allocates what a process creates only once
  // The sizes have a constant ratio, so that the growth steps of containers affect all sizes alike.
  for (int ops : {160, 640, 2560, 10240}) counts.push_back(compile(chain(ops / 5), ops));
  expectLinear(counts);
}

TEST(Growth, LinearInKernels) {
  std::vector<Counts> counts;
  for (int kernels : {3, 12, 50, 200}) {
    std::string text;
    for (int k = 0; k < kernels; ++k) {
      std::string one = chain(8);
      text += one.replace(one.find("@k"), 2, str("@k", k));
    }
    counts.push_back(compile(text, kernels));
  }
  expectLinear(counts);
}

// Returns a kernel with one value that has many uses: folding `%x * 1` replaces each use of %x by another one.
std::string oneValue(int uses) {
  std::string text = "kernel @k(%C: memref<?xi32>, %x: i32) {\n  %acc = %x + 1\n";
  for (int u = 0; u < uses; ++u) text += str("  %v", u, " = %x * 1\n  %acc = %acc * %v", u, "\n");
  return text + "  memref.store %acc, %C[0]\n}\n";
}

TEST(Growth, LinearInUsesOfOneValue) {
  std::vector<Counts> counts;
  compile(oneValue(2), 2);
  for (int uses : {160, 640, 2560, 10240}) {
    counts.push_back(compile(oneValue(uses), uses));
    EXPECT_LE(counts.back().irOps, uses + 8) << "the products with 1 are gone";
  }
  expectLinear(counts);
}

// Runs the passes of a GPU on a product of `rows` by 64 with a K step of 32, distributed over four subgroups. Counts are per
// product instruction of the hardware.
Counts compileBlocks(int rows) {
  auto start = std::chrono::steady_clock::now();
  size_t before = test::allocatedBytes;
  std::string text = str("#a = #wg_map<sg_layout = [4, 1], sg_data = [", rows / 4,
                         ", 32]>\n#b = #wg_map<sg_layout = [4, 1], sg_data = [32, 64]>\n"
                         "#c = #wg_map<sg_layout = [4, 1], sg_data = [",
                         rows / 4,
                         ", 64]>\n"
                         "kernel @k(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {\n"
                         "  %ta = init_tile %A[0, 0] -> tile<",
                         rows,
                         "x32xf16, #a>\n  %tb = init_tile %B[0, 0] -> tile<32x64xf16, #b>\n"
                         "  %tc = init_tile %C[0, 0] -> tile<",
                         rows,
                         "x64xf32, #c>\n  %acc = load_tile %tc\n"
                         "  for %k = 0 to dim(%A, 1) step 32 {\n    %a = load_tile %ta\n    %b = load_tile %tb\n"
                         "    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, 0, 32\n    %tb = "
                         "update_tile_offset %tb, 32, 0\n  }\n"
                         "  store_tile %acc, %tc\n}\n");
  Counts counts{0, 0, 0, 0, 0};
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  auto lowered = lowerFile(sources, sources.add("growth.xt", text), context, {}, diagnostics);
  EXPECT_TRUE(lowered.ok()) << renderText(diagnostics, sources, false);
  if (!lowered) return counts;
  PassOptions options;
  options.target = findTargetInfo("xe-pvc");
  EXPECT_TRUE(runPasses(**lowered, passesOf(kBlockPipeline), options, diagnostics).ok())
      << renderText(diagnostics, sources, false);
  walk((*lowered)->kernels[0]->body, [&](Op &op) { counts.sourceOps += op.kind() == OpKind::Dpas; });
  counts.irOps = static_cast<double>(countOps(**lowered));
  counts.bytes = static_cast<double>(test::allocatedBytes - before);
  counts.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  std::printf("%8.0f products: %8.0f ops, %7.1f MB allocated, %7.1f ms\n", counts.sourceOps, counts.irOps, counts.bytes / 1e6,
              counts.milliseconds);
  return counts;
}

TEST(Growth, LinearInBlocks) {
  std::vector<Counts> counts;
  compileBlocks(64); // warms up: allocates what a process creates only once
  for (int rows : {64, 256, 1024, 4096}) counts.push_back(compileBlocks(rows));
  for (size_t i = 1; i < counts.size(); ++i) EXPECT_EQ(counts[i].sourceOps, 4 * counts[i - 1].sourceOps);
  expectLinear(counts);
}

// A sort along a dimension of a vector of this shape, which a matrix of 16x64 spread over four subgroups becomes.
std::string sorted(const std::string &shape, int dim) {
  std::string vector = "vector<" + shape + "xf32>", tile = "tile<16x64xf32, #wg_map<sg_layout = [1, 4], sg_data = [16, 16]>>";
  return str("kernel @k(%X: memref<16x64xf32>) {\n  %t = init_tile %X[0, 0] -> ", tile,
             "\n  %m = load_tile %t\n  %x = reshape %m : vector<16x64xf32> -> ", vector, "\n  %y = sort %x [", dim,
             "]\n  %n = reshape %y : ", vector, " -> vector<16x64xf32>\n  store_tile %n, %t\n}\n");
}

// The whole sort is one of a matrix. Slices that are each made of other matrices would multiply its ops.
TEST(Growth, SortsOfOtherRanksAreThoseOfMatrices) {
  constexpr double kReshapes = 8;
  double rows = compile(sorted("16x64", 0), 1).irOps, columns = compile(sorted("16x64", 1), 1).irOps;
  EXPECT_GT(rows, 100);
  EXPECT_LE(compile(sorted("16x8x8", 0), 1).irOps, rows + kReshapes);
  EXPECT_LE(compile(sorted("2x8x64", 2), 1).irOps, columns + kReshapes);
  EXPECT_LE(compile(sorted("2x4x2x64", 3), 1).irOps, columns + kReshapes);
}

} // namespace
} // namespace xt
