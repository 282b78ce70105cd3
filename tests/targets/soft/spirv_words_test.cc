#include "targets/soft/builtin_name.h"
#include "targets/soft/spirv_words.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(rewritten({op(3, 22), 1, 64, op(3, 46), 1, 9}), (std::vector<uint32_t>{op(3, 22), 1, 64, op(5, 43), 1, 9, 0, 0}));
  EXPECT_EQ(rewritten({op(3, 46), 7, 9}), (std::vector<uint32_t>{op(3, 46), 7, 9})); // a null of another type
}

TEST(SoftSpirvWords, whatMeansNothingHereGoes) {
  EXPECT_EQ(rewritten({op(2, 17), 6441, op(2, 17), 6, op(5, 71), 4, 6442, 0, 1}), (std::vector<uint32_t>{op(2, 17), 6}));
  EXPECT_EQ(rewritten({op(4, 6142), 1, 2, 3, op(4, 6143), 1, 2, 3}), (std::vector<uint32_t>{op(4, 224), 1, 2, 3}));
}

// Returns the words of a name, including its terminating zero.
std::vector<uint32_t> nameWords(const std::string &name) {
  std::vector<uint32_t> words(name.size() / 4 + 1);
  std::memcpy(words.data(), name.data(), name.size());
  return words;
}

std::vector<uint32_t> joined(std::initializer_list<std::vector<uint32_t>> parts) {
  std::vector<uint32_t> all;
  for (const auto &part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// Translates a load of 8x16 elements of 16 bits from a matrix into a call of a function that has the types of the operands.
TEST(SoftSpirvWords, blockMessagesBecomeCalls) {
  std::vector<uint32_t> types = {op(2, 19), 1,  op(4, 21), 2, 32, 0, op(4, 32), 3, 5, 2, op(4, 23), 4,
                                 2,         2,  op(4, 32), 5, 7,  2, op(4, 43), 2, 6, 2, op(4, 43), 2,
                                 7,         16, op(4, 43), 2, 8,  8, op(4, 43), 2, 9, 1};
  std::vector<uint32_t> head = {op(5, 54), 1,  20,        0, 40, op(3, 55), 3, 21, op(3, 55),
                                2,         22, op(3, 55), 4, 23, op(4, 59), 5, 24, 7};
  std::vector<uint32_t> load = {op(11, 6231), 6, 7, 8, 9, 21, 22, 22, 22, 23, 24}, end = {op(1, 253), op(1, 56)};
  std::vector<uint32_t> name = nameWords("_Z41intel_sub_group_2d_block_read_16b_8r16x1cPU3AS1viiiDv2_iPt");
  std::vector<uint32_t> import = joined({{op(static_cast<uint32_t>(name.size()) + 4, 71), 100, 41}, name, {1}});
  std::vector<uint32_t> declared = {op(9, 33), 101, 1,         3, 2,   2,         2, 4,   5,         op(5, 54), 1,   100,
                                    0,         101, op(3, 55), 3, 102, op(3, 55), 2, 103, op(3, 55), 2,         104, op(3, 55),
                                    2,         105, op(3, 55), 4, 106, op(3, 55), 5, 107, op(1, 56)};
  std::vector<uint32_t> call = {op(10, 57), 1, 108, 100, 21, 22, 22, 22, 23, 24};
  EXPECT_EQ(rewritten(joined({{op(2, 17), 6228, op(2, 17), 6}, types, head, load, end})),
            joined({{op(2, 17), 6}, import, types, declared, head, call, end}));
  load[2] = 22; // then the number of columns is not a constant
  EXPECT_TRUE(rewritten(joined({types, head, load, end})).empty());
}

TEST(SoftSpirvWords, headersAndLengthsAreChecked) {
  EXPECT_EQ(readableSpirv(bytesOf(kHeader))->words[1], 0x00010400u);
  EXPECT_FALSE(readableSpirv({}));
  EXPECT_FALSE(readableSpirv(bytesOf({1, 2, 3, 4, 5})));
  std::vector<uint32_t> cut = kHeader;
  cut.push_back(op(3, 46));
  EXPECT_NE(readableSpirv(bytesOf(cut)).error().message.find("ends within the instruction at word 5"), std::string::npos);
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

// Only the messages that the compiler emits are known (targets/xe/emit/inline_assembly.h).
TEST(SoftSpirvWords, assemblyIsAMessageOrAnError) {
  auto module = [](const char *assembly, const char *of = "=rw,rw") {
    std::vector<uint32_t> target = nameWords("t"), text = nameWords(assembly), constraints = nameWords(of);
    auto length = [](size_t words) { return static_cast<uint32_t>(words); };
    return joined(
        {{op(2, 17), 5606, op(2, 17), 6, op(4, 21), 2, 32, 0, op(4, 33), 3, 2, 2},
         {op(length(2 + target.size()), 5609), 30},
         target,
         {op(length(5 + text.size() + constraints.size()), 5610), 2, 31, 3, 30},
         text,
         constraints,
         {op(5, 54), 2, 50, 0, 3, op(3, 55), 2, 41, op(2, 248), 51, op(5, 5611), 2, 40, 31, 41, op(2, 254), 40, op(1, 56)}});
  };
  std::vector<uint32_t> call = rewritten(module("raw_sends.15.1.0.4 (M1, 16) 0x0:ud 0x2400203:ud $1.0 %null.0 $0.0"));
  EXPECT_NE(std::ranges::search(call, nameWords("_Z20_xt_raw_send_2400203j")).begin(), call.end());
  EXPECT_EQ(std::ranges::find(call, op(5, 5611)), call.end());
  call = rewritten(module("add (M1_NM, 1) $0(0,5)<1> $1(0,5)<0;1,0> 0xffffffd0:d", "=rw,0"));
  EXPECT_NE(std::ranges::search(call, nameWords("_Z27_xt_payload_step_5_ffffffd0j")).begin(), call.end());
  for (const char *unknown :
       {"mov (M1, 1) V1(0,0)<1> 0x1:ud", "raw_sends.15.1.0.8 (M1, 16) 0x0:ud 0x2400203:ud $1.0 %null.0 $0.0",
        "raw_sends.15.1.0.4 (M1, 16) 0x0:ud 0x2400203:ud $1.0 %null.0 $0.0 ",
        "raw_sends.15.1.8.0 (M1, 16) 0x0:ud 0x2000407:ud $0.0 $1.0 %null.0", // without what it stores
        "add (M1_NM, 1) $0(0,5)<1> $1(0,5)<0;1,0> 0x8:d"}) {
    std::vector<uint32_t> words = kHeader, body = module(unknown);
    words.insert(words.end(), body.begin(), body.end());
    Result<SpirvWords> refused = readableSpirv(bytesOf(words));
    ASSERT_FALSE(refused) << unknown;
    EXPECT_NE(refused.error().message.find("does not know the inline assembly `"), std::string::npos)
        << refused.error().message;
  }
}

} // namespace
} // namespace xt::soft
