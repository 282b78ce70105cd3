// Elementwise functions of one array, the function `where`, and casts.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/run/chunk.h"
#include "targets/run/functions.h"

#include <limits>

namespace xt {

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();

double distance(double a, double b) { return a == b ? 0 : std::fabs(a - b); }

// How far f moves when x moves by e; f is monotone on [low, inf) and undefined outside.
template <class F> double monotoneCarried(F f, double x, double e, double v, double low) {
  if (e == 0) return 0;
  // With an infinite error x may be anything, even if it is an infinity itself.
  double above = std::isinf(e) ? kInf : x + e, below = std::isinf(e) ? low : std::max(x - e, low);
  double up = distance(f(above), v), down = distance(f(below), v);
  return up >= 0 && down >= 0 ? std::max(up, down) : kInf;
}

// Applies a function given by its value `f` and by the bound `g` that follows from its operand's error.
template <class F, class G>
void evaluate(const double *x, const double *e, int64_t n, double *values, double *carried, F f, G g) {
  for (int64_t i = 0; i < n; ++i) values[i] = f(x[i]);
  if (carried)
    for (int64_t i = 0; i < n; ++i) carried[i] = e[i] == 0 ? 0 : g(x[i], e[i], values[i]);
}

// Computes a function and the bounds `carried` that follow from the errors `e`. If `carried` is null, `e` is not read.
void floatUnary(HostFn fn, const double *x, const double *e, int64_t n, double *values, double *carried) {
  auto monotone = [&](auto f, double low) {
    evaluate(x, e, n, values, carried, f, [&](double p, double d, double v) { return monotoneCarried(f, p, d, v, low); });
  };
  auto slopeOne = [&](auto f, double most) {
    evaluate(x, e, n, values, carried, f, [=](double, double d, double) { return std::min(d, most); });
  };
#define XT_FUNCTION(kind, name, symmetry, error, limit)                                                                        \
  if (fn == HostFn::kind) return error([](double p) { return std::name(p); }, limit);
#define XT_FUNCTION2(...)
#include "ir/ops/functions.def"
#undef XT_FUNCTION
#undef XT_FUNCTION2
  if (fn == HostFn::Sqrt) return monotone([](double p) { return std::sqrt(p); }, 0);
  if (fn == HostFn::Rsqrt) return monotone([](double p) { return 1 / std::sqrt(p); }, 0);
  if (fn == HostFn::Floor) return monotone([](double p) { return std::floor(p); }, -kInf);
  if (fn == HostFn::Ceil) return monotone([](double p) { return std::ceil(p); }, -kInf);
  if (fn == HostFn::Round) return monotone([](double p) { return std::round(p); }, -kInf);
  if (fn == HostFn::RoundEven) return monotone([](double p) { return std::nearbyint(p); }, -kInf);
  if (fn == HostFn::Trunc) return monotone([](double p) { return std::trunc(p); }, -kInf);
  if (fn == HostFn::Abs) return slopeOne([](double p) { return std::fabs(p); }, kInf);
  if (fn == HostFn::Neg) return slopeOne([](double p) { return -p; }, kInf);
  XT_UNREACHABLE("not a float function of one array");
}

bool givesIntegers(HostFn fn) {
  return fn == HostFn::Floor || fn == HostFn::Ceil || fn == HostFn::Round || fn == HostFn::RoundEven || fn == HostFn::Trunc;
}

// Whether the function is exact in every float type.
bool isExactFn(HostFn fn) { return fn == HostFn::Abs || fn == HostFn::Neg || givesIntegers(fn); }

Result<HostArray> floatFunction(const EvalSite &site, HostFn fn, HostArray x) {
  bool carries = !x.exact(), withErrors = carries || (site.trackErrors && !isExactFn(fn));
  auto out = makeArray(site.budget, x.shape, false, withErrors);
  if (!out) return out;
  out->wide = x.wide;
  out->literal = x.literal && fn == HostFn::Neg;
  const std::span<const int64_t> shapes[] = {x.shape};
  forEachRun(out->shape, shapes, site.threads, [&](const BroadcastRun &run) {
    Chunk cx, ce;
    double bounds[kMaxRun];
    const double *values = cx.values(x, run.offset[0], run.step[0], run.count);
    const double *errors = carries ? ce.errors(x, run.offset[0], run.step[0], run.count) : nullptr;
    double *result = out->values.data() + run.out;
    floatUnary(fn, values, errors, run.count, result, carries ? bounds : nullptr);
    if (!withErrors) return;
    if (!carries) std::fill_n(bounds, run.count, 0.0);
    if (!isExactFn(fn))
      for (int64_t i = 0; i < run.count; ++i) {
        // Limits such as exp(-inf) = 0 are exact.
        bool limit = result[i] == 0 && bounds[i] == 0 && std::isinf(values[i]);
        if (!limit) bounds[i] = functionBound(result[i], bounds[i], out->wide);
      }
    putChunk(out->errors, run.out, bounds, run.count);
  });
  return out;
}

// Calls f(i) on each element in parallel.
template <class F> void forEachIndex(int64_t count, int threads, F f) {
  parallelFor(count, 1 << 16, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) f(i);
  });
}

std::string atIndex(const HostArray &x, int64_t i) {
  return x.shape.empty() ? "" : " at index " + indexText(indexOf(i, x.shape));
}

Result<HostArray> negateInteger(const EvalSite &site, HostFn fn, HostArray x) {
  FirstIndex failed;
  forEachIndex(x.count(), site.threads, [&](int64_t i) {
    int64_t &v = x.ints[i];
    if (v == std::numeric_limits<int64_t>::min()) return failed.put(i);
    if (fn == HostFn::Neg || v < 0) v = -v;
  });
  if (failed.get() >= 0)
    return site.fail(DiagCode::HostIntegerOverflow,
                     str("integer overflow", atIndex(x, failed.get()), ": -(-2^63) does not fit 64 bits"));
  x.elem.reset();
  return x;
}

Result<HostArray> logicalNot(const EvalSite &site, HostArray x) {
  auto out = makeArray(site.budget, x.shape, true, !x.exact());
  if (!out) return out;
  forEachIndex(x.count(), site.threads, [&](int64_t i) {
    out->ints[i] = x.integer ? x.ints[i] == 0 : x.values[i] == 0;
    if (!x.exact()) out->errors[i] = x.errors[i] > 0 && !(std::fabs(x.valueAt(i)) > x.errors[i]) ? 1 : 0;
  });
  return out;
}

Result<HostArray> complement(const EvalSite &site, HostArray x) {
  if (!x.integer) return site.fail(DiagCode::HostBadArgument, "`~` takes integers, but this is a float");
  if (x.elem == Elem::I1) return logicalNot(site, std::move(x));
  forEachIndex(x.count(), site.threads, [&](int64_t i) {
    x.ints[i] = x.elem ? wrapTo(*x.elem, ~x.ints[i]) : ~x.ints[i];
    if (!x.exact()) x.errors[i] = x.errors[i] > 0 ? std::numeric_limits<double>::infinity() : 0;
  });
  return x;
}
} // namespace

Result<HostArray> applyUnary(const EvalSite &site, HostFn fn, HostArray x) {
  if (fn == HostFn::NotBits) return complement(site, std::move(x));
  if (fn == HostFn::Not) return logicalNot(site, std::move(x));
  if (x.integer && (fn == HostFn::Neg || fn == HostFn::Abs)) return negateInteger(site, fn, std::move(x));
  if (x.integer && givesIntegers(fn)) return x;
  if (x.elem == Elem::U64) {
    auto floats = asFloats(std::move(x), site.budget, site.threads);
    if (!floats) return floats;
    return floatFunction(site, fn, std::move(*floats));
  }
  return floatFunction(site, fn, std::move(x));
}

Result<HostArray> applyWhere(const EvalSite &site, HostArray condition, HostArray x, HostArray y) {
  x.dropLiteralError(y.wide);
  y.dropLiteralError(x.wide);
  auto pair = broadcastShape(x.shape, y.shape);
  auto shape = pair ? broadcastShape(condition.shape, *pair) : pair;
  if (!shape)
    return site.fail(DiagCode::HostShapeMismatch,
                     str("operands of `where` are ", shapeText(condition.shape), ", ", shapeText(x.shape), " and ",
                         shapeText(y.shape), ": extents must be equal or 1, counted from the last"));
  bool integer = x.integer && y.integer, withErrors = !condition.exact() || !x.exact() || !y.exact();
  auto out = makeArray(site.budget, std::move(*shape), integer, withErrors);
  if (!out) return out;
  out->wide = x.wide || y.wide;
  if (x.elem == y.elem) out->elem = x.elem;
  const std::span<const int64_t> shapes[] = {condition.shape, x.shape, y.shape};
  forEachRun(out->shape, shapes, site.threads, [&](const BroadcastRun &run) {
    Chunk cc, cx, cy, ec, ex, ey;
    const double *c = cc.values(condition, run.offset[0], run.step[0], run.count);
    const double *p = cx.values(x, run.offset[1], run.step[1], run.count);
    const double *q = cy.values(y, run.offset[2], run.step[2], run.count);
    if (integer) {
      IntChunk ix, iy;
      const int64_t *a = ix.values(x, run.offset[1], run.step[1], run.count);
      const int64_t *b = iy.values(y, run.offset[2], run.step[2], run.count);
      for (int64_t i = 0; i < run.count; ++i) out->ints[run.out + i] = c[i] != 0 ? a[i] : b[i];
    } else {
      for (int64_t i = 0; i < run.count; ++i) out->values[run.out + i] = c[i] != 0 ? p[i] : q[i];
    }
    if (!withErrors) return;
    const double *dc = ec.errors(condition, run.offset[0], run.step[0], run.count);
    const double *dx = ex.errors(x, run.offset[1], run.step[1], run.count);
    const double *dy = ey.errors(y, run.offset[2], run.step[2], run.count);
    for (int64_t i = 0; i < run.count; ++i) {
      double chosen = c[i] != 0 ? dx[i] : dy[i], other = c[i] != 0 ? dy[i] : dx[i];
      bool open = dc[i] > 0 && !(std::fabs(c[i]) > dc[i]);
      // If the condition is uncertain, either operand may be the result; a NaN and a number are infinitely far apart.
      double apart = std::isnan(p[i]) && std::isnan(q[i]) ? 0 : distance(p[i], q[i]);
      double both = apart >= 0 ? std::max(chosen, apart + other) : kInf;
      out->errors[run.out + i] = open ? both : chosen;
    }
  });
  return out;
}

namespace {
Result<HostArray> castToFloat(const EvalSite &site, HostArray x, Elem to) {
  auto floats = asFloats(std::move(x), site.budget, site.threads);
  if (!floats) return floats;
  const ElemInfo &info = elemInfo(to);
  forEachIndex(floats->count(), site.threads, [&](int64_t i) {
    double v = floats->values[i];
    floats->values[i] = roundTo(to, v);
    if (floats->exact() || floats->errors[i] == 0 || !std::isfinite(v)) return;
    double &error = floats->errors[i];
    double low = roundTo(to, v - error), high = roundTo(to, v + error);
    if (isStorageFloat(to)) { // what is beyond the numbers of f4E2M1 saturates
      error = std::isnan(low) != std::isnan(high) ? kInf : std::isnan(low) ? 0 : distance(low, high);
      return;
    }
    if (std::isfinite(low) && std::isfinite(high))
      error += castBound(info, std::fabs(v) + error);
    else
      error = specialBound(low == high || (std::isnan(low) && std::isnan(high))); // it overflows, or may do so
  });
  floats->wide = to == Elem::F64;
  floats->elem = to;
  return floats;
}

Result<HostArray> wrapIntegers(const EvalSite &site, HostArray x, Elem to) {
  forEachIndex(x.count(), site.threads, [&](int64_t i) { x.ints[i] = wrapTo(to, x.ints[i]); });
  x.elem = to;
  return x;
}

Result<HostArray> floatToInteger(const EvalSite &site, HostArray x, Elem to) {
  const ElemInfo &info = elemInfo(to);
  int bits = info.isUnsigned || info.bits == 1 ? info.bits : info.bits - 1;
  double low = info.isUnsigned || info.bits == 1 ? -1 : -std::ldexp(1.0, bits) - 1, high = std::ldexp(1.0, bits);
  auto out = makeArray(site.budget, x.shape, true, !x.exact());
  if (!out) return out;
  out->elem = to;
  FirstIndex failed;
  forEachIndex(x.count(), site.threads, [&](int64_t i) {
    double v = x.values[i], t = std::trunc(v);
    // -2^63 - 1 is not a double, so the lowest value itself is the limit.
    bool fits = (t > low || (info.bits == 64 && !info.isUnsigned && t == -std::ldexp(1.0, 63))) && t < high;
    if (!fits) return failed.put(i);
    out->ints[i] = info.isUnsigned ? static_cast<int64_t>(static_cast<uint64_t>(t)) : static_cast<int64_t>(t);
    if (!x.exact())
      out->errors[i] =
          x.errors[i] == 0 ? 0 : std::max(distance(std::trunc(v + x.errors[i]), t), distance(std::trunc(v - x.errors[i]), t));
  });
  if (failed.get() < 0) return out;
  return site.fail(DiagCode::HostValueOutOfRange,
                   str("cast of ", floatText(x.values[failed.get()]), atIndex(x, failed.get()), ": ", elemName(to),
                       " cannot hold it, so a kernel's result is unspecified"));
}
} // namespace

Result<HostArray> applyCast(const EvalSite &site, HostArray x, Elem to) {
  x.dropLiteralError(true);
  if (isFloat(to)) return castToFloat(site, std::move(x), to);
  if (x.integer) return wrapIntegers(site, std::move(x), to);
  return floatToInteger(site, std::move(x), to);
}

} // namespace xt
