// Tests the code of certain kernels: messages and products by name, widths of indices, shapes of loops, the entry point's ABI.
#include "ir/base/text.h"
#include "tests/targets/xe/emit/gpu_program.h"

#include <algorithm>
#include <cstring>

namespace xt::test {
namespace {

const char *const kGemm = R"(
#mp_a = #wg_map<sg_layout = [8, 4], sg_data = [32, 32]>
#mp_b = #wg_map<sg_layout = [8, 4], sg_data = [32, 64]>
kernel @gemm(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 256, %j = 0 to dim(%C, 1) step 256) {
  %ta  = init_tile %A[%i, 0] -> tile<256x32xf16, #mp_a>
  %tb  = init_tile %B[0, %j] -> tile<32x256xf16, #mp_b>
  %acc = constant 0.0 : vector<256x256xf32, #mp_b>
  for %k = 0 to dim(%A, 1) step 32 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 32
    %tb  = update_tile_offset %tb, 32, 0
  }
  %tc = init_tile %C[%i, %j] -> tile<256x256xf32, #mp_b>
  store_tile %acc, %tc
}
)";

// Returns the text of a block from its label to its end.
std::string blockOf(const std::string &text, const std::string &label) {
  size_t begin = text.find("\n" + label + ":");
  if (begin == std::string::npos) return "";
  size_t end = text.find("\n\n", begin);
  return text.substr(begin, end - begin);
}

TEST(Code, Gemm) {
  GpuProgram program(kGemm);
  ASSERT_TRUE(program);
  std::string text = program.llvm(), loop = blockOf(text, "for");
  EXPECT_EQ(countOf("call spir_func <8 x float> @_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f(", loop), 32u);
  EXPECT_EQ(countOf("call spir_func void @_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt(", loop), 8u);
  EXPECT_EQ(countOf("call spir_func void @_Z52intel_sub_group_2d_block_read_transform_16b_16r16x1cPU3AS1viiiDv2_iPj(", loop),
            8u);
  // The loop has one 32-bit counter, and at least one iteration, because a matrix of block messages has at least one column.
  EXPECT_EQ(countOf(" = phi ", loop), 1u + 16u);
  EXPECT_EQ(countOf("phi i64", loop), 0u);
  EXPECT_EQ(countOf("br i1", text), 1u);
  GpuCode made = program.spirv();
  ASSERT_EQ(made.kernels.size(), 1u);
  EXPECT_EQ(made.kernels[0].subgroups, 32);
  EXPECT_EQ(made.kernels[0].subgroupSize, 16);
  EXPECT_EQ(made.kernels[0].blockUses.size(), 3u);
  EXPECT_FALSE(made.kernels[0].reportsFailures);
}

// A kernel is marked if some subgroups of a workgroup do not reach a subgroup barrier, because some devices compile such
// barriers wrongly.
TEST(Code, DivergentBarriers) {
  auto diverges = [](const std::string &condition) {
    GpuProgram program(str("kernel @k(%A: memref<?xi32>, %n: index) subgroups(4) lanes(16) {\n"
                           "  %s = subgroup_id()\n",
                           condition,
                           "\n"
                           "  if %c {\n    subgroup_barrier\n  }\n}\n"),
                       "spirv");
    EXPECT_TRUE(program) << condition;
    return program && program.spirv().kernels.at(0).divergentBarriers;
  };
  EXPECT_TRUE(diverges("  %c = %s == 0"));
  EXPECT_FALSE(diverges("  %c = %n == 0"));
  EXPECT_TRUE(diverges("  %v = memref.load %A[%s]\n  %c = %v == 0"));
  // The barrier is nested in another branch, or in a loop whose bound depends on the subgroup.
  EXPECT_TRUE(diverges("  %c = %n == 0\n  %e = %s == 0\n  if %e {\n    if %c {\n      subgroup_barrier\n    }\n  }"));
  EXPECT_TRUE(diverges("  %c = %n == 0\n  for %i = 0 to %s {\n    subgroup_barrier\n  }"));
  // The condition is the old value of an atomic, at one address.
  EXPECT_TRUE(
      diverges("  %d = create_tdesc %A, %n : memref<?xi32>, index -> tensor_desc<16xi32, #scatter, #sg_map<wi_layout = [1, "
               "16], wi_data = [1, 1]>>\n"
               "  %m = constant true : i1\n  %one = constant 1 : i32\n  %o = atomic_rmw <addi> %one, %d, %m\n  %c = %o == 0"));
}

TEST(Code, WithoutBlockMessages) {
  XeEmitOptions options;
  options.blockMessages = false;
  GpuProgram program(kGemm, "xe-pvc", options);
  ASSERT_TRUE(program);
  std::string text = program.llvm();
  EXPECT_EQ(countOf("2d_block", text), 0u);
  EXPECT_GT(countOf("matrix_mad_k16", text), 0u);
  EXPECT_TRUE(program.spirv().kernels[0].blockUses.empty());
}

// A launch cannot check a shape that the kernel computes: the message is beside code for single elements, which ends in its
// words.
TEST(Code, BlocksOfMatricesThatTheKernelChecks) {
  GpuProgram program("kernel @k(%A: memref<?x?xf32>, %n: index) grid (%i = 0 to %n step 8) {\n"
                     "  %t = init_tile %A[%i, 0], [%n, %n], [dim(%A, 1), 1] : memref<?x?xf32> -> tile<8x16xf32>\n"
                     "  %v = load_tile %t\n"
                     "  store_tile %v, %t\n"
                     "}\n");
  ASSERT_TRUE(program);
  std::string text = program.llvm();
  EXPECT_EQ(countOf("call spir_func void @_Z41intel_sub_group_2d_block_read_32b_8r16x1cPU3AS1viiiDv2_iPj(", text), 1u);
  EXPECT_EQ(countOf("call spir_func void @_Z42intel_sub_group_2d_block_write_32b_8r16x1cPU3AS1viiiDv2_iPj(", text), 1u);
  EXPECT_EQ(countOf("= phi <8 x i32>", text), 1u);
  EXPECT_TRUE(program.spirv().kernels[0].blockUses.empty());
}

TEST(Code, MayContract) {
  GpuProgram program(kGemm);
  ASSERT_TRUE(program);
  EXPECT_NE(program.llvm().find("!opencl.enable.FP_CONTRACT = !{}"), std::string::npos);
}

// A product: the types of `a`, `b` and the result, the columns of `a` and rows of `b`, and the function.
struct Product {
  const char *a, *b, *c;
  int64_t depth;
  const char *function;
};
class Products : public testing::TestWithParam<Product> {};

TEST_P(Products, OneCallEach) {
  auto [a, b, c, depth, function] = GetParam();
  std::string k = std::to_string(depth);
  std::string text = "kernel @k(%A: memref<8x" + k + "x" + a + ">, %B: memref<" + k + "x16x" + b + ">, %C: memref<8x16x" + c +
                     ">) {\n" + "  %ta = init_tile %A[0, 0] -> tile<8x" + k + "x" + a +
                     ">\n  %tb = init_tile %B[0, 0] -> tile<" + k + "x16x" + b + ">\n  %tc = init_tile %C[0, 0] -> tile<8x16x" +
                     c + ">\n  %a = load_tile %ta\n  %b = load_tile %tb\n" + "  %c = tile_mma %a, %b : vector<8x" + k + "x" +
                     a + ">, vector<" + k + "x16x" + b + "> -> vector<8x16x" + c + ">\n  store_tile %c, %tc\n}\n";
  GpuProgram program(text);
  ASSERT_TRUE(program);
  EXPECT_EQ(countOf(std::string("@") + function + "(", program.llvm()), 2u) << program.llvm(); // it is declared and called once
}

INSTANTIATE_TEST_SUITE_P(
    Types, Products,
    testing::Values(Product{"f16", "f16", "f32", 16, "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f"},
                    Product{"f16", "f16", "f16", 16, "_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_Dh"},
                    Product{"bf16", "bf16", "f32", 16, "_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iDv8_f"},
                    Product{"bf16", "bf16", "bf16", 16, "_Z40intel_sub_group_bf16_bf16_matrix_mad_k16Dv8_sDv8_iS_"},
                    Product{"tf32", "tf32", "f32", 8, "_Z39intel_sub_group_tf32_tf32_matrix_mad_k8Dv4_fDv8_fS0_"},
                    Product{"i8", "i8", "i32", 32, "_Z36intel_sub_group_i8_i8_matrix_mad_k32Dv8_sDv8_iS0_"},
                    Product{"u8", "u8", "i32", 32, "_Z36intel_sub_group_u8_u8_matrix_mad_k32Dv8_tDv8_jDv8_i"},
                    Product{"i8", "u8", "i32", 32, "_Z36intel_sub_group_i8_u8_matrix_mad_k32Dv8_sDv8_jDv8_i"},
                    Product{"u8", "i8", "i32", 32, "_Z36intel_sub_group_u8_i8_matrix_mad_k32Dv8_tDv8_iS0_"}));

// Kernels whose vectors nearly fill the small register file, in loops or elsewhere, request the large one.
TEST(Code, RegisterFileByNeed) {
  auto asks = [](const std::string &text, const char *told) {
    GpuProgram program(text);
    EXPECT_TRUE(program);
    GpuCode made = program.spirv();
    EXPECT_EQ(made.kernels.size(), 1u);
    std::string messages = program.messages();
    EXPECT_EQ(messages.find(" registers for vectors at one time") != std::string::npos, *told != 0) << messages;
    EXPECT_NE(messages.find(told), std::string::npos) << messages;
    return made.kernels.at(0).largeRegisterFile;
  };
  EXPECT_TRUE(asks(kGemm, "remark[XT0623]: `@gemm` needs 224 registers for vectors at one time: it uses 256 per thread, so "
                          "half as many threads run at one time"));
  EXPECT_FALSE(asks("kernel @small(%A: memref<?x?xf32>) {\n  %t = init_tile %A[0, 0] -> tile<8x16xf32>\n  %a = load_tile %t\n  "
                    "store_tile %a, %t\n}\n",
                    ""));
  // The source and the target overlap, so the whole tile must be in registers.
  auto copy = [](int rows, int subgroups, const char *between = "") {
    std::string extents = str(rows, "x64");
    return str("#map = #wg_map<sg_layout = [", subgroups, ", 1], sg_data = [", rows / subgroups, ", 64]>\n",
               "kernel @copy(%A: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<", extents,
               "xf32, #map>\n  %a = load_tile %ta\n", between, "  %tb = init_tile %A[1, 0] -> tile<", extents,
               "xf32, #map>\n  store_tile %a, %tb\n}\n");
  };
  EXPECT_TRUE(asks(copy(32, 1), "needs 128 registers for vectors"));
  // A core of PVC runs 32 threads with the large file.
  EXPECT_FALSE(asks(copy(64 * 32, 64, "  barrier\n"),
                    "but uses 128 per thread: with 256 a core has only 32 threads, and a workgroup has 64 subgroups"));
  // Moving the loads gains nothing: they stay before the stores, which may overwrite what they read, and these store parts of
  // them.
  GpuProgram kept(copy(64 * 32, 64));
  EXPECT_EQ(kept.messages().find("would be live at one time"), std::string::npos) << kept.messages();
}

// The code size of a step of the product does not grow with K.
TEST(Code, OfProductsWithoutAnInstruction) {
  auto text = [](int extent, int depth) {
    std::string n = std::to_string(extent), k = std::to_string(depth);
    return "kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<" +
           n + "x" + k + "xf32>\n  %tb = init_tile %B[0, 0] -> tile<" + k + "x" + n +
           "xf32>\n  %a = load_tile %ta\n  %b = load_tile %tb\n  %c = tile_mma %a, %b\n  %tc = init_tile %C[0, 0] -> tile<" +
           n + "x" + n + "xf32>\n  store_tile %c, %tc\n}\n";
  };
  GpuProgram shallow(text(32, 64)), deep(text(32, 1024));
  ASSERT_TRUE(shallow && deep);
  EXPECT_EQ(countOf("\n", shallow.llvm()), countOf("\n", deep.llvm()));
}

// The known number of iterations is hidden from the device's compiler, so that it does not unroll the loop further.
TEST(Code, LoopsOfProductsHideTheirLength) {
  std::string text = kGemm;
  for (size_t at; (at = text.find("?x?")) != std::string::npos;) text.replace(at, 3, "512x512");
  GpuProgram program(text);
  ASSERT_TRUE(program);
  std::string llvm = program.llvm();
  EXPECT_EQ(countOf("lshr i64 %C.size1, 31", llvm), 1u) << llvm;
  EXPECT_EQ(countOf("lshr", GpuProgram(kGemm).llvm()), 0u);
}

// Masks are evaluated for whole vectors: the 32 rows are all in bounds, and the 8 elements that a lane holds of a column share
// one comparison.
TEST(Code, MasksOfWholeRows) {
  GpuProgram program(
      "#map = #wg_map<sg_layout = [4, 1], sg_data = [8, 16]>\n"
      "kernel @k(%A: memref<?x?xf32>, %n: index) {\n  %t = init_tile %A[0, 0] -> tile<32x16xf32, #map>\n  %a = load_tile %t\n"
      "  %zero = constant 0.0 : vector<32x16xf32>\n  %mask = create_mask 32, %n : vector<32x16xi1>\n"
      "  %b = select(%mask, %a, %zero)\n  store_tile %b, %t\n}\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(countOf("icmp", program.llvm()), 2u) << program.llvm();
}

// Counts the branches whose condition is not the instruction just before them.
size_t branchesOnOtherBlocks(const std::string &llvm) {
  size_t found = 0;
  std::string before;
  std::istringstream lines(llvm);
  for (std::string line; std::getline(lines, line); before = line) {
    size_t at = line.find("br i1 ");
    if (at == std::string::npos) continue;
    std::string condition = line.substr(at + 6, line.find(',', at) - at - 6);
    found += !before.starts_with("  " + condition + " = icmp");
  }
  return found;
}

constexpr const char *kScale =
    "kernel @scale(%X: memref<?xCOLUMNSxf32>, %Y: memref<?xCOLUMNSxf32>) grid (%i = 0 to dim(%X, 0) step 8) {\n"
    "  %tx = init_tile %X[%i, 0] -> tile<8x64xf32>\n  %ty = init_tile %Y[%i, 0] -> tile<8x64xf32>\n"
    "  %x = load_tile %tx\n  store_tile (%x + %x), %ty\n}\n";

std::string scale(const std::string &columns) {
  std::string text = kScale;
  for (size_t at; (at = text.find("COLUMNS")) != std::string::npos;) text.replace(at, 7, columns);
  return text;
}

// Intel's compiler takes time that grows with the square of the number of flags that are live across blocks.
TEST(Code, ConditionsOfEdgesStandBesideTheirBranches) {
  for (const char *target : {"xe-dg2", "spirv"})
    for (const char *columns : {"?", "64"}) {
      GpuProgram program(scale(columns), target);
      ASSERT_TRUE(program);
      std::string llvm = program.llvm();
      EXPECT_GT(countOf("br i1", llvm), 8u);
      EXPECT_EQ(branchesOnOtherBlocks(llvm), 0u) << target << "\n" << llvm;
    }
}

// Columns that are known to be in bounds need no check, so that the elements of a row share a branch.
TEST(Code, RowsShareABranchIfColumnsNeedNoCheck) {
  auto branches = [](const std::string &columns) {
    GpuProgram program("kernel @k(%X: memref<?x" + columns +
                       "xf32>, %i: index) lanes(16) {\n  %t = init_tile %X[%i, 0] -> tile<4x4xf32>\n  %x = load_tile %t\n  "
                       "store_tile %x, %t\n}\n");
    EXPECT_TRUE(program);
    return countOf("br i1", program.llvm());
  };
  EXPECT_EQ(branches("?"), 2u * (1 + 16)); // for the load and for the store: one branch for all, and one for each element
  EXPECT_EQ(branches("4"), 2u * (1 + 4));
}

constexpr const char *kHints =
    "kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %a = create_nd_tdesc %A[0, 0] {mode = vc} : memref<?x?xf32> "
    "-> tensor_desc<8x16xf32>\n"
    "  %b = create_nd_tdesc %B[0, 0] {mode = vc} : memref<?x?xf32> -> tensor_desc<8x16xf32>\n  prefetch_nd %a {L1_hint = "
    "cached, mode = vc}\n"
    "  %v = load_nd %a {L1_hint = streaming, L3_hint = uncached, mode = vc} : tensor_desc<8x16xf32> -> vector<8x16xf32>\n"
    "  store_nd %v, %b {L1_hint = write_through, mode = vc}\n}\n";

// Returns the operands of the decorations with this number: the level and the control of each.
std::vector<std::pair<uint32_t, uint32_t>> controlsOf(const GpuCode &program, uint32_t decoration) {
  std::vector<uint32_t> words(program.binary.size() / 4);
  std::memcpy(words.data(), program.binary.data(), words.size() * 4);
  std::vector<std::pair<uint32_t, uint32_t>> controls;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16)
    if (words[at] == (5u << 16 | 71) && words[at + 2] == decoration) controls.emplace_back(words[at + 3], words[at + 4]);
  std::ranges::sort(controls);
  return controls;
}

// Cache hints are decorations, both for messages and for accesses element by element on hardware without messages. If a hint
// does not mention the second level, that level is cached.
TEST(Code, CacheHintsAreDecorationsOfPointers) {
  XeEmitOptions options;
  options.extensions = SpirvExtensions::Intel;
  using Controls = std::vector<std::pair<uint32_t, uint32_t>>;
  GpuProgram pvc(kHints, "xe-pvc", options);
  ASSERT_TRUE(pvc);
  GpuCode made = pvc.spirv();
  EXPECT_EQ(controlsOf(made, 6442), (Controls{{0, 1}, {0, 2}, {1, 0}, {1, 1}}));
  EXPECT_EQ(controlsOf(made, 6443), (Controls{{0, 1}, {1, 2}}));
  EXPECT_EQ(pvc.messages().find("is ignored"), std::string::npos) << pvc.messages();
  GpuProgram gathers(
      "#l8 = #sg_map<wi_layout = [1, 8], wi_data = [1, 1]>\nkernel @k(%A: memref<64xf32>, %n: index) lanes(8) {\n"
      "  %d = create_tdesc %A, %n : memref<64xf32>, index -> tensor_desc<8xf32, #scatter, #l8>\n"
      "  %m = constant true : i1\n  %v = load_gather %d, %m {L1_hint = uncached} : tensor_desc<8xf32, #scatter, #l8>, i1 -> "
      "f32\n"
      "  store_scatter %v, %d, %m {L1_hint = streaming} : f32, tensor_desc<8xf32, #scatter, #l8>, i1\n}\n",
      "xe-dg2", options);
  ASSERT_TRUE(gathers);
  made = gathers.spirv();
  EXPECT_EQ(controlsOf(made, 6442), (Controls{{0, 0}, {1, 1}}));
  EXPECT_EQ(controlsOf(made, 6443), (Controls{{0, 3}, {1, 2}}));
}

// The instructions have the same sizes as the functions, and a kernel uses either the ones or the others.
TEST(Code, ExtensionsInPlaceOfFunctions) {
  XeEmitOptions options;
  options.extensions = SpirvExtensions::Intel;
  GpuProgram program(kGemm, "xe-pvc", options);
  ASSERT_TRUE(program);
  std::string text = program.llvm(), loop = blockOf(text, "for");
  EXPECT_EQ(countOf("@_Z45__spirv_SubgroupMatrixMultiplyAccumulateINTELiDv8_sDv8_iDv8_fi(i32 16, ", loop), 32u) << loop;
  EXPECT_EQ(countOf(", i32 3072)", loop), 32u) << "packed f16 both";
  EXPECT_EQ(countOf("__spirv_Subgroup2DBlockLoadINTELiiiiPU3AS1viiiDv2_iPt(i32 2, i32 16, i32 8, i32 1, ", loop), 8u);
  EXPECT_EQ(countOf("__spirv_Subgroup2DBlockLoadTransformINTELiiiiPU3AS1viiiDv2_iPj(i32 2, i32 16, i32 16, i32 1, ", loop), 8u);
  EXPECT_EQ(countOf("intel_sub_group", text), 0u);
  EXPECT_FALSE(program.spirv().binary.empty());
}

TEST(Code, CacheHintsThatAreLeftOutAreTold) {
  GpuProgram program(
      "kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %a = create_nd_tdesc %A[0, 0] {mode = vc} : memref<?x?xf32> "
      "-> tensor_desc<8x16xf32>\n"
      "  %b = create_nd_tdesc %B[0, 0] {mode = vc} : memref<?x?xf32> -> tensor_desc<8x16xf32>\n  prefetch_nd %a {L1_hint = "
      "cached, mode = vc}\n"
      "  %v = load_nd %a {L1_hint = cached, L3_hint = uncached, mode = vc} : tensor_desc<8x16xf32> -> vector<8x16xf32>\n"
      "  store_nd %v, %b {L1_hint = write_back, mode = vc}\n}\n");
  ASSERT_TRUE(program);
  EXPECT_FALSE(program.spirv().binary.empty());
  std::string messages = program.messages();
  EXPECT_EQ(countOf("which is ignored", messages), 1u) << messages;
  EXPECT_NE(messages.find("`load_nd` has L3_hint = uncached"), std::string::npos) << messages;
}

// Using a named barrier that no `alloc_nbarrier` has allocated is reported at run time.
TEST(Code, NamedBarriersThatNothingMade) {
  GpuProgram program("kernel @k(%id: i8, %role: i8) {\n  %b = create_nbarrier %id, %role {num_producers = 2, num_consumers = "
                     "2} : i8, i8 -> nbarrier\n  nbarrier_arrive %b\n}\n");
  ASSERT_TRUE(program);
  GpuCode made = program.spirv();
  ASSERT_EQ(made.kernels.at(0).failures.size(), 1u);
  EXPECT_NE(made.kernels[0].failures[0].text.find("this named barrier does not exist"), std::string::npos);
}

// The parts of one assert share its range of numbers, which has one number per element.
TEST(Code, ElementsOfAnAssertHaveNumbersOfTheirOwn) {
  GpuProgram program(
      "#w = #wg_map<sg_layout = [2, 2], sg_data = [16, 32]>\nkernel @k(%A: memref<32x64xi32>) {\n  %t = init_tile %A[0, 0] -> "
      "tile<32x64xi32, #w>\n"
      "  %v = load_tile %t\n  %c = %v < 5\n  assert %c, \"small\"\n  %d = %v < 6\n  assert %d, \"and again\"\n}\n");
  ASSERT_TRUE(program);
  GpuCode made = program.spirv();
  const std::vector<LaneFailure> &failures = made.kernels.at(0).failures;
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0].shape, (std::vector<int64_t>{32, 64}));
  EXPECT_TRUE(failures[0].byWorkgroup);
  EXPECT_EQ(failures[0].first, 0u);
  EXPECT_EQ(failures[1].first, 32u * 64);
  EXPECT_EQ(countOf("atomicrmw umin", program.llvm()), 8u) << "one for each part, not for each element";
}

TEST(Code, FailuresAreTold) {
  GpuProgram program("kernel @k(%A: memref<16xi32>) lanes(16) {\n  %a = memref.load %A[lane_id()]\n  %zero = constant 0 : i32\n"
                     "  %c = %a != %zero\n  assert \"not zero\", %c\n}\n");
  ASSERT_TRUE(program);
  GpuCode made = program.spirv();
  ASSERT_TRUE(made.kernels[0].reportsFailures);
  ASSERT_EQ(made.kernels[0].failures.size(), 1u);
  EXPECT_EQ(made.kernels[0].failures[0].text, "not zero");
  EXPECT_TRUE(made.kernels[0].failures[0].asserted);
  EXPECT_NE(program.llvm().find("ptr addrspace(1) %outcome)"), std::string::npos);
}

} // namespace
} // namespace xt::test
