// Tests the code generation of the software device.
#include "targets/xe/library/raw_send.h"
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

// Also the words of the probe: llvm-spirv-15 reads them.
TEST(SoftProgram, BuildsNoModuleWithAnExtensionThatTheDeviceLacks) {
  XT_NEEDS_COMPILER();
  DeviceSettings device = *deviceSettings("pvc");
  device.lacks = {"SPV_INTEL_inline_assembl", "SPV_INTEL_subgroups"};
  EXPECT_TRUE(Program::build(inlineAssemblyProbe(), device, true).ok());
  device.lacks = {"SPV_INTEL_subgroups", "SPV_INTEL_inline_assembly"};
  auto built = Program::build(inlineAssemblyProbe(), device, true);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message,
            "the module uses the SPIR-V extension SPV_INTEL_inline_assembly, which XT_SOFT_LACKS takes from the device");
}

} // namespace
} // namespace xt::soft::test
