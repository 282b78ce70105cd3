// Tests whole GEMM kernels: results, code size, and properties of the emitted text.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/shared_operands.h"
#include "targets/cpu/emit.h"
#include "targets/cpu/module/kernel_module.h"
#include "tests/targets/cpu/compare.h"

#include <cstdio>
#include <cstdlib>
#include <map>

namespace xt {
namespace {

void runGemm(Elem input, Elem output, GemmShape tile, std::vector<int64_t> sizes, int64_t pad, int threads,
             const std::vector<CpuInfo> &cpus) {
  KernelMaker m;
  makeGemm(m, input, output, tile);
  Array a(input, {sizes[0], sizes[2]}, pad), b(input, {sizes[2], sizes[1]}, pad), c(output, {sizes[0], sizes[1]}, pad);
  RandomNumbers random(7);
  random.fill(a, true);
  random.fill(b, true);
  expectAsInterpreter(m, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, cpus, {}, threads);
}

TEST(CpuGemm, EveryInputType) {
  for (Elem input : {Elem::F64, Elem::F32, Elem::TF32, Elem::F16, Elem::BF16, Elem::F8E4M3, Elem::F8E5M2, Elem::I8, Elem::U8}) {
    SCOPED_TRACE(elemName(input));
    Elem output = input == Elem::F64 ? Elem::F64 : isInteger(input) ? Elem::I32 : Elem::F32;
    runGemm(input, output, {32, 48, 16}, {70, 101, 53}, 3, 1, processors());
  }
}

TEST(CpuGemm, TileShapes) {
  for (GemmShape tile : std::vector<GemmShape>{
           {1, 1, 1}, {1, 200, 7}, {7, 1, 3}, {13, 17, 5}, {6, 64, 32}, {5, 33, 40}, {64, 80, 8}, {12, 96, 4}}) {
    SCOPED_TRACE(str(tile.rows, "x", tile.columns, "x", tile.depth));
    runGemm(Elem::F32, Elem::F32, tile, {2 * tile.rows + 1, tile.columns + 5, 2 * tile.depth + 1}, 0, 1, processors());
  }
}

TEST(CpuGemm, NarrowOutputAndThreads) {
  runGemm(Elem::F16, Elem::F16, {64, 64, 32}, {200, 150, 70}, 1, 4, {processors()[0]});
  runGemm(Elem::BF16, Elem::BF16, {64, 64, 32}, {130, 129, 64}, 0, 3, {processors()[0]});
}

TEST(CpuGemm, SubgroupScopeRunsEverySubgroup) {
  KernelMaker m;
  Value *c = m.param(m.matrix(Elem::F32));
  m.kernel->subgroups = 5;
  Value *id = m.b.value(OpKind::SubgroupId, {}, m.context.index());
  Value *number = m.cast(OpKind::SIToFP, m.cast(OpKind::IndexCast, id, Elem::I32), Elem::F32);
  m.store(m.splat(number, {1, 8}), m.tile(c, {id, m.index(0)}, {1, 8}));
  Array out(Elem::F32, {5, 8});
  expectAsInterpreter(m, {{&out, {}}}, {}, processors());
}

// The number of instructions depends on the kernel's text, not on the size of its tiles.
TEST(CpuGemm, InstructionCountDoesNotDependOnTheTile) {
  for (Elem input : {Elem::F32, Elem::F16, Elem::I8})
    for (const char *cpu : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
      Elem output = isInteger(input) ? Elem::I32 : Elem::F32;
      std::map<bool, std::vector<size_t>> counts; // from some size on, workgroups share B
      for (int64_t size : {64, 128, 192, 256, 320, 448, 512}) // columns are whole register tiles
        for (int64_t depth : {16, 32, 64}) {
          KernelMaker m;
          makeGemm(m, input, output, {size + 1, size, depth}); // a smaller register tile computes the last row
          Diagnostics diagnostics;
          Result<size_t> count = instructionCount(m.module, {cpu}, diagnostics);
          ASSERT_TRUE(count.ok()) << count.error().message;
          counts[input != Elem::F32 && size * depth * elemInfo(input).storageBytes >= kLeastSharedBytes].push_back(*count);
        }
      for (const auto &[shared, same] : counts) {
        for (size_t count : same) EXPECT_EQ(count, same[0]) << cpu;
        EXPECT_LT(same[0], 1200u) << cpu;
      }
    }
}

// No vector in the IR is wider than a register of the processor.
TEST(CpuGemm, VectorsFitRegisters) {
  const std::pair<const char *, int64_t> widths[] = {{"x86-64-v2", 128}, {"x86-64-v3", 256}, {"skylake-avx512", 512}};
  for (auto [cpu, width] : widths)
    for (Elem input : {Elem::F64, Elem::F32, Elem::F16, Elem::F8E4M3, Elem::I8}) {
      KernelMaker m;
      makeGemm(m, input, input == Elem::F64 ? Elem::F64 : isInteger(input) ? Elem::I32 : Elem::F32, {256, 256, 32});
      Diagnostics diagnostics;
      Result<std::string> text = emit(m.module, EmitKind::Llvm, {cpu}, diagnostics);
      ASSERT_TRUE(text.ok());
      size_t found = 0;
      for (size_t at = text->find('<'); at != std::string::npos; at = text->find('<', at + 1)) {
        int lanes = 0, taken = 0;
        char type[9] = "";
        if (std::sscanf(text->c_str() + at, "<%d x %8[a-z0-9]>%n", &lanes, type, &taken) != 2 || !taken) continue;
        ++found;
        std::string kind = type;
        int bits = kind == "float" ? 32 : kind == "double" ? 64 : kind == "half" ? 16 : std::atoi(type + 1);
        EXPECT_GT(bits, 0) << kind;
        EXPECT_LE(lanes * bits, width) << "<" << lanes << " x " << kind << "> for " << cpu;
      }
      EXPECT_GT(found, 0u);
    }
}

TEST(CpuGemm, EmissionIsDeterministic) {
  for (EmitKind kind : {EmitKind::Llvm, EmitKind::Asm, EmitKind::Object}) {
    std::string first;
    for (int i = 0; i < 2; ++i) {
      KernelMaker m;
      makeGemm(m, Elem::F16, Elem::F16, {256, 256, 32});
      Diagnostics diagnostics;
      Result<std::string> output = emit(m.module, kind, {"x86-64-v4"}, diagnostics);
      ASSERT_TRUE(output.ok());
      if (i == 0) first = *output;
      EXPECT_EQ(*output, first);
    }
    for (const char *symbol : {"xt_kernel_k", "xt_numbers_k"}) EXPECT_NE(first.find(symbol), std::string::npos) << symbol;
  }
}

// The module has a table of the numbers that the function reads, in the order in which it reads them.
TEST(CpuGemm, EmittedCodeHasItsNumbers) {
  KernelMaker m;
  makeGemm(m, Elem::F32, Elem::F32, {96, 160, 32});
  Diagnostics diagnostics;
  llvm::LLVMContext context;
  Result<EmittedModule> emitted = emitKernels(m.module, *cpuInfo("x86-64-v3"), context, diagnostics);
  ASSERT_TRUE(emitted.ok());
  const std::vector<int64_t> &numbers = emitted->kernels[0].output.numbers;
  std::string table = str("@xt_numbers_k = constant [", numbers.size(), " x i64] [");
  for (size_t i = 0; i < numbers.size(); ++i) table += str(i ? ", " : "", "i64 ", numbers[i]);
  EXPECT_NE(emit(m.module, EmitKind::Llvm, {"x86-64-v3"}, diagnostics)->find(table + "]"), std::string::npos) << table;
}

TEST(CpuGemm, FmaOnlyWhereTheProcessorHasIt) {
  KernelMaker m;
  makeGemm(m, Elem::F32, Elem::F32, {64, 64, 32});
  Diagnostics diagnostics;
  EXPECT_EQ(emit(m.module, EmitKind::Llvm, {"x86-64-v2"}, diagnostics)->find("llvm.fma"), std::string::npos);
  EXPECT_NE(emit(m.module, EmitKind::Asm, {"x86-64-v3"}, diagnostics)->find("vfmadd"), std::string::npos);
  EXPECT_NE(emit(m.module, EmitKind::Asm, {"skylake-avx512"}, diagnostics)->find("zmm"), std::string::npos);
}

TEST(CpuGemm, Errors) {
  KernelMaker m;
  makeGemm(m, Elem::F32, Elem::F32, {64, 64, 32});
  Diagnostics diagnostics;
  Result<std::string> unknown = emit(m.module, EmitKind::Asm, {"pentium-9"}, diagnostics);
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().message.find("unknown processor 'pentium-9'"), std::string::npos);

  KernelMaker large;
  makeGemm(large, Elem::F32, Elem::F32, {1 << 16, 1 << 16, 32});
  auto executable = cpuTarget().compile(large.module, {}, diagnostics);
  ASSERT_FALSE(executable.ok());
  ASSERT_EQ(diagnostics.errorCount(), 1u);
  EXPECT_EQ(diagnostics.all()[0].code, DiagCode::ScratchTooLarge);
  EXPECT_NE(diagnostics.all()[0].message.find("the limit is 1024 MiB"), std::string::npos);

  auto good = cpuTarget().compile(m.module, {}, diagnostics);
  ASSERT_TRUE(good.ok());
  Array wrong(Elem::F16, {4, 4});
  Result<void> launched = (*good)->launch(*m.kernel, {wrong.arg(), wrong.arg(), wrong.arg()}, {{}, {}});
  ASSERT_FALSE(launched.ok());
  EXPECT_NE(launched.error().message.find("argument 1"), std::string::npos);
}

} // namespace
} // namespace xt
