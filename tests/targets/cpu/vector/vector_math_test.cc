// Compares the functions of vector_math.h with the C library in f64, for every f16 and bf16, and for every 2039th pattern of
// f32.
#include "ir/elem_kinds.h"
#include "targets/cpu/emit.h"
#include "targets/cpu/vector/vector_math.h"
#include "tests/targets/cpu/text_kernel.h"

#include <bit>

namespace xt {
namespace {

struct Function {
  const char *name;
  double (*exact)(double);
};
constexpr Function kFunctions[] = {{"exp", std::exp},   {"exp2", std::exp2},   {"expm1", std::expm1}, {"log", std::log},
                                   {"log2", std::log2}, {"log10", std::log10}, {"tanh", std::tanh},   {"erf", std::erf}};

// Returns the kernel's results for `bits`, of which there are 256 per row; the last row is padded.
std::vector<double> evaluate(const std::string &function, Elem elem, const std::vector<uint32_t> &bits, const CpuInfo &cpu) {
  std::string type = std::string(elemInfo(elem).name);
  TextKernel kernel("kernel @k(%X: memref<?x256x" + type + ">, %Y: memref<?x256x" + type +
                    ">) grid (%i = 0 to dim(%X, 0) step 4) {\n" + "  %tx = init_tile %X[%i, 0] -> tile<4x256x" + type +
                    ">\n  %x = load_tile %tx\n" + "  %ty = init_tile %Y[%i, 0] -> tile<4x256x" + type +
                    ">\n  %y = " + function + "(%x)\n  store_tile %y, %ty\n}\n");
  auto rows = static_cast<int64_t>((bits.size() + 255) / 256);
  Array in(elem, {rows, 256}), out(elem, {rows, 256});
  size_t next = 0;
  in.forEach([&](const std::vector<int64_t> &index) {
    uint32_t pattern = bits[next < bits.size() ? next : 0];
    ++next;
    std::memcpy(in.at(index), &pattern, static_cast<size_t>(elemInfo(elem).storageBytes));
  });
  Diagnostics diagnostics;
  auto executable = compileForCpu(kernel.module(), cpu, {}, diagnostics);
  EXPECT_TRUE(executable.ok());
  if (!executable.ok()) return {};
  std::vector<LaunchArg> args{in.arg(), out.arg()};
  EXPECT_TRUE((*executable)->launch(kernel.kernel(), args, *computeGrid(kernel.kernel(), args)).ok());
  std::vector<double> results;
  out.forEach([&](const std::vector<int64_t> &index) { results.push_back(out.number(index)); });
  results.resize(bits.size());
  return results;
}

double valueOf(Elem elem, uint32_t bits) { return loadFloat(elem, &bits); }

// Returns the largest error in ulps of f32. If a result is NaN or infinite and the exact value is not, the error is infinite.
double worstUlps(const Function &function, const std::vector<uint32_t> &bits, const CpuInfo &cpu) {
  std::vector<double> got = evaluate(function.name, Elem::F32, bits, cpu);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double exact = function.exact(valueOf(Elem::F32, bits[i]));
    if (std::isnan(exact) && std::isnan(got[i])) continue;
    if (got[i] == exact || got[i] == static_cast<float>(exact)) continue;
    double ulp = std::ldexp(1.0, std::max(exact == 0 || std::isinf(exact) ? -126 : std::ilogb(exact), -126) - 23);
    double error = std::fabs(got[i] - exact) / ulp;
    worst = std::max(worst, error <= 1e30 ? error : std::numeric_limits<double>::infinity());
  }
  return worst;
}

TEST(VectorMath, IsWithinItsBoundOfEveryKindOfF32) {
  std::vector<uint32_t> bits;
  for (uint64_t pattern = 0; pattern < uint64_t{1} << 32; pattern += 2039) bits.push_back(static_cast<uint32_t>(pattern));
  // These are the limits of the ranges into which the functions divide their arguments. The numbers next to them are tested as
  // well.
  for (float end : {0.0F,
                    1.0F,
                    4.0F,
                    3.92F,
                    88.722839F,
                    88.3762626F,
                    89.0F,
                    87.3365447F,
                    103.972084F,
                    104.0F,
                    17.3F,
                    20.0F,
                    128.0F,
                    126.0F,
                    149.0F,
                    150.0F,
                    0.3465736F,
                    0.70710678F,
                    1.41421356F,
                    9.01F,
                    0x1p-126F,
                    0x1p-149F,
                    std::numeric_limits<float>::infinity()})
    for (uint32_t sign : {0U, 0x80000000U})
      for (uint32_t near = 0; near < 9; ++near) bits.push_back((std::bit_cast<uint32_t>(end) + near - 4) ^ sign);
  bits.insert(bits.end(), {0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0x00000000, 0x80000000});
  for (const CpuInfo &cpu : processors())
    for (const Function &function : kFunctions) {
      double worst = worstUlps(function, bits, cpu);
      EXPECT_LT(worst, kFloatFunctionUlps) << function.name << " on " << cpu.name;
      RecordProperty(std::string(function.name) + " on " + cpu.name, std::to_string(worst));
    }
}

// Rounding to 16 bits hides the error, unless the exact value is close to the middle between two numbers.
TEST(VectorMath, RoundsEveryF16AndBF16) {
  std::vector<uint32_t> bits;
  for (uint32_t pattern = 0; pattern < 65536; ++pattern) bits.push_back(pattern);
  for (Elem elem : {Elem::F16, Elem::BF16})
    for (const Function &function : kFunctions) {
      std::vector<double> got = evaluate(function.name, elem, bits, processors()[0]);
      ASSERT_EQ(got.size(), bits.size());
      for (size_t i = 0; i < got.size(); ++i) {
        double exact = function.exact(valueOf(elem, bits[i]));
        double rounded = roundTo(elem, exact);
        bool same = got[i] == rounded || (std::isnan(got[i]) && std::isnan(rounded));
        if (!same) same = agree(elem, got[i], exact, {0.51});
        ASSERT_TRUE(same) << function.name << " of " << valueOf(elem, bits[i]) << " as " << elemInfo(elem).name << ": "
                          << got[i] << ", not " << exact;
      }
    }
}

TEST(VectorMath, CallsNothing) {
  for (const Function &function : kFunctions) {
    TextKernel kernel(
        std::string("kernel @k(%X: memref<8x64xf32>) grid (%i = 0 to 1) {\n  %t = init_tile %X[0, 0] -> tile<8x64xf32>\n") +
        "  %x = load_tile %t\n  %y = " + function.name + "(%x)\n  store_tile %y, %t\n}\n");
    ASSERT_TRUE(kernel);
    Diagnostics diagnostics;
    Result<std::string> code = emit(kernel.module(), EmitKind::Llvm, {}, diagnostics);
    ASSERT_TRUE(code.ok());
    EXPECT_EQ(code->find(std::string("@") + function.name + "f("), std::string::npos) << function.name;
  }
}

} // namespace
} // namespace xt
