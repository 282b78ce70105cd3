// Tests that all functions that kernels can call exist: the driver's library has each function of the tables, and no other
// function is called.
#include "targets/xe/emit/device_functions.h"

#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/spirv_table.h"
#include "targets/xe/library/device_library.h"
#include "tests/golden.h"
#include "tests/targets/xe/emit/gpu_program.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include <set>

namespace xt::test {
namespace {

TEST(DeviceFunctions, TheLibraryHasThoseOfEveryTarget) {
  for (const TargetInfo &target : targetInfos(GpuFamily::Xe))
    for (DeviceFamily family : kDeviceFamilies)
      for (const DeviceFunction &function : deviceFunctions(target, family)) {
        bool ofLibrary = isLibraryName(function.symbol);
        EXPECT_EQ(ofLibrary, isOfLibrary(family)) << function.symbol;
        if (ofLibrary) {
          EXPECT_TRUE(isInLibrary(function.symbol, target.subgroupSizes[0])) << target.name << " calls " << function.symbol;
        }
      }
}

// The functions are all products, blocks and row remainders, and no function occurs twice.
TEST(DeviceFunctions, AreThoseOfTheTargetsTables) {
  for (const TargetInfo &target : targetInfos(GpuFamily::Xe)) {
    std::vector<DeviceFunction> products = deviceFunctions(target, DeviceFamily::Product),
                                blocks = deviceFunctions(target, DeviceFamily::Block);
    EXPECT_EQ(products.size(), target.cooperativeMatrices ? 0 : target.mma.size()) << target.name;
    EXPECT_EQ(blocks.empty(), target.blockShapes.empty());
    std::set<std::string> symbols;
    for (const auto &all : {products, blocks})
      for (const DeviceFunction &function : all) EXPECT_TRUE(symbols.insert(function.symbol).second) << function.symbol;
  }
}

// The library contains the functions that IGC's sources define: with subgroups of 8 lanes there are no 16-bit sums, and rows of
// 16 bytes have one byte per lane.
TEST(DeviceFunctions, OfTheLibrary) {
  EXPECT_EQ(libraryFunctions().size(), 638u);
  EXPECT_TRUE(isInLibrary("_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_Dh", 16));
  EXPECT_FALSE(isInLibrary("_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_Dh", 8));
  EXPECT_FALSE(isInLibrary("_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_iS_Dv8_Dh", 8));
  EXPECT_TRUE(isInLibrary("_Z41intel_sub_group_2d_block_write_8b_8r16x1cPU3AS1viiiDv2_iPh", 16));
  EXPECT_FALSE(isInLibrary("_Z41intel_sub_group_2d_block_write_8b_8r16x1cPU3AS1viiiDv2_iPt", 16));
}

TEST(DeviceFunctions, Page) {
  expectGolden(std::filesystem::path(XT_SOURCE_DIR) / "targets/xe/emit/FUNCTIONS.md", deviceFunctionPage());
}

TEST(DeviceFunctions, OthersAreNotEmitted) {
  llvm::LLVMContext context;
  auto problem = [&](const char *declaration, const char *target) {
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(declaration, diagnostic, context);
    EXPECT_TRUE(module) << diagnostic.getMessage().str();
    Result<void> checked = checkDeviceCalls(*module, *findTargetInfo(target));
    return checked.ok() ? std::string() : checked.error().message;
  };
  const char *half =
      "declare <8 x half> @_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_Dh(<8 x i16>, <8 x i32>, <8 x half>)\n";
  EXPECT_EQ(problem(half, "xe-pvc"), "");
  EXPECT_NE(problem(half, "xe-dg2").find("which xe-dg2 may not have"), std::string::npos);
  EXPECT_EQ(problem("declare i16 @_Z17sub_group_shufflesj(i16, i32)\n", "spirv"), "");
  EXPECT_NE(problem("declare i32 @_Z17sub_group_shufflesj(i32, i32)\n", "spirv")
                .find("with types that differ from those of its symbol"),
            std::string::npos);
  EXPECT_NE(problem("declare float @expf(float)\n", "xe-pvc").find("expf"), std::string::npos);
  EXPECT_TRUE(internalErrorSeen()) << "the exit status must be that of a mistake of the compiler";
}

TEST(DeviceFunctions, OtherInstructionsAreNotEmitted) {
  GpuProgram program(
      "kernel @k(%A: memref<16xf32>) lanes(16) {\n  %x = memref.load %A[0]\n  %y = exp(%x)\n  memref.store %y, %A[1]\n}\n");
  ASSERT_TRUE(program);
  std::vector<uint8_t> spirv = program.spirv().binary;
  EXPECT_TRUE(checkSpirv(spirv, SpirvExtensions::None).ok());
  auto with = [&](std::vector<uint32_t> words, SpirvExtensions extensions = SpirvExtensions::None) {
    std::vector<uint8_t> more = spirv;
    const auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
    more.insert(more.end(), bytes, bytes + 4 * words.size());
    Result<void> checked = checkSpirv(more, extensions);
    return checked.ok() ? std::string() : checked.error().message;
  };
  EXPECT_EQ(with({2 << 16 | 17, 7}), "");
  EXPECT_NE(with({2 << 16 | 17, 6228}).find("the capability 6228"), std::string::npos);
  EXPECT_NE(with({1 << 16 | 6237}).find("the instruction 6237"), std::string::npos);
  EXPECT_EQ(with({2 << 16 | 17, 6228, 1 << 16 | 6237}, SpirvExtensions::Intel), "");
  for (SpirvExtensions extensions : {SpirvExtensions::None, SpirvExtensions::Intel})
    EXPECT_NE(with({1 << 16 | 5611}, extensions).find("the instruction 5611"), std::string::npos);
  EXPECT_EQ(with({2 << 16 | 17, 5606, 1 << 16 | 5611}, SpirvExtensions::InlineAssembly), "");
  EXPECT_NE(with({5 << 16 | 17}).find("cut off"), std::string::npos);
  EXPECT_TRUE(internalErrorSeen()) << "the exit status must be that of a mistake of the compiler";
}

// 8-bit products may have any number of rows. A remainder uses one word per lane, as in 16-bit products.
TEST(DeviceFunctions, RowsThatAreLeftOver) {
  for (const char *target : {"xe-pvc", "xe-bmg", "xe-dg2"})
    for (int rows : {1, 3, 5, 9, 17, 33})
      for (auto [a, b] : {std::pair("i8", "i8"), {"u8", "i8"}, {"i8", "u8"}, {"u8", "u8"}}) {
        SCOPED_TRACE(str(target, ", ", rows, " rows of ", a, " x ", b));
        GpuProgram program(str("kernel @k(%A: memref<?x?x", a, ">, %B: memref<?x?x", b,
                               ">, %C: memref<?x?xi32>) {\n  %ta = init_tile %A[0, 0] -> tile<", rows, "x32x", a,
                               ">\n  %tb = init_tile %B[0, 0] -> tile<32x16x", b,
                               ">\n  %a = load_tile %ta\n  %b = load_tile %tb\n  %c = tile_mma %a, %b : vector<", rows, "x32x",
                               a, ">, vector<32x16x", b, "> -> vector<", rows, "x16xi32>\n  %tc = init_tile %C[0, 0] -> tile<",
                               rows, "x16xi32>\n  store_tile %c, %tc\n}\n"),
                           target);
        ASSERT_TRUE(program);
        EXPECT_EQ(countOf("<1 x i", program.llvm()), 0u);
        EXPECT_FALSE(program.spirv().binary.empty());
      }
}

// If the hardware has no 16-bit sums, they are kept in f32 and rounded once per op.
TEST(DeviceFunctions, SumsOfSixteenBitsOnDg2) {
  for (auto [elem, name] : {std::pair("f16", "f16_f16"), {"bf16", "bf16_bf16"}}) {
    GpuProgram program(
        str("kernel @k(%A: memref<?x?x", elem, ">, %B: memref<?x?x", elem, ">, %C: memref<?x?x", elem,
            ">) {\n  %ta = init_tile %A[0, 0] -> tile<8x32x", elem, ">\n  %tb = init_tile %B[0, 0] -> tile<32x8x", elem,
            ">\n  %tc = init_tile %C[0, 0] -> tile<8x8x", elem,
            ">\n  %a = load_tile %ta\n  %b = load_tile %tb\n  %c = load_tile %tc\n  %d = tile_mma %a, %b, %c : vector<8x32x",
            elem, ">, vector<32x8x", elem, ">, vector<8x8x", elem, "> -> vector<8x8x", elem, ">\n  store_tile %d, %tc\n}\n"),
        "xe-dg2");
    ASSERT_TRUE(program);
    std::string text = program.llvm();
    EXPECT_EQ(countOf(str("call spir_func <8 x float> @_Z", std::string(name).size() + 31, "intel_sub_group_", name,
                          "_matrix_mad_k16Dv8_iS_Dv8_f("),
                      text),
              2u)
        << text;
    EXPECT_FALSE(program.spirv().binary.empty());
  }
}

// In a row of 16 bytes, each lane holds one byte; in a row of 32 bytes, two neighbouring bytes.
TEST(DeviceFunctions, RowsOfBytes) {
  auto stores = [](const char *map, int columns) {
    GpuProgram program(str("#m = #sg_map<", map,
                           ">\nkernel @k(%A: memref<?x?xi8>, %B: memref<?x?xi8>) lanes(16) {\n  %a = create_nd_tdesc %A[0, 0] "
                           ": memref<?x?xi8> -> tensor_desc<8x",
                           columns,
                           "xi8, #m>\n  %v = load_nd %a\n  %b = create_nd_tdesc %B[0, 0] : memref<?x?xi8> -> tensor_desc<8x",
                           columns, "xi8, #m>\n  store_nd %v, %b\n}\n"));
    EXPECT_TRUE(program);
    return program.llvm();
  };
  std::string bytes = stores("wi_layout = [1, 16], wi_data = [1, 1]", 16),
              pairs = stores("wi_layout = [1, 16], wi_data = [1, 2]", 32);
  EXPECT_EQ(countOf("@_Z41intel_sub_group_2d_block_write_8b_8r16x1cPU3AS1viiiDv2_iPh(", bytes), 2u) << bytes;
  EXPECT_EQ(countOf("@_Z41intel_sub_group_2d_block_write_8b_8r32x1cPU3AS1viiiDv2_iPt(", pairs), 2u) << pairs;
  EXPECT_EQ(countOf("2d_block_write", stores("wi_layout = [2, 8], wi_data = [1, 2]", 16)), 0u)
      << "two bytes a lane have no message";
}

} // namespace
} // namespace xt::test
