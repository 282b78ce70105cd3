#include "targets/run/sum_of_terms.h"

#include "targets/run/chunk.h"

#include <limits>

namespace xt {

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest power of two that divides x: infinite for 0, and 0 for infinities, NaN and subnormal numbers.
double lowestBit(double x) {
  if (x == 0) return kInfinity;
  auto bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent == 0 || exponent == 0x7ff) return 0;
  uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  return std::ldexp(1.0, exponent - 1075 + std::countr_zero(mantissa));
}

// Whether sums of exact multiples of `quantum` whose magnitudes add up to `magnitude` are exact in every order.
bool isExactInAnyOrder(double magnitude, double quantum, bool wide) {
  return magnitude <= roundingType(wide).exact * quantum && quantum >= 2 * roundingType(wide).tiny;
}
} // namespace

bool isSum(const HostExpr &expr) {
  bool adds = expr.fn == HostFn::Add || expr.fn == HostFn::Sub;
  return expr.kind == HostExpr::Kind::Call && adds && expr.args.size() == 2;
}

Result<void> SumOfTerms::add(const HostArray &term) {
  if (++terms_ == 1) {
    auto none = makeArray(site_.budget, {}, false, true), exact = floatScalar(site_.budget, kInfinity);
    if (!none) return none.error();
    if (!exact) return exact.error();
    none->values[0] = none->errors[0] = 0;
    magnitudes_ = std::move(*none);
    quantum_ = std::move(*exact);
  }
  auto shape = broadcastShape(magnitudes_.shape, term.shape);
  if (!shape) return {}; // the addition reports it
  auto magnitudes = makeArray(site_.budget, *shape, false, true), quantum = makeArray(site_.budget, *shape, false, false);
  if (!magnitudes) return magnitudes.error();
  if (!quantum) return quantum.error();
  const std::span<const int64_t> shapes[] = {magnitudes_.shape, term.shape};
  forEachRun(*shape, shapes, site_.threads, [&](const BroadcastRun &run) {
    Chunk before, beforeErrors, beforeQuantum, values, errors;
    const double *m = before.values(magnitudes_, run.offset[0], run.step[0], run.count);
    const double *me = beforeErrors.errors(magnitudes_, run.offset[0], run.step[0], run.count);
    const double *q = beforeQuantum.values(quantum_, run.offset[0], run.step[0], run.count);
    const double *t = values.values(term, run.offset[1], run.step[1], run.count);
    const double *te = errors.errors(term, run.offset[1], run.step[1], run.count);
    for (int64_t i = 0; i < run.count; ++i) {
      magnitudes->values[run.out + i] = m[i] + std::fabs(t[i]);
      magnitudes->errors[run.out + i] = me[i] + te[i];
      quantum->values[run.out + i] = std::min(q[i], te[i] == 0 ? lowestBit(t[i]) : 0);
    }
  });
  magnitudes_ = std::move(*magnitudes);
  quantum_ = std::move(*quantum);
  return {};
}

Result<HostArray> SumOfTerms::withBounds(HostArray sum) const {
  if (sum.integer) return sum;
  auto bounded = makeArray(site_.budget, sum.shape, false, true);
  if (!bounded) return bounded;
  const RoundingType type = roundingType(sum.wide);
  const double additions = terms_ - 1, unit = additions * type.unit / (1 - additions * type.unit);
  std::atomic<bool> anyBound{false};
  const std::span<const int64_t> shapes[] = {sum.shape};
  forEachRun(sum.shape, shapes, site_.threads, [&](const BroadcastRun &run) {
    for (int64_t i = run.out; i < run.out + run.count; ++i) {
      double value = sum.values[i], bound = sum.errorAt(i), magnitude = magnitudes_.values[i];
      bounded->values[i] = value;
      if (std::isfinite(value) && std::isfinite(magnitude) && !isExactInAnyOrder(magnitude, quantum_.values[i], sum.wide)) {
        double errors = magnitudes_.errors[i];
        bound = std::fmax(bound, errors + unit * (magnitude + errors) + additions * type.tiny);
      }
      bounded->errors[i] = bound;
    }
    if (anyError(bounded->errors.data() + run.out, run.count)) anyBound = true;
  });
  bounded->wide = sum.wide;
  if (!anyBound) bounded->errors = {};
  return bounded;
}

} // namespace xt
