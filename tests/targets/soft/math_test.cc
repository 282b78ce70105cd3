#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"
#include "targets/soft/products.h"

#include <cmath>
#include <limits>

namespace xt::soft::test {
namespace {

using Unary = double (*)(double);

struct Function {
  const char *name;
  Unary exact;
  double low, high;
};

const Function kFunctions[] = {
    {"exp", std::exp, -20, 20},
    {"exp2", std::exp2, -20, 20},
    {"log", std::log, 0.01, 100},
    {"log2", std::log2, 0.01, 100},
    {"log10", std::log10, 0.01, 9},
    {"log1p", std::log1p, -0.9, 9},
    {"expm1", std::expm1, -5, 5},
    {"sin", std::sin, -7, 7},
    {"cos", std::cos, -7, 7},
    {"tan", std::tan, -1.5, 1.5},
    {"sinh", std::sinh, -5, 5},
    {"cosh", std::cosh, -5, 5},
    {"tanh", std::tanh, -5, 5},
    {"asin", std::asin, -1, 1},
    {"acos", std::acos, -1, 1},
    {"atan", std::atan, -9, 9},
    {"erf", std::erf, -4, 4},
    {"erfc", std::erfc, -4, 4},
    {"sqrt", std::sqrt, 0, 100},
    {"cbrt", std::cbrt, -100, 100},
    {"floor", std::floor, -9, 9},
    {"ceil", std::ceil, -9, 9},
    {"trunc", std::trunc, -9, 9},
    {"round", std::round, -9, 9},
    {"rint", std::nearbyint, -9, 9},
    {"fabs", std::fabs, -9, 9},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.01, 100},
    {"exp10", [](double x) { return std::pow(10, x); }, -5, 5},
    {"native_exp", std::exp, -20, 20},
    {"native_recip", [](double x) { return 1 / x; }, 0.1, 9},
    {"half_sqrt", std::sqrt, 0, 9},
};

TEST(SoftMath, functionsOfOneNumberInAllTypes) {
  XT_NEEDS_COMPILER();
  std::string source;
  for (const Function &f : kFunctions) {
    bool onlyFloat = std::string(f.name).find('_') != std::string::npos;
    source += str("LANES(16) kernel void ", f.name,
                  "_(global float *a, global float4 *v, global half *h, global double *d) {\n  size_t i = get_global_id(0);\n",
                  "  a[i] = ", f.name, "(a[i]);\n  v[i] = ", f.name, "(v[i]);\n",
                  onlyFloat ? "" : str("  h[i] = ", f.name, "(h[i]);\n  d[i] = ", f.name, "(d[i]);\n"), "}\n");
  }
  SoftKernels kernels(source);
  ASSERT_TRUE(kernels) << kernels.error;
  constexpr size_t kCount = 64;
  for (const Function &f : kFunctions) {
    bool onlyFloat = std::string(f.name).find('_') != std::string::npos;
    DeviceArray<float> a(kCount), v(kCount * 4);
    DeviceArray<uint16_t> h(kCount);
    DeviceArray<double> d(kCount);
    std::vector<double> x;
    for (size_t i = 0; i < kCount; ++i) {
      x.push_back(f.low + (f.high - f.low) * static_cast<double>(i) / (kCount - 1));
      a[i] = static_cast<float>(x[i]);
      for (size_t k = 0; k < 4; ++k) v[i * 4 + k] = static_cast<float>(x[(i + k) % (i + 1)]);
      h[i] = toHalf(static_cast<float>(x[i]));
      d[i] = x[i];
    }
    std::vector<float> beforeA(a.span().begin(), a.span().end()), beforeV(v.span().begin(), v.span().end());
    std::vector<uint16_t> beforeH(h.span().begin(), h.span().end());
    ASSERT_EQ(kernels.run(str(f.name, "_"), {16, 1, 1}, {4, 1, 1}, a, v, h, d), "") << f.name;
    auto near = [&](double got, double from, double unit) {
      double exact = f.exact(from);
      EXPECT_LE(std::fabs(got - exact), std::fabs(exact) * unit + unit * 0x1p-10) << f.name << "(" << from << ")";
    };
    for (size_t i = 0; i < kCount; ++i) {
      near(a[i], beforeA[i], 0x1p-21);
      for (size_t k = 0; k < 4; ++k) near(v[i * 4 + k], beforeV[i * 4 + k], 0x1p-21);
      if (onlyFloat) continue;
      if (std::isfinite(fromHalf(h[i]))) near(fromHalf(h[i]), fromHalf(beforeH[i]), 0x1p-10);
      near(d[i], x[i], 0x1p-49);
    }
  }
}

TEST(SoftMath, functionsOfSeveralNumbers) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void many(float x, float y, float z, int n, global float *o, global int *i, global uint *u, global long *l) {
  o[0] = pow(x, y); o[1] = fma(x, y, z); o[2] = mad(x, y, z); o[3] = fmax(x, y); o[4] = fmin(x, NAN);
  o[5] = atan2(x, y); o[6] = fmod(x, y); o[7] = hypot(x, y); o[8] = clamp(x, 0.0f, 1.0f); o[9] = ldexp(x, n);
  o[10] = copysign(x, -1.0f); o[11] = dot((float4)(x, y, z, 1), (float4)(y, z, x, 2)); o[12] = pown(x, n); o[13] = mix(x, y, 0.25f);
  o[14] = sign(-x); o[15] = step(y, x); o[16] = x - y * trunc(x / y); o[17] = native_divide(x, y); o[18] = fdim(x, y); o[19] = powr(x, y);
  i[0] = max(n, -3); i[1] = min(n, -3); i[2] = abs(-n); i[3] = mul_hi(n << 24, n << 20); i[4] = clz(n); i[5] = popcount(n);
  i[6] = rotate(n, 31); i[7] = add_sat(0x7fffffff, n); i[8] = sub_sat((int)0x80000000, n); i[9] = mad24(n, n, n); i[10] = hadd(n, n + 3);
  i[11] = clamp(n, 0, 4); i[12] = isnan(x) | isinf(x) << 1 | isfinite(x) << 2 | signbit(-x) << 3; i[13] = abs_diff(n, -n); i[14] = n % 3;
  u[0] = mul_hi(0xffffffffu, (uint)n); u[1] = add_sat(0xfffffff0u, 32u); u[2] = sub_sat(3u, 4u); u[3] = max(0x80000000u, 1u); u[4] = ctz((uint)n);
  l[0] = mul_hi((long)n << 60, (long)n << 40); l[1] = rotate((long)n, 63l);
})");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<float> o(20);
  DeviceArray<int> i(15);
  DeviceArray<uint32_t> u(5);
  DeviceArray<int64_t> l(2);
  const float x = 2.75f, y = 1.5f, z = -0.3f;
  const int n = 6;
  ASSERT_EQ(kernels.run("many", {16, 1, 1}, {1, 1, 1}, x, y, z, n, o, i, u, l), "");
  const double floats[] = {std::pow(x, y),
                           std::fma(x, y, z),
                           std::fma(x, y, z),
                           x,
                           x,
                           std::atan2(x, y),
                           std::fmod(x, y),
                           std::hypot(x, y),
                           1,
                           std::ldexp(x, n),
                           -x,
                           x * y + y * z + z * x + 2,
                           std::pow(x, n),
                           x + (y - x) * 0.25,
                           -1,
                           1,
                           std::fmod(x, y),
                           x / y,
                           x - y,
                           std::pow(x, y)};
  for (size_t k = 0; k < std::size(floats); ++k) EXPECT_NEAR(o[k], floats[k], std::fabs(floats[k]) * 1e-6) << k;
  const int ints[] = {6, -3, 6, (6ll << 24) * (6ll << 20) >> 32, 29, 2, 3, 0x7fffffff, INT32_MIN, 42, 7, 4, 12, 12, 0};
  for (size_t k = 0; k < std::size(ints); ++k) EXPECT_EQ(i[k], ints[k]) << k;
  const uint32_t unsigneds[] = {5, ~0u, 0, 0x80000000u, 1};
  for (size_t k = 0; k < std::size(unsigneds); ++k) EXPECT_EQ(u[k], unsigneds[k]) << k;
  EXPECT_EQ(l[0], static_cast<int64_t>(static_cast<__int128>(int64_t{6} << 60) * (int64_t{6} << 40) >> 64));
  EXPECT_EQ(l[1], 3);
}

TEST(SoftMath, conversionsRoundAndSaturate) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
float __spirv_ConvertBF16ToFINTEL(ushort) __asm("_Z27__spirv_ConvertBF16ToFINTELs");
ushort __spirv_ConvertFToBF16INTEL(float) __asm("_Z27__spirv_ConvertFToBF16INTELf");
LANES(16) kernel void convert(global float *in, global int *i, global half *h, global uchar *c, global ushort *b, global float *f) {
  size_t k = get_global_id(0);
  float x = in[k];
  i[k * 5] = convert_int_rte(x); i[k * 5 + 1] = convert_int_rtp(x); i[k * 5 + 2] = convert_int_rtn(x); i[k * 5 + 3] = convert_int_rtz(x);
  i[k * 5 + 4] = convert_int_sat(x * 1e9f);
  h[k * 4] = convert_half(x); h[k * 4 + 1] = convert_half_rtz(x); h[k * 4 + 2] = convert_half_rtp(x); h[k * 4 + 3] = convert_half_rtn(x);
  c[k * 2] = convert_uchar_sat(x); c[k * 2 + 1] = convert_uchar_sat((int)x);
  b[k] = __spirv_ConvertFToBF16INTEL(x);
  f[k] = __spirv_ConvertBF16ToFINTEL(b[k]);
})");
  ASSERT_TRUE(kernels) << kernels.error;
  std::vector<float> values = {0.0f,     0.5f,      1.5f,  -2.5f,  3.7f,    -3.7f,    300.0f, -300.0f,
                               1.0f / 3, -1.0f / 3, 1e-7f, -1e-7f, 2049.0f, 65504.0f, 1e-5f,  123.456f};
  DeviceArray<float> in(values), f(16);
  DeviceArray<int> i(80);
  DeviceArray<uint16_t> h(64), b(16);
  DeviceArray<uint8_t> c(32);
  ASSERT_EQ(kernels.run("convert", {16, 1, 1}, {1, 1, 1}, in, i, h, c, b, f), "");
  for (size_t k = 0; k < 16; ++k) {
    float x = values[k];
    EXPECT_EQ(i[k * 5], std::lrint(std::nearbyint(x)));
    EXPECT_EQ(i[k * 5 + 1], std::lrint(std::ceil(x)));
    EXPECT_EQ(i[k * 5 + 2], std::lrint(std::floor(x)));
    EXPECT_EQ(i[k * 5 + 3], std::lrint(std::trunc(x)));
    double large = static_cast<double>(x * 1e9f);
    EXPECT_EQ(i[k * 5 + 4], static_cast<int>(std::clamp<double>(large, INT32_MIN, INT32_MAX)));
    EXPECT_EQ(h[k * 4], toHalf(x));
    float zero = fromHalf(h[k * 4 + 1]), up = fromHalf(h[k * 4 + 2]), down = fromHalf(h[k * 4 + 3]);
    EXPECT_LE(down, x);
    EXPECT_GE(up, x);
    EXPECT_EQ(zero, x > 0 ? down : up) << x;
    bool exact = fromHalf(toHalf(x)) == x;
    EXPECT_EQ(up == down, exact) << x;
    EXPECT_EQ(c[k * 2], static_cast<uint8_t>(std::clamp(std::trunc(x), 0.0f, 255.0f)));
    EXPECT_EQ(c[k * 2 + 1], static_cast<uint8_t>(std::clamp(static_cast<int>(x), 0, 255)));
    EXPECT_EQ(b[k], toBfloat(x));
    EXPECT_EQ(f[k], fromBfloat(toBfloat(x)));
  }
}

} // namespace
} // namespace xt::soft::test
