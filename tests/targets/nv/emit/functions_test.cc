// Compares the functions of functions.h with those of the C library for long double, which has 64 bits: special values, numbers of all
// magnitudes, and numbers where a function changes its formula or is difficult.
#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "tests/targets/nv/emit/host_function.h"

#include <algorithm>
#include <bit>
#include <random>

namespace xt::test {
namespace {

// The largest error that functions_test.cc permits, in units of the last place; the language permits 4.
constexpr double kMostUlps = 3;

struct Function {
  OpKind kind;
  const char *name;
  long double (*exact)(long double, long double);
};
constexpr Function kFunctions[] = {
#define XT_FUNCTION(kind, name, ...) {OpKind::kind, #name, [](long double x, long double) { return std::name(x); }},
#define XT_FUNCTION2(kind, name) {OpKind::kind, #name, [](long double x, long double y) { return std::name(x, y); }},
#include "ir/ops/functions.def"
#undef XT_FUNCTION
#undef XT_FUNCTION2
};

bool takesTwo(const Function &function) { return function.kind == OpKind::PowF || function.kind == OpKind::RemF; }

template <class Float> using Bits = std::conditional_t<sizeof(Float) == 4, uint32_t, uint64_t>;
template <class Float> using Limits = std::numeric_limits<Float>;

template <class Float> std::vector<Float> specials() {
  std::vector<Float> values;
  for (Float size : {Float(0),
                     Limits<Float>::denorm_min(),
                     3 * Limits<Float>::denorm_min(),
                     Limits<Float>::min() / 2,
                     Limits<Float>::min(),
                     Limits<Float>::epsilon(),
                     Float(0.5),
                     Float(1),
                     Float(1) - Limits<Float>::epsilon() / 2,
                     Float(1) + Limits<Float>::epsilon(),
                     Float(1.5),
                     Float(2),
                     Float(3),
                     Float(4),
                     Float(7),
                     Float(1000),
                     Float(1001),
                     1 / Limits<Float>::epsilon(),
                     2 / Limits<Float>::epsilon() + 2,
                     Limits<Float>::max() / 2,
                     Limits<Float>::max(),
                     Limits<Float>::infinity(),
                     Limits<Float>::quiet_NaN()}) {
    values.push_back(size);
    values.push_back(-size);
  }
  return values;
}

template <class Float> struct Arguments {
  std::vector<Float> x, y;
  void add(Float first, Float second = 1) { x.push_back(first), y.push_back(second); }
};

// The numbers on both sides of those where the formulas change, and of multiples of pi/2.
template <class Float> void addEdges(Arguments<Float> &arguments) {
  auto around = [&](double middle) {
    for (int sign : {1, -1})
      for (int step = -4; step <= 4; ++step) {
        auto bits = std::bit_cast<Bits<Float>>(static_cast<Float>(middle)) + static_cast<Bits<Float>>(step);
        arguments.add(static_cast<Float>(sign) * std::bit_cast<Float>(static_cast<Bits<Float>>(bits)));
      }
  };
  for (double edge : {0x1p-54,
                      0x1p-27,
                      0x1p-12,
                      0.3465735902799726,
                      0.41421356237309503,
                      0.70710678118654757,
                      1.4142135623730951,
                      1.0,
                      6.0,
                      5.9,
                      3.92,
                      4.0,
                      17.3,
                      19.1,
                      30.0,
                      40.0,
                      87.3,
                      88.7,
                      89.0,
                      103.97,
                      104.0,
                      128.0,
                      149.0,
                      150.0,
                      700.0,
                      708.4,
                      709.78,
                      710.0,
                      710.47,
                      745.13,
                      746.0,
                      1022.0,
                      1024.0,
                      1025.0,
                      1074.0,
                      1076.0,
                      0x1p30})
    around(edge);
  for (int n = 1; n <= 200; ++n) around(n * 1.5707963267948966);
  for (int power = 0; power < Limits<Float>::max_exponent; ++power) around(std::ldexp(1.0, power));
}

template <class Float> Arguments<Float> manyArguments(bool pairs) {
  Arguments<Float> arguments;
  for (Float x : specials<Float>())
    for (Float y : specials<Float>())
      if (pairs || std::bit_cast<Bits<Float>>(y) == 0) arguments.add(x, y);
  addEdges(arguments);
  std::mt19937_64 random(1);
  auto any = [&] { return std::bit_cast<Float>(static_cast<Bits<Float>>(random())); };
  auto within = [&](double limit) { return static_cast<Float>(std::uniform_real_distribution<>(-limit, limit)(random)); };
  for (int i = 0; i < 40'000 + XT_FUZZ_ROUNDS; ++i) {
    arguments.add(any(), any());
    arguments.add(within(2), within(2000));
    arguments.add(within(50), within(50));
    arguments.add(within(800), std::round(within(100)));
    arguments.add(1 + within(0x1p-6), within(40'000));
    arguments.add(any(), within(1.5));
  }
  while (arguments.x.size() % 4) arguments.add(1);
  return arguments;
}

// In units of the last place, not counting what the long double itself is off. Infinite if only one of the two is NaN or infinite, or if
// signs of zeros differ.
template <class Float> double ulpsBetween(Float got, long double exact) {
  auto rounded = static_cast<Float>(exact);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) && std::isnan(rounded) ? 0 : Limits<double>::infinity();
  if (got == rounded) return got == 0 && std::signbit(got) != std::signbit(rounded) ? Limits<double>::infinity() : 0;
  constexpr int kLeast = Limits<Float>::min_exponent - 1;
  int exponent = std::isinf(rounded) ? Limits<Float>::max_exponent - 1 : rounded == 0 ? kLeast : std::ilogb(exact);
  double error = static_cast<double>(
      std::ldexp(std::fabs(static_cast<long double>(got) - exact), Limits<Float>::digits - 1 - std::max(exponent, kLeast)));
  // An infinity counts as the first power of two that is no number.
  if (std::isinf(got) && std::fabs(exact) <= Limits<Float>::max())
    error = static_cast<double>(
        std::ldexp(std::ldexp(1.0L, Limits<Float>::max_exponent) - std::fabs(exact), Limits<Float>::digits - 1 - exponent));
  return error;
}

template <class Float> void compare(unsigned lanes) {
  for (const Function &function : kFunctions) {
    SCOPED_TRACE(str(function.name, " of f", 8 * sizeof(Float), ", ", lanes, " at a time"));
    HostFunction<Float> code(function.kind, lanes);
    ASSERT_TRUE(code.ok());
    Arguments<Float> arguments = manyArguments<Float>(takesTwo(function));
    std::vector<Float> got = code(arguments.x, arguments.y);
    double worst = 0;
    size_t where = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      double ulps = ulpsBetween(got[i], function.exact(arguments.x[i], arguments.y[i]));
      if (ulps > worst) worst = ulps, where = i;
    }
    EXPECT_LE(worst, function.kind == OpKind::RemF ? 0 : kMostUlps)
        << str("of ", arguments.x[where], " and ", arguments.y[where], ": ", got[where]);
    testing::Test::RecordProperty(str(function.name, "_f", 8 * sizeof(Float), "_x", lanes), std::to_string(worst));
  }
}

TEST(NvFunctions, AreThoseOfTheLibrary) {
  compare<double>(1);
  compare<float>(1);
}

TEST(NvFunctions, OfVectors) {
  compare<double>(4);
  compare<float>(4);
}

// The f64 that is closest to a multiple of pi/2 of all (J.-M. Muller, Elementary functions, section 11.3.2), and a few that are close, of
// the sizes at which the reduction changes.
TEST(NvFunctions, OfAnglesThatAreDifficult) {
  HostFunction<double> sine(OpKind::Sin, 1), cosine(OpKind::Cos, 1);
  ASSERT_TRUE(sine.ok() && cosine.ok());
  std::vector<double> x{std::ldexp(6381956970095103.0, 797), std::ldexp(-6381956970095103.0, 797), Limits<double>::max(), 1e22,
                        0x1p120};
  for (int k = 0; k < 30; ++k)
    for (double near : {3.0, 11.0, 355.0 / 2, 103993.0 / 2}) x.push_back(std::ldexp(near * 1.5707963267948966, k));
  std::vector<double> gotSine = sine(x, x), gotCosine = cosine(x, x);
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_LE(ulpsBetween(gotSine[i], std::sin(static_cast<long double>(x[i]))), 1.0) << x[i];
    EXPECT_LE(ulpsBetween(gotCosine[i], std::cos(static_cast<long double>(x[i]))), 1.0) << x[i];
  }
  EXPECT_NEAR(gotCosine[0], -4.6871659242546277e-19, 1e-34);
}

} // namespace
} // namespace xt::test
