#include "targets/run/sum_of_terms.h"

#include "targets/run/chunk.h"

#include <limits>

namespace xt {

namespace {
// The largest power of two that divides x: infinite for 0, and 0 for infinities, NaN and subnormal numbers.
double lowestBit(double x) {
  if (x == 0) return std::numeric_limits<double>::infinity();
  auto bits = std::bit_cast<uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent == 0 || exponent == 0x7ff) return 0;
  uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  return std::ldexp(1.0, exponent - 1075 + std::countr_zero(mantissa));
}

// Whether sums of exact multiples of `quantum` whose magnitudes add up to `magnitude` are exact in every order. Up to the limit,
// the sum of the magnitudes is exact too.
bool isExactInAnyOrder(double magnitude, double quantum, bool wide) {
  return magnitude < roundingType(wide).exact * quantum && quantum >= 2 * roundingType(wide).tiny;
}

// Gives an array another shape, to which its own broadcasts.
Result<void> stretch(const EvalSite &site, HostArray &array, const std::vector<int64_t> &shape) {
  if (array.shape == shape) return {};
  auto stretched = copyView(array, {shape, broadcastStrides(array.shape, shape), 0}, site.budget, site.threads);
  if (!stretched) return stretched.error();
  array = std::move(*stretched);
  return {};
}
} // namespace

bool isSum(const HostExpr &expr) {
  bool adds = expr.fn == HostFn::Add || expr.fn == HostFn::Sub;
  return expr.kind == HostExpr::Kind::Call && adds && expr.args.size() == 2;
}

Result<SumOfTerms> SumOfTerms::combined(const EvalSite &site, HostFn addOrSub, SumOfTerms a, SumOfTerms b) {
  bool integers = a.value_.integer && b.value_.integer;
  bool fits = broadcastShape(a.value_.shape, b.value_.shape).has_value(); // if not, the addition reports it
  SumOfTerms terms{HostArray()};
  for (SumOfTerms *part : {&a, &b}) {
    if (integers || !fits) break;
    if (auto ok = terms.count(site, *part, a.value_.wide || b.value_.wide); !ok) return ok.error();
  }
  auto sum = applyBinary(site, addOrSub, std::move(a.value_), std::move(b.value_));
  if (!sum) return sum.error();
  terms.value_ = std::move(*sum);
  return terms;
}

Result<void> SumOfTerms::count(const EvalSite &site, SumOfTerms &part, bool wide) {
  if (part.terms_ > 0 && part.value_.wide != wide) {
    auto bounded = std::move(part).withBounds(site);
    if (!bounded) return bounded.error();
    part = SumOfTerms(std::move(*bounded));
  }
  part.value_.dropLiteralError(wide);
  if (part.terms_ == 0) return count(site, part.value_);
  if (terms_ == 0) {
    terms_ = part.terms_;
    magnitudes_ = std::move(part.magnitudes_);
    quanta_ = std::move(part.quanta_);
    return {};
  }
  // The magnitudes of a part are terms that have the errors and quanta of its own ones.
  auto shape = broadcastShape(magnitudes_.shape, part.magnitudes_.shape);
  for (HostArray *array : {&magnitudes_, &quanta_, &part.magnitudes_, &part.quanta_})
    if (auto ok = stretch(site, *array, *shape); !ok) return ok;
  terms_ += part.terms_;
  for (int64_t i = 0; i < magnitudes_.count(); ++i) {
    magnitudes_.values[i] += part.magnitudes_.values[i];
    magnitudes_.errors[i] += part.magnitudes_.errors[i];
    quanta_.values[i] = std::min(quanta_.values[i], part.quanta_.values[i]);
  }
  return {};
}

Result<void> SumOfTerms::count(const EvalSite &site, const HostArray &term) {
  if (terms_++ == 0) {
    auto magnitudes = makeArray(site.budget, term.shape, false, true),
         quanta = makeArray(site.budget, term.shape, false, false);
    if (!magnitudes) return magnitudes.error();
    if (!quanta) return quanta.error();
    magnitudes_ = std::move(*magnitudes);
    quanta_ = std::move(*quanta);
    std::fill_n(magnitudes_.values.data(), magnitudes_.count(), 0.0);
    std::fill_n(magnitudes_.errors.data(), magnitudes_.count(), 0.0);
    std::fill_n(quanta_.values.data(), quanta_.count(), std::numeric_limits<double>::infinity());
  }
  auto shape = broadcastShape(magnitudes_.shape, term.shape);
  for (HostArray *array : {&magnitudes_, &quanta_})
    if (auto ok = stretch(site, *array, *shape); !ok) return ok;
  const std::span<const int64_t> shapes[] = {term.shape};
  forEachRun(*shape, shapes, site.threads, [&](const BroadcastRun &run) {
    Chunk values, errors;
    const double *t = values.values(term, run.offset[0], run.step[0], run.count);
    const double *e = errors.errors(term, run.offset[0], run.step[0], run.count);
    double *magnitude = magnitudes_.values.data() + run.out, *error = magnitudes_.errors.data() + run.out,
           *quantum = quanta_.values.data() + run.out;
    for (int64_t i = 0; i < run.count; ++i) {
      magnitude[i] += std::fabs(t[i]);
      error[i] += e[i];
      quantum[i] = std::min(quantum[i], e[i] == 0 ? lowestBit(t[i]) : 0);
    }
  });
  return {};
}

Result<HostArray> SumOfTerms::withBounds(const EvalSite &site) && {
  if (terms_ <= 2 || value_.integer) return std::move(value_);
  const RoundingType type = roundingType(value_.wide);
  const double additions = std::min(terms_ - 1.0, kLambda * std::sqrt(terms_)),
               unit = additions * type.unit / (1 - additions * type.unit);
  HostArray &bounds = quanta_; // is replaced element by element
  std::atomic<bool> anyBound{false};
  const std::span<const int64_t> shapes[] = {value_.shape};
  forEachRun(value_.shape, shapes, site.threads, [&](const BroadcastRun &run) {
    for (int64_t i = run.out; i < run.out + run.count; ++i) {
      double value = value_.values[i], bound = value_.errorAt(i), magnitude = magnitudes_.values[i];
      if (std::isfinite(value) && std::isfinite(magnitude) && !isExactInAnyOrder(magnitude, quanta_.values[i], value_.wide)) {
        double errors = magnitudes_.errors[i];
        bound = std::fmax(bound, errors + unit * (magnitude + errors) + (terms_ - 1) * type.tiny);
      }
      bounds.values[i] = bound;
    }
    if (anyError(bounds.values.data() + run.out, run.count)) anyBound = true;
  });
  value_.errors = anyBound ? std::move(bounds.values) : Elements<double>();
  return std::move(value_);
}

} // namespace xt
