// What kernels are compiled as, and which of it they share.
#include "targets/cpu/code_units.h"
#include "ir/base/text.h"
#include "targets/cpu/loop_library.h"
#include "tests/targets/cpu/text_kernel.h"

#include <llvm/Bitcode/BitcodeReader.h>

#include <gtest/gtest.h>

#include <thread>

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

// What is left of a kernel has nothing that takes long.
TEST(CodeUnits, CallersHaveNoVectors) {
  const Product products[] = {{}, {.elem = "bf16"}, {.elem = "i8", .sum = "i32", .zero = "0"}, {.turnA = true},
                              {.epilogue = "  %r = reduction <add> %acc [1]\n  %t = init_tile %C[%i, 0] -> tile<64x1xf32>\n  store_tile %r, %t\n"}};
  for (const Product &product : products)
    for (const CodeUnit &unit : unitsOf(text("k", product))) {
      if (unit.isLoop) continue;
      llvm::LLVMContext context;
      auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(unit.bitcode, "unit"), context);
      ASSERT_TRUE(static_cast<bool>(module));
      EXPECT_FALSE(unit.calls.empty());
      for (const llvm::Function &function : **module)
        for (const llvm::BasicBlock &block : function)
          for (const llvm::Instruction &instruction : block) EXPECT_FALSE(instruction.getType()->isVectorTy()) << product.elem;
    }
}

TEST(CodeUnits, OtherKernelsAreWhole) {
  const std::string barrier = "  barrier\n", loop = "  %n = 0.0\n  for %x = 0 to dim(%A, 0) {\n    %v = memref.load %A[%x, 0]\n    %n = %n + %v\n  }\n  memref.store %n, %C[0, 0]\n";
  const std::string source = "kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<64x64xf32>\n"
                             "  %a = load_tile %ta\n  %tb = init_tile %B[0, 0] -> tile<64x64xf32>\n  store_tile %a, %tb\n}\n" +
                             text("prints", {.epilogue = "  print \"done\"\n"}) + text("waits", {.epilogue = barrier.c_str()}) +
                             text("counts", {.epilogue = loop.c_str()}) + text("small", {.rows = 32, .columns = 32}) +
                             text("transposes", {.epilogue = "  %y = transpose %acc [1, 0]\n", .stored = "%y"});
  std::vector<CodeUnit> units = unitsOf(source);
  EXPECT_EQ(units.size(), 6U);
  for (const CodeUnit &unit : units) {
    SCOPED_TRACE(unit.symbol);
    EXPECT_FALSE(unit.isLoop);
    EXPECT_TRUE(unit.calls.empty());
    EXPECT_EQ(unit.level, llvm::CodeGenOptLevel::Less);
  }
}

// It would take a time that grows with the square of their number.
TEST(CodeUnits, ManyNestsAreNotOutlined) {
  std::string source = "kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {\n";
  for (int n = 0; n < 20; ++n)
    source += str("  %acc = constant 0.0 : vector<64x64xf32>\n  for %k = 0 to dim(%A, 1) step 16 {\n    %ta = init_tile %A[0, %k] -> tile<64x16xf32>\n"
                  "    %tb = init_tile %B[%k, 0] -> tile<16x64xf32>\n    %a = load_tile %ta\n    %b = load_tile %tb\n    %acc = tile_mma %a, %b, %acc\n  }\n"
                  "  %tc = init_tile %C[", 64 * n, ", 0] -> tile<64x64xf32>\n  store_tile %acc, %tc\n");
  std::vector<CodeUnit> units = unitsOf(source + "}\n");
  ASSERT_EQ(units.size(), 1U);
  EXPECT_EQ(units[0].level, llvm::CodeGenOptLevel::Less);
}

TEST(CodeUnits, LoopsAreOptimisedUnlessOneAsksOtherwise) {
  for (bool optimise : {true, false})
    for (const CodeUnit &unit : unitsOf(text("k", {}), "x86-64-v4", optimise))
      EXPECT_EQ(unit.level, optimise && unit.isLoop ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None);
}

// A kernel on the host with what it is to compute.
class RunningProduct {
public:
  explicit RunningProduct(const Product &product) : kernel_(text("k", product)) {
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

const Product kOne{.rows = 64, .columns = 96, .depth = 16}, kOther{.rows = 128, .columns = 64, .depth = 48};

// Also loops that another kernel, which is gone, has been compiled with.
TEST(CodeUnits, KernelsRunOnTheLoopsOfOthers) {
  std::vector<CodeUnit> units = unitsOf(text("k", kOther), "host");
  ASSERT_GT(units.size(), 1U);
  for (const Product &product : {kOne, kOther}) {
    RunningProduct(product).run();
    for (const CodeUnit &unit : units) EXPECT_EQ(unit.isLoop, LoopLibrary::ofProcess().find(unit.key) != nullptr);
  }
}

TEST(CodeUnits, AKernelKeepsItsLoops) {
  RunningProduct product(kOne);
  product.run();
  for (size_t i = 0; i < LoopLibrary::kMost; ++i) LoopLibrary::ofProcess().keep(str("another ", i), std::make_shared<LoadedCode>());
  for (const CodeUnit &unit : unitsOf(text("k", kOne), "host")) EXPECT_EQ(LoopLibrary::ofProcess().find(unit.key), nullptr);
  product.run();
  RunningProduct(kOther).run(); // on new ones
}

TEST(CodeUnits, ThreadsCompileAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([i] {
      for (int columns : {64, 128, 192}) RunningProduct({.rows = 64, .columns = columns, .depth = 16 + 16 * (i % 2)}).run(1 + i % 2);
    });
  for (std::thread &thread : threads) thread.join();
}

// A kernel's name may be any that a loop could have.
TEST(CodeUnits, NamesOfLoopsAreNotThoseOfKernels) {
  std::vector<CodeUnit> units = unitsOf(text("a", {}) + text("a.loop0", {.epilogue = "  %y = %acc * %acc\n", .stored = "%y"}) + text("xt_loop0.a", {.elem = "f16"}));
  for (const char *name : {"xt_kernel_a", "xt_kernel_a.loop0", "xt_kernel_xt_loop0.a"}) {
    const CodeUnit *unit = unitOf(units, name);
    ASSERT_TRUE(unit) << name;
    EXPECT_FALSE(unit->calls.empty());
  }
}

} // namespace
} // namespace xt
