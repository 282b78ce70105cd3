// Elementwise functions of two arrays.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/run/bit_functions.h"
#include "targets/run/chunk.h"
#include "targets/run/functions.h"

#include <limits>

namespace xt {

namespace {
bool isComparison(HostFn fn) {
  return fn == HostFn::Lt || fn == HostFn::Le || fn == HostFn::Gt || fn == HostFn::Ge || fn == HostFn::Eq || fn == HostFn::Ne;
}
bool isLogic(HostFn fn) { return fn == HostFn::And || fn == HostFn::Or; }
// Whether a kernel rounds the result of the function.
bool rounds(HostFn fn) { return fn != HostFn::Max && fn != HostFn::Min && fn != HostFn::MaxNum && fn != HostFn::MinNum; }

template <class F> void loop(const double *a, const double *b, int64_t n, double *out, F f) {
  for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
}

// IEEE 754-2019 minimum and maximum: NaN if either operand is NaN, and -0 < +0.
double maximum(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double minimum(double a, double b) {
  if (a != a || b != b) return a + b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

void floatValues(HostFn fn, const double *a, const double *b, int64_t n, double *out) {
  if (fn == HostFn::Add) return loop(a, b, n, out, [](double x, double y) { return x + y; });
  if (fn == HostFn::Sub) return loop(a, b, n, out, [](double x, double y) { return x - y; });
  if (fn == HostFn::Mul) return loop(a, b, n, out, [](double x, double y) { return x * y; });
  if (fn == HostFn::Div) return loop(a, b, n, out, [](double x, double y) { return x / y; });
  if (fn == HostFn::Mod)
    return loop(a, b, n, out, [](double x, double y) {
      double r = std::fmod(x, y);
      return r != 0 && (r < 0) != (y < 0) ? r + y : r;
    });
  if (fn == HostFn::Remainder) return loop(a, b, n, out, [](double x, double y) { return std::fmod(x, y); });
  if (fn == HostFn::Max) return loop(a, b, n, out, maximum);
  if (fn == HostFn::Min) return loop(a, b, n, out, minimum);
  if (fn == HostFn::MaxNum)
    return loop(a, b, n, out, [](double x, double y) { return x != x ? y : y != y ? x : maximum(x, y); });
  if (fn == HostFn::MinNum)
    return loop(a, b, n, out, [](double x, double y) { return x != x ? y : y != y ? x : minimum(x, y); });
  if (fn == HostFn::Pow) return loop(a, b, n, out, [](double x, double y) { return std::pow(x, y); });
  XT_UNREACHABLE("not a float function of two arrays");
}

// An upper bound on the change of v = pow(x, y) when each operand varies within its error.
double powCarried(double x, double ex, double y, double ey, double v) {
  if (ex == 0 && ey == 0) return 0;
  if (ex > 0 && !surelyNonzero(x, ex) && y - ey < 0) return specialBound(false); // a pole is within the error
  double worst = 0;
  for (double p : {x - ex, x + ex})
    for (double q : {y - ey, y + ey}) {
      double w = std::pow(p, q);
      if (std::isnan(w) != std::isnan(v)) return specialBound(false);
      worst = w == v || std::isnan(w) ? worst : std::max(worst, std::fabs(w - v));
    }
  return worst;
}

double divCarried(double ea, double b, double eb, double v) {
  if (ea == 0 && eb == 0) return 0;
  if (std::isinf(b) && eb == 0) return std::isinf(ea) ? ea : 0; // a / inf is 0
  double least = std::fabs(b) - eb;
  return least > 0 ? (ea + scaled(v, eb)) / least : std::numeric_limits<double>::infinity();
}

// x mod y is x - floor(x / y) * y; the remainder truncates the quotient instead. Where the quotient may cross an
// integer, the result may be anywhere in [0, y).
template <class Round> double modCarried(double a, double ea, double b, double eb, Round round) {
  if (ea == 0 && eb == 0) return 0;
  double q = a / b, eq = divCarried(ea, b, eb, q);
  if (round(q - eq) != round(q + eq)) return std::fabs(b) + eb;
  return ea + scaled(round(q), eb);
}

// Whether a kernel has the same infinite or NaN result of + - * /, whatever the errors of the operands are.
bool certainSpecial(HostFn fn, double a, double ea, double b, double eb) {
  bool infA = !std::isfinite(a), infB = !std::isfinite(b);
  if (std::isinf(ea) || std::isinf(eb)) return false;
  if (fn == HostFn::Add || fn == HostFn::Sub) return infA || infB;
  if (fn == HostFn::Mul) // inf * 0 is a NaN only if the 0 is certain
    return (infA || infB) && (infA || ea == 0 || surelyNonzero(a, ea)) && (infB || eb == 0 || surelyNonzero(b, eb));
  if (fn == HostFn::Div)
    return infA || infB ? infB || eb == 0 || surelyNonzero(b, eb) : b == 0 && eb == 0 && (ea == 0 || surelyNonzero(a, ea));
  return ea == 0 && eb == 0;
}

// The bound that follows from the operands' errors, before the function's own rounding.
void carriedBounds(HostFn fn, const double *a, const double *ea, const double *b, const double *eb, const double *v, int64_t n,
                   double *out) {
  auto each = [&](auto f) {
    for (int64_t i = 0; i < n; ++i) out[i] = f(i);
  };
  auto eachFinite = [&](auto f) {
    each([&](int64_t i) { return std::isfinite(v[i]) ? f(i) : specialBound(certainSpecial(fn, a[i], ea[i], b[i], eb[i])); });
  };
  if (fn == HostFn::Add || fn == HostFn::Sub) return eachFinite([&](int64_t i) { return ea[i] + eb[i]; });
  if (fn == HostFn::Mul)
    return eachFinite([&](int64_t i) {
      double both = ea[i] == 0 || eb[i] == 0 ? 0 : ea[i] * eb[i];
      return scaled(a[i], eb[i]) + scaled(b[i], ea[i]) + both;
    });
  if (fn == HostFn::Div) return eachFinite([&](int64_t i) { return divCarried(ea[i], b[i], eb[i], v[i]); });
  if (fn == HostFn::Mod)
    return each([&](int64_t i) { return modCarried(a[i], ea[i], b[i], eb[i], [](double q) { return std::floor(q); }); });
  if (fn == HostFn::Remainder)
    return each([&](int64_t i) { return modCarried(a[i], ea[i], b[i], eb[i], [](double q) { return std::trunc(q); }); });
  if (fn == HostFn::Pow) return each([&](int64_t i) { return powCarried(a[i], ea[i], b[i], eb[i], v[i]); });
  if (fn == HostFn::Max || fn == HostFn::MaxNum)
    return each([&](int64_t i) {
      // Both errors matter only where the operands are within their errors of each other.
      return a[i] - ea[i] > b[i] + eb[i] ? ea[i] : b[i] - eb[i] > a[i] + ea[i] ? eb[i] : std::max(ea[i], eb[i]);
    });
  if (fn == HostFn::Min || fn == HostFn::MinNum)
    return each([&](int64_t i) {
      return a[i] + ea[i] < b[i] - eb[i] ? ea[i] : b[i] + eb[i] < a[i] - ea[i] ? eb[i] : std::max(ea[i], eb[i]);
    });
  if (fn == HostFn::CeilDiv || fn == HostFn::Quotient || fn == HostFn::QuotientFloor)
    return each([&](int64_t i) { return std::ceil(divCarried(ea[i], b[i], eb[i], v[i])); });
  XT_UNREACHABLE("function of two arrays");
}

void ownRounding(HostFn fn, const double *v, bool wide, int64_t n, double *bounds) {
  if (!rounds(fn)) return;
  if (fn == HostFn::Pow)
    for (int64_t i = 0; i < n; ++i) bounds[i] = functionBound(v[i], bounds[i], wide);
  else if (wide)
    for (int64_t i = 0; i < n; ++i) bounds[i] = roundedBound(v[i], bounds[i], true);
  else
    for (int64_t i = 0; i < n; ++i) bounds[i] = roundedBound(v[i], bounds[i], false);
}

Result<HostArray> outputFor(const EvalSite &site, const HostArray &a, const HostArray &b, std::vector<int64_t> shape,
                            bool integer, bool withErrors) {
  auto out = makeArray(site.budget, std::move(shape), integer, withErrors);
  if (out) out->wide = a.wide || b.wide;
  return out;
}

Result<HostArray> floatBinary(const EvalSite &site, HostFn fn, HostArray a, HostArray b, std::vector<int64_t> shape) {
  bool withErrors = site.trackErrors && (rounds(fn) || !a.exact() || !b.exact());
  auto out = outputFor(site, a, b, std::move(shape), false, withErrors);
  if (!out) return out;
  std::atomic<bool> anyBound{false};
  const std::span<const int64_t> shapes[] = {a.shape, b.shape};
  forEachRun(out->shape, shapes, site.threads, [&](const BroadcastRun &run) {
    Chunk ca, cb, cea, ceb;
    double bounds[kMaxRun];
    const double *va = ca.values(a, run.offset[0], run.step[0], run.count);
    const double *vb = cb.values(b, run.offset[1], run.step[1], run.count);
    double *result = out->values.data() + run.out;
    floatValues(fn, va, vb, run.count, result);
    if (!withErrors) return;
    if (a.exact() && b.exact())
      std::fill_n(bounds, run.count, 0.0);
    else
      carriedBounds(fn, va, cea.errors(a, run.offset[0], run.step[0], run.count), vb,
                    ceb.errors(b, run.offset[1], run.step[1], run.count), result, run.count, bounds);
    ownRounding(fn, result, out->wide, run.count, bounds);
    putChunk(out->errors, run.out, bounds, run.count);
    if (anyError(bounds, run.count)) anyBound = true;
  });
  if (!anyBound) out->errors = {};
  return out;
}

// Integer remainder and quotients; `b` is not 0. The functions that return a bool return true if the quotient overflows.
int64_t floorMod(int64_t a, int64_t b) {
  if (b == -1) return 0; // the quotient of the smallest integer would overflow
  int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
bool truncDiv(int64_t a, int64_t b, int64_t *out) {
  if (b == -1) return __builtin_sub_overflow(int64_t{0}, a, out);
  return *out = a / b, false;
}
bool floorDiv(int64_t a, int64_t b, int64_t *out) {
  if (b == -1) return __builtin_sub_overflow(int64_t{0}, a, out);
  *out = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  return false;
}
bool ceilDiv(int64_t a, int64_t b, int64_t *out) {
  if (b == -1) return __builtin_sub_overflow(int64_t{0}, a, out);
  *out = a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
  return false;
}

// Returns false if a result does not fit 64 bits or a divisor is 0; `failedAt` is then the index of the first such element.
bool integerValues(HostFn fn, const int64_t *a, const int64_t *b, int64_t n, int64_t *out, int64_t &failedAt) {
  auto each = [&](auto f) {
    bool failed = false;
    for (int64_t i = 0; i < n; ++i) failed |= f(a[i], b[i], out + i);
    if (!failed) return true;
    for (failedAt = 0; !f(a[failedAt], b[failedAt], out + failedAt);) ++failedAt;
    return false;
  };
  if (fn == HostFn::Add) return each([](int64_t x, int64_t y, int64_t *r) { return __builtin_add_overflow(x, y, r); });
  if (fn == HostFn::Sub) return each([](int64_t x, int64_t y, int64_t *r) { return __builtin_sub_overflow(x, y, r); });
  if (fn == HostFn::Mul) return each([](int64_t x, int64_t y, int64_t *r) { return __builtin_mul_overflow(x, y, r); });
  if (fn == HostFn::Max || fn == HostFn::MaxNum)
    return each([](int64_t x, int64_t y, int64_t *r) { return *r = std::max(x, y), false; });
  if (fn == HostFn::Min || fn == HostFn::MinNum)
    return each([](int64_t x, int64_t y, int64_t *r) { return *r = std::min(x, y), false; });
  if (fn == HostFn::Mod) return each([](int64_t x, int64_t y, int64_t *r) { return y == 0 || (*r = floorMod(x, y), false); });
  if (fn == HostFn::CeilDiv) return each([](int64_t x, int64_t y, int64_t *r) { return y == 0 || ceilDiv(x, y, r); });
  if (fn == HostFn::QuotientFloor) return each([](int64_t x, int64_t y, int64_t *r) { return y == 0 || floorDiv(x, y, r); });
  if (fn == HostFn::Quotient) return each([](int64_t x, int64_t y, int64_t *r) { return y == 0 || truncDiv(x, y, r); });
  if (fn == HostFn::Remainder)
    return each([](int64_t x, int64_t y, int64_t *r) { return y == 0 || (*r = y == -1 ? 0 : x % y, false); });
  XT_UNREACHABLE("not an integer function of two arrays");
}

Error integerFailure(const EvalSite &site, HostFn fn, const HostArray &a, const HostArray &b, const HostArray &out,
                     int64_t at) {
  std::vector<int64_t> index = indexOf(at, out.shape);
  auto operand = [&](const HostArray &x) {
    std::vector<int64_t> strides = broadcastStrides(x.shape, out.shape);
    int64_t offset = 0;
    for (size_t d = 0; d < strides.size(); ++d) offset += index[d] * strides[d];
    return x.ints[offset];
  };
  int64_t x = operand(a), y = operand(b);
  std::string where = out.shape.empty() ? "" : " at index " + indexText(index);
  bool divides = fn == HostFn::Mod || fn == HostFn::CeilDiv || fn == HostFn::Quotient || fn == HostFn::QuotientFloor ||
                 fn == HostFn::Remainder;
  if (y == 0 && divides) return site.fail(DiagCode::HostBadArgument, str("`", spelling(fn), "` by zero", where));
  return site.fail(DiagCode::HostIntegerOverflow,
                   str("integer overflow", where, ": ", x, " ", spelling(fn), " ", y, " does not fit 64 bits"));
}

Result<HostArray> integerBinary(const EvalSite &site, HostFn fn, HostArray a, HostArray b, std::vector<int64_t> shape) {
  bool withErrors = !a.exact() || !b.exact();
  auto out = outputFor(site, a, b, std::move(shape), true, withErrors);
  if (!out) return out;
  FirstIndex failed;
  const std::span<const int64_t> shapes[] = {a.shape, b.shape};
  forEachRun(out->shape, shapes, site.threads, [&](const BroadcastRun &run) {
    IntChunk ia, ib;
    int64_t failedAt = 0;
    if (!integerValues(fn, ia.values(a, run.offset[0], run.step[0], run.count),
                       ib.values(b, run.offset[1], run.step[1], run.count), run.count, out->ints.data() + run.out, failedAt))
      return failed.put(run.out + failedAt);
    if (!withErrors) return;
    Chunk ca, cb, cea, ceb, cv;
    double bounds[kMaxRun];
    carriedBounds(fn, ca.values(a, run.offset[0], run.step[0], run.count), cea.errors(a, run.offset[0], run.step[0], run.count),
                  cb.values(b, run.offset[1], run.step[1], run.count), ceb.errors(b, run.offset[1], run.step[1], run.count),
                  cv.values(*out, run.out, 1, run.count), run.count, bounds);
    putChunk(out->errors, run.out, bounds, run.count);
  });
  if (failed.get() >= 0) return integerFailure(site, fn, a, b, *out, failed.get());
  return out;
}

template <class T> void truthValues(HostFn fn, const T *a, const T *b, int64_t n, int64_t *out) {
  auto each = [&](auto f) {
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]) ? 1 : 0;
  };
  if (fn == HostFn::Lt) return each([](T x, T y) { return x < y; });
  if (fn == HostFn::Le) return each([](T x, T y) { return x <= y; });
  if (fn == HostFn::Gt) return each([](T x, T y) { return x > y; });
  if (fn == HostFn::Ge) return each([](T x, T y) { return x >= y; });
  if (fn == HostFn::Eq) return each([](T x, T y) { return x == y; });
  if (fn == HostFn::Ne) return each([](T x, T y) { return x != y; });
  if (fn == HostFn::And) return each([](T x, T y) { return x != 0 && y != 0; });
  if (fn == HostFn::Or) return each([](T x, T y) { return x != 0 || y != 0; });
  XT_UNREACHABLE("not a comparison");
}

// The bound is 1 where the truth value of the result is uncertain.
void truthBounds(HostFn fn, const double *a, const double *ea, const double *b, const double *eb, int64_t n, double *out) {
  for (int64_t i = 0; i < n; ++i) {
    bool openA = ea[i] > 0 && !(std::fabs(a[i]) > ea[i]), openB = eb[i] > 0 && !(std::fabs(b[i]) > eb[i]);
    bool open = false;
    if (fn == HostFn::And)
      open = (openA && (openB || b[i] != 0)) || (openB && a[i] != 0);
    else if (fn == HostFn::Or)
      open = (openA && (openB || b[i] == 0)) || (openB && a[i] == 0);
    else
      open = ea[i] + eb[i] > 0 && std::fabs(a[i] - b[i]) <= ea[i] + eb[i];
    out[i] = open ? 1 : 0;
  }
}

Result<HostArray> truthBinary(const EvalSite &site, HostFn fn, HostArray a, HostArray b, std::vector<int64_t> shape) {
  bool withErrors = !a.exact() || !b.exact();
  auto out = outputFor(site, a, b, std::move(shape), true, withErrors);
  if (!out) return out;
  out->wide = false;
  std::atomic<bool> anyBound{false};
  const std::span<const int64_t> shapes[] = {a.shape, b.shape};
  forEachRun(out->shape, shapes, site.threads, [&](const BroadcastRun &run) {
    int64_t *result = out->ints.data() + run.out;
    if (a.integer && b.integer) {
      IntChunk ia, ib;
      truthValues(fn, ia.values(a, run.offset[0], run.step[0], run.count), ib.values(b, run.offset[1], run.step[1], run.count),
                  run.count, result);
    }
    if ((a.integer && b.integer) && !withErrors) return;
    Chunk ca, cb, cea, ceb;
    double bounds[kMaxRun];
    const double *va = ca.values(a, run.offset[0], run.step[0], run.count);
    const double *vb = cb.values(b, run.offset[1], run.step[1], run.count);
    if (!(a.integer && b.integer)) truthValues(fn, va, vb, run.count, result);
    if (!withErrors) return;
    truthBounds(fn, va, cea.errors(a, run.offset[0], run.step[0], run.count), vb,
                ceb.errors(b, run.offset[1], run.step[1], run.count), run.count, bounds);
    putChunk(out->errors, run.out, bounds, run.count);
    if (anyError(bounds, run.count)) anyBound = true;
  });
  if (!anyBound) out->errors = {};
  return out;
}

} // namespace

std::string_view spelling(HostFn fn) {
  const HostFnInfo &info = hostFnInfo(fn);
  return info.op.empty() ? info.name : info.op;
}

bool holdsHugeUnsigned(const HostArray &x) {
  if (x.elem != Elem::U64 || !x.integer) return false;
  return std::any_of(x.ints.begin(), x.ints.end(), [](int64_t v) { return v < 0; });
}

Error hugeUnsignedError(const EvalSite &site, HostFn fn) {
  return site.fail(
      DiagCode::HostIntegerOverflow,
      str("an operand of `", spelling(fn), "` has u64 values above 2^63 - 1, which test expressions do not support"));
}

Result<HostArray> applyBinary(const EvalSite &site, HostFn fn, HostArray a, HostArray b) {
  const bool inF64 = a.wide || b.wide;
  a.dropLiteralError(inF64);
  b.dropLiteralError(inF64);
  auto shape = broadcastShape(a.shape, b.shape);
  if (!shape)
    return site.fail(DiagCode::HostShapeMismatch,
                     str("operands of `", spelling(fn), "` are ", shapeText(a.shape), " and ", shapeText(b.shape),
                         ": extents must be equal or 1, counted from the last"));
  if (isBitFunction(fn)) return applyBitFunction(site, fn, a, b, std::move(*shape));
  bool bitwise = (fn == HostFn::Eq || fn == HostFn::Ne) && a.elem == b.elem;
  if (!isLogic(fn) && !bitwise && (holdsHugeUnsigned(a) || holdsHugeUnsigned(b))) return hugeUnsignedError(site, fn);
  if (isComparison(fn) || isLogic(fn)) return truthBinary(site, fn, std::move(a), std::move(b), std::move(*shape));
  bool integers = a.integer && b.integer && fn != HostFn::Div && fn != HostFn::Pow;
  if (integers) return integerBinary(site, fn, std::move(a), std::move(b), std::move(*shape));
  if (fn == HostFn::CeilDiv)
    return site.fail(DiagCode::HostBadArgument, "`ceildiv` takes integers; write ceil(a / b) for floats");
  if (fn == HostFn::Quotient) return site.fail(DiagCode::HostBadArgument, "`divsi` takes integers; write a / b for floats");
  if (fn == HostFn::QuotientFloor)
    return site.fail(DiagCode::HostBadArgument, "`floordivsi` takes integers; write floor(a / b) for floats");
  return floatBinary(site, fn, std::move(a), std::move(b), std::move(*shape));
}

} // namespace xt
