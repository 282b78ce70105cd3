// Blocks whose rows are loaded by 1D block messages: which messages, and what loads the blocks that these do not take.
#include "tests/targets/xe/emit/gpu_program.h"

#include "ir/base/text.h"

namespace xt::test {
namespace {

// C = A * B in blocks of 16x32 for each of two subgroups.
std::string gemm(const std::string &type, const std::string &sum, int64_t depth) {
  return str("#c = #wg_map<sg_layout = [2, 1], sg_data = [16, 32]>\n", "kernel @gemm(%A: memref<?x?x", type,
             ">, %B: memref<?x?x", type, ">, %C: memref<?x?x", sum, ">)\n",
             "    grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 32) {\n",
             "  %ta = init_tile %A[%i, 0] -> tile<32x", depth, "x", type, ">\n", "  %tb = init_tile %B[0, %j] -> tile<", depth,
             "x32x", type, ">\n", "  %acc = constant ", sum == "f32" ? "0.0" : "0", " : vector<32x32x", sum, ", #c>\n",
             "  for %k = 0 to dim(%A, 1) step ", depth, " {\n    %a = load_tile %ta\n    %b = load_tile %tb\n",
             "    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, 0, ", depth, "\n",
             "    %tb = update_tile_offset %tb, ", depth, ", 0\n  }\n", "  %tc = init_tile %C[%i, %j] -> tile<32x32x", sum,
             ", #c>\n  store_tile %acc, %tc\n}\n");
}

size_t callsOf(const std::string &function, const std::string &text) {
  return countOf("@_Z" + std::to_string(function.find("PU3AS1")) + function + "(ptr addrspace(1) %", text);
}

// Each row of A, 32 columns, is one message of 2 words of two columns for each lane; each row of B one of 4 columns.
TEST(LineLoads, OperandsOfHalves) {
  for (const char *type : {"f16", "bf16"}) {
    GpuProgram program(gemm(type, "f32", 32), "xe-dg2");
    ASSERT_TRUE(program && program.fits()) << program.messages();
    std::string text = program.llvm();
    EXPECT_EQ(callsOf("intel_sub_group_block_read2PU3AS1Kj", text), 16u) << text;
    EXPECT_EQ(callsOf("intel_sub_group_block_read_us4PU3AS1Kt", text), 32u);
    EXPECT_EQ(countOf("@_Z26intel_sub_group_block_read", text), 0u);
    EXPECT_GT(countOf("load i16, ptr addrspace(1)", text), 0u) << "other blocks go element by element";
    EXPECT_EQ(program.messages().find("warning"), std::string::npos) << program.messages();
  }
}

TEST(LineLoads, OperandsOfBytes) {
  GpuProgram program(gemm("i8", "i32", 64), "xe-dg2");
  ASSERT_TRUE(program && program.fits()) << program.messages();
  std::string text = program.llvm();
  EXPECT_EQ(callsOf("intel_sub_group_block_read2PU3AS1Kj", text), 16u) << text;
  EXPECT_EQ(callsOf("intel_sub_group_block_read_uc4PU3AS1Kh", text), 64u);
  EXPECT_GT(countOf("load i8, ptr addrspace(1)", text), 0u);
}

// A branch of the whole subgroup decides for each block, and no barrier separates the loads of a loop that writes nothing.
TEST(LineLoads, OneBranchForEachBlock) {
  GpuProgram program(gemm("f16", "f32", 32), "xe-dg2");
  ASSERT_TRUE(program) << program.messages();
  std::string text = program.llvm(), loop = text.substr(text.find("\nfor:"));
  size_t last = loop.rfind("matrix_mad_k16");
  EXPECT_EQ(countOf("ControlBarrier", loop.substr(0, last)), 0u);
  std::string first = loop.substr(0, loop.find("br i1"));
  EXPECT_EQ(countOf("get_sub_group_local_id", first), 0u);
  EXPECT_NE(first.find("and i64"), std::string::npos) << "alignment is checked: " << first;
}

// Rows of f32 are aligned as their elements are.
TEST(LineLoads, TilesOfWholeWords) {
  GpuProgram program("kernel @k(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {\n"
                     "  %ta = init_tile %A[8, 16] -> tile<8x8xf32>\n  %tb = init_tile %B[0, 0] -> tile<8x8xf32>\n"
                     "  %v = load_tile %ta\n  store_tile %v, %tb\n}\n",
                     "xe-dg2");
  ASSERT_TRUE(program && program.fits()) << program.messages();
  std::string text = program.llvm();
  EXPECT_EQ(callsOf("intel_sub_group_block_readPU3AS1Kj", text), 8u) << text;
  EXPECT_EQ(countOf("load float", text), 0u) << "the block is always in bounds and aligned";
}

// Padding other than zeros, matrices by columns, and targets for any buffers go element by element.
TEST(LineLoads, NotForOtherLoads) {
  auto text = [](const std::string &base, const std::string &load) {
    return str("kernel @k(%A: ", base, ", %B: memref<64x64xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<8x8xf32", load,
               "\n  %tb = init_tile %B[0, 0] -> tile<8x8xf32>\n  store_tile %v, %tb\n}\n");
  };
  for (const std::string &kernel : {text("memref<64x64xf32>", ">\n  %v = load_tile %ta {padding = 1.0}"),
                                    text("memref<64x64xf32>", ">\n  %w = load_tile %ta\n  %v = transpose %w [1, 0]")}) {
    GpuProgram program(kernel, "xe-dg2");
    ASSERT_TRUE(program) << program.messages();
    EXPECT_EQ(countOf("block_read", program.llvm()), 0u) << kernel;
  }
  XeEmitOptions options;
  options.blockMessages = false;
  GpuProgram program(gemm("f16", "f32", 32), "xe-dg2", options);
  ASSERT_TRUE(program);
  EXPECT_EQ(countOf("block_read", program.llvm()), 0u);
}

} // namespace
} // namespace xt::test
