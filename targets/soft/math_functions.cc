#include "targets/soft/math_functions.h"

#include "ir/base/text.h"

#include <cmath>

namespace xt::soft {
namespace {

template <class T> constexpr T kPi = static_cast<T>(3.14159265358979323846264338327950288L);

// Functions without a counterpart in the C library, for float and double.
template <class T> T rsqrt(T x) { return T{1} / std::sqrt(x); }
template <class T> T recip(T x) { return T{1} / x; }
template <class T> T divide(T x, T y) { return x / y; }
template <class T> T exp10(T x) { return std::pow(T{10}, x); }
template <class T> T acospi(T x) { return std::acos(x) / kPi<T>; }
template <class T> T asinpi(T x) { return std::asin(x) / kPi<T>; }
template <class T> T atanpi(T x) { return std::atan(x) / kPi<T>; }
template <class T> T atan2pi(T y, T x) { return std::atan2(y, x) / kPi<T>; }
template <class T> T cospi(T x) { return std::cos(std::fmod(x, T{2}) * kPi<T>); }
template <class T> T sinpi(T x) { return std::sin(std::fmod(x, T{2}) * kPi<T>); }
template <class T> T tanpi(T x) { return std::tan(std::fmod(x, T{1}) * kPi<T>); }
template <class T> T degrees(T x) { return x * (T{180} / kPi<T>); }
template <class T> T radians(T x) { return x * (kPi<T> / T{180}); }
template <class T> T sign(T x) { return std::isnan(x) ? T{0} : x > 0 ? T{1} : x < 0 ? T{-1} : x; }
template <class T> T step(T edge, T x) { return x < edge ? T{0} : T{1}; }
template <class T> T mix(T x, T y, T a) { return x + (y - x) * a; }
template <class T> T smoothstep(T low, T high, T x) {
  T t = std::fmin(std::fmax((x - low) / (high - low), T{0}), T{1});
  return t * t * (T{3} - T{2} * t);
}
template <class T> T clamp(T x, T low, T high) { return std::fmin(std::fmax(x, low), high); }
template <class T> T maxmag(T x, T y) {
  return std::fabs(x) > std::fabs(y) ? x : std::fabs(y) > std::fabs(x) ? y : std::fmax(x, y);
}
template <class T> T minmag(T x, T y) {
  return std::fabs(x) < std::fabs(y) ? x : std::fabs(y) < std::fabs(x) ? y : std::fmin(x, y);
}
template <class T> T pown(T x, int n) { return std::pow(x, static_cast<T>(n)); }
template <class T> T rootn(T x, int n) {
  return n % 2 && x < 0 ? -std::pow(-x, T{1} / static_cast<T>(n)) : std::pow(x, T{1} / static_cast<T>(n));
}
template <class T> T powr(T x, T y) { return x < 0 ? std::nan("") : std::pow(x, y); }

template <class R, class... Args> void *addressOf(R (*function)(Args...)) { return reinterpret_cast<void *>(function); }

#define XT_LIBRARY1(name) {#name, 1, false, addressOf<float, float>(&::name##f), addressOf<double, double>(&::name)}
#define XT_LIBRARY2(name)                                                                                                      \
  {#name, 2, false, addressOf<float, float, float>(&::name##f), addressOf<double, double, double>(&::name)}
#define XT_OWN1(name) {#name, 1, false, addressOf<float, float>(&name<float>), addressOf<double, double>(&name<double>)}
#define XT_OWN2(name)                                                                                                          \
  {#name, 2, false, addressOf<float, float, float>(&name<float>), addressOf<double, double, double>(&name<double>)}
#define XT_OWN3(name)                                                                                                          \
  {#name, 3, false, addressOf<float, float, float, float>(&name<float>),                                                       \
   addressOf<double, double, double, double>(&name<double>)}
#define XT_INTEGER(name, single, twice)                                                                                        \
  {name, 1, true, addressOf<float, float, int>(single), addressOf<double, double, int>(twice)}

const MathFunction kFunctions[] = {
    XT_LIBRARY1(acos),
    XT_LIBRARY1(acosh),
    XT_LIBRARY1(asin),
    XT_LIBRARY1(asinh),
    XT_LIBRARY1(atan),
    XT_LIBRARY1(atanh),
    XT_LIBRARY1(cbrt),
    XT_LIBRARY1(cos),
    XT_LIBRARY1(cosh),
    XT_LIBRARY1(erf),
    XT_LIBRARY1(erfc),
    XT_LIBRARY1(exp),
    XT_LIBRARY1(exp2),
    XT_LIBRARY1(expm1),
    XT_LIBRARY1(lgamma),
    XT_LIBRARY1(log),
    XT_LIBRARY1(log2),
    XT_LIBRARY1(log10),
    XT_LIBRARY1(log1p),
    XT_LIBRARY1(logb),
    XT_LIBRARY1(sin),
    XT_LIBRARY1(sinh),
    XT_LIBRARY1(tan),
    XT_LIBRARY1(tanh),
    XT_LIBRARY1(tgamma),
    XT_LIBRARY1(round),
    XT_LIBRARY2(atan2),
    XT_LIBRARY2(fdim),
    XT_LIBRARY2(fmod),
    XT_LIBRARY2(hypot),
    XT_LIBRARY2(nextafter),
    XT_LIBRARY2(pow),
    XT_LIBRARY2(remainder),
    XT_OWN1(rsqrt),
    XT_OWN1(recip),
    XT_OWN1(exp10),
    XT_OWN1(acospi),
    XT_OWN1(asinpi),
    XT_OWN1(atanpi),
    XT_OWN1(cospi),
    XT_OWN1(sinpi),
    XT_OWN1(tanpi),
    XT_OWN1(degrees),
    XT_OWN1(radians),
    XT_OWN1(sign),
    XT_OWN2(divide),
    XT_OWN2(atan2pi),
    XT_OWN2(step),
    XT_OWN2(maxmag),
    XT_OWN2(minmag),
    XT_OWN2(powr),
    XT_OWN3(mix),
    XT_OWN3(smoothstep),
    XT_OWN3(clamp),
    XT_INTEGER("ldexp", &::ldexpf, &::ldexp),
    XT_INTEGER("pown", &pown<float>, &pown<double>),
    XT_INTEGER("rootn", &rootn<float>, &rootn<double>),
};

} // namespace

std::span<const MathFunction> mathFunctions() { return kFunctions; }

const MathFunction *findMathFunction(std::string_view name) {
  for (const MathFunction &function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

std::string mathSymbol(const MathFunction &function, bool isDouble) {
  return str("xtSoftMath_", function.name, isDouble ? "_f64" : "_f32");
}

} // namespace xt::soft
