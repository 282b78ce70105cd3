#include "targets/xe/soft/builtin_name.h"
#include "targets/xe/soft/spirv_words.h"

#include <gtest/gtest.h>

#include <cstring>

namespace xt::soft {
namespace {

std::vector<uint8_t> bytesOf(const std::vector<uint32_t> &words) {
  std::vector<uint8_t> bytes(words.size() * 4);
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

constexpr uint32_t op(uint32_t length, uint32_t code) { return length << 16 | code; }
const std::vector<uint32_t> kHeader = {0x07230203, 0x00010600, 0, 100, 0};

std::vector<uint32_t> rewritten(std::vector<uint32_t> body) {
  std::vector<uint32_t> words = kHeader;
  words.insert(words.end(), body.begin(), body.end());
  Result<SpirvWords> result = readableSpirv(bytesOf(words));
  if (!result) return {};
  return {result->words.begin() + 5, result->words.end()};
}

TEST(SoftSpirvWords, nullConstantsOfScalarsBecomeConstants) {
  EXPECT_EQ(rewritten({op(2, 20), 1, op(3, 46), 1, 9}), (std::vector<uint32_t>{op(2, 20), 1, op(3, 42), 1, 9}));
  EXPECT_EQ(rewritten({op(4, 21), 1, 32, 0, op(3, 46), 1, 9}),
            (std::vector<uint32_t>{op(4, 21), 1, 32, 0, op(4, 43), 1, 9, 0}));
  EXPECT_EQ(rewritten({op(3, 22), 1, 64, op(3, 46), 1, 9}),
            (std::vector<uint32_t>{op(3, 22), 1, 64, op(5, 43), 1, 9, 0, 0}));
  EXPECT_EQ(rewritten({op(3, 46), 7, 9}), (std::vector<uint32_t>{op(3, 46), 7, 9})); // a null of another type
}

TEST(SoftSpirvWords, whatMeansNothingHereGoes) {
  EXPECT_EQ(rewritten({op(2, 17), 6441, op(2, 17), 6, op(5, 71), 4, 6442, 0, 1}),
            (std::vector<uint32_t>{op(2, 17), 6}));
  EXPECT_EQ(rewritten({op(4, 6142), 1, 2, 3, op(4, 6143), 1, 2, 3}), (std::vector<uint32_t>{op(4, 224), 1, 2, 3}));
}

TEST(SoftSpirvWords, headersAndLengthsAreChecked) {
  EXPECT_EQ(readableSpirv(bytesOf(kHeader))->words[1], 0x00010400u);
  EXPECT_FALSE(readableSpirv({}));
  EXPECT_FALSE(readableSpirv(bytesOf({1, 2, 3, 4, 5})));
  std::vector<uint32_t> cut = kHeader;
  cut.push_back(op(3, 46));
  EXPECT_NE(readableSpirv(bytesOf(cut)).error().message.find("ends within the instruction at word 5"),
            std::string::npos);
  cut.back() = op(0, 46);
  EXPECT_FALSE(readableSpirv(bytesOf(cut)));
  EXPECT_TRUE(readableSpirv(bytesOf({kHeader[0], kHeader[1], 0, 9, 0, op(2, 17), 10}))->float64);
}

TEST(SoftBuiltinNames, tellTypesAndResults) {
  BuiltinName dpas = builtinName("_Z38intel_sub_group_f16_f16_matrix_mad_k16Dv8_sDv8_iDv8_f");
  EXPECT_EQ(dpas.name, "intel_sub_group_f16_f16_matrix_mad_k16");
  EXPECT_EQ(dpas.parameters, (std::vector<std::string>{"short vector[8]", "int vector[8]", "float vector[8]"}));
  EXPECT_EQ(builtinName("_Z28__spirv_ConvertFToS_Rint_satf").name, "__spirv_ConvertFToS");
  EXPECT_EQ(builtinName("_Z28__spirv_ConvertFToS_Rint_satf").resultSuffix, "int_sat");
  EXPECT_EQ(builtinName("plain").name, "plain");
  BuiltinName block = builtinName("_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt");
  ASSERT_EQ(block.parameters.size(), 6u);
  EXPECT_EQ(namedType(scalarOf(block.parameters[5])).bits, 16);
  EXPECT_EQ(scalarOf("unsigned short vector[8]"), "unsigned short");
  EXPECT_EQ(scalarOf("float*"), "float");
}

} // namespace
} // namespace xt::soft
