// Products and blocks as cooperative matrices: what goes between memory and matrices, and what through the lanes.
#include "tests/targets/xe/emit/gpu_program.h"

#include "ir/base/text.h"
#include "targets/xe/emit/matrix_form.h"

#include <regex>

namespace xt::test {
namespace {

constexpr std::string_view kTarget = "spirv-coop";

// C += A * B in blocks of 16x32 for each of two subgroups, and `after` on the sum %acc.
std::string gemm(const std::string &after, const std::string &stored, const std::string &type = "f16",
                 const std::string &sum = "f32") {
  return str("#c = #wg_map<sg_layout = [2, 1], sg_data = [16, 32]>\n", "kernel @gemm(%A: memref<?x?x", type,
             ">, %B: memref<?x?x", type, ">, %C: memref<?x?x", sum, ">)\n",
             "    grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 32) {\n",
             "  %ta = init_tile %A[%i, 0] -> tile<32x32x", type, ">\n  %tb = init_tile %B[0, %j] -> tile<32x32x", type, ">\n",
             "  %acc = constant 0.0 : vector<32x32x", sum, ", #c>\n",
             "  for %k = 0 to dim(%A, 1) step 32 {\n    %a = load_tile %ta\n    %b = load_tile %tb\n",
             "    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, 0, 32\n",
             "    %tb = update_tile_offset %tb, 32, 0\n  }\n", after, "  %tc = init_tile %C[%i, %j] -> tile<32x32x", sum,
             ", #c>\n  store_tile ", stored, ", %tc\n}\n");
}

// The text of a kernel after its last product.
std::string afterProducts(const std::string &llvm) {
  return llvm.substr(llvm.rfind("call spir_func target(\"spirv.CooperativeMatrixKHR\", float, 3, 8, 16, 2) @_Z34"));
}

size_t calls(const std::string &function, const std::string &text) {
  std::regex call("call spir_func [^@\\n]*@_Z\\d+" + function + "\\(");
  return static_cast<size_t>(std::distance(std::sregex_iterator(text.begin(), text.end(), call), std::sregex_iterator()));
}

// Sums stay matrices from one iteration to the next, and are stored as matrices where they are whole.
TEST(CooperativeMatrices, SumsNeverReachTheLanes) {
  GpuProgram program(gemm("", "%acc"), kTarget);
  ASSERT_TRUE(program && program.fits()) << program.messages();
  std::string text = program.llvm();
  EXPECT_EQ(calls("__spirv_CooperativeMatrixMulAddKHR_f16_8x16_a_f16_16x16_b_f32_8x16_c", text), 8u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixLoadKHR_f16_8x16_a_global", text), 4u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixLoadKHR_f16_16x16_b_global", text), 4u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixStoreKHR_f32_8x16_c_global", text), 4u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixLoadKHR_f32_8x16_c_slm", text), 0u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixStoreKHR_f32_8x16_c_slm", text), 4u) << "blocks that are partly out of bounds";
  EXPECT_EQ(calls("__spirv_CooperativeMatrixStoreKHR_f32_8x16_c_slm", afterProducts(text)), 4u);
  GpuCode made = program.spirv();
  ASSERT_EQ(made.kernels.size(), 1u);
  EXPECT_EQ(made.kernels[0].slmBytes, 2 * matrixScratchBytes(*findTargetInfo(kTarget)));
}

// Other ops get the sums once, behind the loop.
TEST(CooperativeMatrices, SumsReachTheLanesBehindTheLoop) {
  GpuProgram program(gemm("  %half = %acc * 0.5\n", "%half"), kTarget);
  ASSERT_TRUE(program && program.fits()) << program.messages();
  std::string text = program.llvm();
  EXPECT_EQ(calls("__spirv_CooperativeMatrixStoreKHR_f32_8x16_c_global", text), 0u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixStoreKHR_f32_8x16_c_slm", text), 4u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixStoreKHR_f32_8x16_c_slm", afterProducts(text)), 4u);
}

// The lanes' values of a loop become a matrix once behind it, and a matrix's elements go to the lanes in front of the next loop.
TEST(CooperativeMatrices, ExchangesAreNotInLoops) {
  GpuProgram program("kernel @k(%A: memref<8x16xf16>, %B: memref<16x16xf16>, %C: memref<8x16xf32>, %n: index) {\n"
                     "  %ta = init_tile %A[0, 0] -> tile<8x16xf16>\n  %tb = init_tile %B[0, 0] -> tile<16x16xf16>\n"
                     "  %tc = init_tile %C[0, 0] -> tile<8x16xf32>\n  %a = load_tile %ta\n  %b = load_tile %tb\n"
                     "  %c = load_tile %tc\n  for %i = 0 to %n {\n    %c = %c * 2.0 + 1.0\n  }\n"
                     "  %d = tile_mma %a, %b, %c\n  for %i = 0 to %n {\n    %d = %d * 2.0 + %c\n  }\n"
                     "  store_tile %d, %tc\n}\n",
                     kTarget);
  ASSERT_TRUE(program && program.fits()) << program.messages();
  std::istringstream lines(program.llvm());
  size_t exchanges = 0;
  std::string block;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != ' ' && line.find(':') != std::string::npos) block = line.substr(0, line.find(':'));
    if (line.find("call") == std::string::npos || line.find("f32_8x16_c_slm") == std::string::npos) continue;
    ++exchanges;
    EXPECT_FALSE(block.starts_with("for")) << line;
  }
  EXPECT_EQ(exchanges, 2u);
}

// A product of the lanes' own values, here a sum of two loads, gets its operands through shared local memory.
TEST(CooperativeMatrices, OperandsThatLanesCompute) {
  std::string text = gemm("", "%acc");
  text.replace(text.find("    %acc = tile_mma %a"), std::string("    %acc = tile_mma %a").size(),
               "    %d = %a + %a\n    %acc = tile_mma %d");
  GpuProgram program(text, kTarget);
  ASSERT_TRUE(program && program.fits()) << program.messages();
  std::string llvm = program.llvm();
  EXPECT_EQ(calls("__spirv_CooperativeMatrixLoadKHR_f16_8x16_a_global", llvm), 0u);
  EXPECT_EQ(calls("__spirv_CooperativeMatrixLoadKHR_f16_8x16_a_slm", llvm), 4u);
}

// Buffers and the memory for exchanges share what a workgroup has.
TEST(CooperativeMatrices, ExchangesNeedSharedLocalMemory) {
  std::string text = gemm("  %S = alloc_slm : memref<64x256xf32, slm>\n  %ts = init_tile %S[0, 0] -> tile<32x32xf32, #c>\n"
                          "  store_tile %acc, %ts\n  barrier\n  %r = load_tile %ts\n",
                          "%r");
  GpuProgram program(text, kTarget);
  ASSERT_TRUE(program);
  EXPECT_FALSE(program.fits());
  EXPECT_NE(program.messages().find("spirv-coop, beside 1024 bytes for its matrices, has 64512 per workgroup"),
            std::string::npos)
      << program.messages();
}

TEST(CooperativeMatrices, NamesOfForms) {
  for (const MmaInstruction &row : findTargetInfo(kTarget)->mma)
    for (MatrixUse use : kMatrixUses) {
      MatrixForm form = matrixForm(row, use);
      EXPECT_EQ(matrixOfTypeName(matrixTypeName(form)), form) << text(form);
    }
  for (const char *other : {"f", "Dv8_s", "matrix:", "matrix:f16", "matrix:f16_8", "matrix:f16_8x", "matrix:f16_8x16_d"})
    EXPECT_EQ(matrixOfTypeName(other), std::nullopt) << other;
}

} // namespace
} // namespace xt::test
