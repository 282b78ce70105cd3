// Tests how a kernel requests the plans of its nests.
#include "ir/base/text.h"
#include "targets/cpu/emit.h"
#include "targets/cpu/products/nest_plan.h"
#include "tests/targets/cpu/text_kernel.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string product(const char *b, const char *c, int columns) {
  std::string sums = str("64x", columns, "xf32>");
  return str("  %ta", c, " = init_tile %A[0, 0] -> tile<64x32xf32>\n  %tb", c, " = init_tile ", b, "[0, 0] -> tile<32x",
             columns, "xf32>\n  %acc", c, " = constant 0.0 : vector<", sums,
             "\n  for %k = 0 to dim(%A, 1) step 32 {\n    %a = load_tile %ta", c, "\n    %b = load_tile %tb", c, "\n    %acc",
             c, " = tile_mma %a, %b, %acc", c, "\n    %ta", c, " = update_tile_offset %ta", c, ", 0, 32\n    %tb", c,
             " = update_tile_offset %tb", c, ", 32, 0\n  }\n  %tc", c, " = init_tile %", c, "[0, 0] -> tile<", sums,
             "\n  store_tile %acc", c, ", %tc", c, "\n");
}

// If two nests shared one call, they would be planned again in each workgroup.
TEST(NestPlanCall, EachNestHasItsOwn) {
  TextKernel kernel("kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?xf32>) {\n" +
                    product("%B", "C", 64) + product("%B", "D", 128) + "}\n");
  ASSERT_TRUE(kernel);
  const std::string memory = str("alloca [", sizeof(NestCall) / sizeof(int64_t), " x i64], align 64");
  for (const char *cpu : {"x86-64-v3", "x86-64-v4"}) {
    Diagnostics diagnostics;
    Result<std::string> code = emit(kernel.module(), EmitKind::Llvm, {cpu}, diagnostics);
    ASSERT_TRUE(code.ok()) << code.error().message;
    EXPECT_EQ(count(*code, "call void @xt_plan_nest("), 2u) << cpu;
    EXPECT_EQ(count(*code, memory), 2u) << cpu;
  }
}

} // namespace
} // namespace xt
