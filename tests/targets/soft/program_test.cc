// Tests the code generation of the software device.
#include "tests/targets/soft/soft_kernel.h"

namespace xt::soft::test {
namespace {

TEST(SoftProgram, CodeThatIsNotOptimisedGivesTheSameAndKeepsMoreOnTheStack) {
  XT_NEEDS_COMPILER();
  const char *const kSource = R"(
LANES(16) kernel void k(global float *out, float a) {
  float b = a * 3, c = b + a, d = c * b, e = d - a, f = e * c, g = f + d, h = g * b;
  for (int i = 0; i < 5; ++i) b += c * d, c += d * e, d += e * f, e += f * g, f += g * h, g += h * a, h += a * b;
  out[get_global_id(0)] = b + c + d + e + f + g + h;
}
)";
  SoftKernels fast(kSource), plain(kSource, "pvc", false);
  ASSERT_TRUE(fast && plain) << fast.error << plain.error;
  DeviceArray<float> first(16), second(16);
  EXPECT_EQ(fast.run("k", {16, 1, 1}, {1, 1, 1}, first, 0.25f), "");
  EXPECT_EQ(plain.run("k", {16, 1, 1}, {1, 1, 1}, second, 0.25f), "");
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(first[i], second[i]);
  EXPECT_GT(plain.program().lowered().frameBytes, fast.program().lowered().frameBytes);
}

} // namespace
} // namespace xt::soft::test
