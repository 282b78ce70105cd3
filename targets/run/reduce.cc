// Reductions over one dimension or over all, and functions built on them.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/run/chunk.h"
#include "targets/run/functions.h"
#include "targets/run/running_sum.h"

#include <limits>
#include <mutex>

namespace xt {

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Product {
  double product = 1, magnitude = 1, largest = 1; // the products of x, of |x| and of |x| + e
  bool integers = true, open = false;             // open: a factor may be 0, or anything, within its error
  void add(double x, double e) {
    product *= x;
    magnitude *= std::fabs(x);
    largest *= std::fabs(x) + e;
    integers &= x == std::rint(x);
    open |= e > 0 && (std::isinf(e) || !surelyNonzero(x, e));
  }
  double bound(int64_t terms, RoundingType type) const {
    if (!std::isfinite(product)) return specialBound(!open);
    if (std::isnan(largest)) return specialBound(false); // 0 times a value that may be anything
    if (largest == 0) return 0;
    double carried = std::max(0.0, largest - magnitude);
    if ((integers && carried == 0 && magnitude <= type.exact) || terms <= 1) return carried;
    return carried + kLambda * std::sqrt(static_cast<double>(terms)) * type.unit * largest + type.tiny;
  }
};
struct Extreme { // the maximum of sign * x: a minimum is the maximum of the negated terms
  double value = -kInf, low = -kInf, high = -kInf;
  bool nan = false;
  void add(double x, double e) {
    nan |= x != x;
    value = std::max(value, x);
    low = std::max(low, std::isinf(e) ? -kInf : x - e);
    high = std::max(high, std::isinf(e) ? kInf : x + e);
  }
  double bound() const { return nan || high == low ? 0 : std::max(high - value, value - low); }
};

// Views an array as outer x extent x inner.
struct Axis3 {
  int64_t outer = 1, extent = 1, inner = 1;
};
Axis3 axisOf(const HostArray &x, std::optional<int> dim) {
  if (!dim) return {1, x.count(), 1};
  Axis3 axis;
  for (int d = 0; d < x.rank(); ++d) {
    int64_t extent = x.shape[static_cast<size_t>(d)];
    (d < *dim ? axis.outer : d == *dim ? axis.extent : axis.inner) *= extent;
  }
  return axis;
}
std::vector<int64_t> reducedShape(const HostArray &x, std::optional<int> dim) {
  if (!dim) return {};
  std::vector<int64_t> shape = x.shape;
  shape[static_cast<size_t>(*dim)] = 1;
  return shape;
}

// Runs `Acc` over the terms of every result and calls done(result index, acc). Results are computed in parallel; the
// terms of a single result are split in a way that does not depend on the number of threads.
template <class Acc, class Done> void accumulate(const HostArray &x, Axis3 axis, int threads, double sign, Done done) {
  auto term = [&](Acc &acc, int64_t i) { acc.add(sign * x.valueAt(i), x.errorAt(i)); };
  if (axis.inner == 1) {
    parallelFor(axis.outer, std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(1, axis.extent)), threads,
                [&](int64_t begin, int64_t end) {
                  for (int64_t o = begin; o < end; ++o) {
                    Acc acc;
                    for (int64_t k = 0; k < axis.extent; ++k) term(acc, o * axis.extent + k);
                    done(o, acc);
                  }
                });
    return;
  }
  constexpr int64_t kWidth = 256; // adjacent results whose terms are read row by row
  int64_t strips = (axis.inner + kWidth - 1) / kWidth;
  parallelFor(axis.outer * strips, 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      int64_t o = s / strips, first = s % strips * kWidth, width = std::min(kWidth, axis.inner - first);
      Acc accs[kWidth];
      for (int64_t k = 0; k < axis.extent; ++k)
        for (int64_t i = 0; i < width; ++i) term(accs[i], (o * axis.extent + k) * axis.inner + first + i);
      for (int64_t i = 0; i < width; ++i) done(o * axis.inner + first + i, accs[i]);
    }
  });
}

// The sum of one long row: its pieces are summed in parallel, and the partial sums are added in order.
RunningSum sumOfAll(const HostArray &x, int threads) {
  constexpr int64_t kPiece = 4096;
  int64_t pieces = (x.count() + kPiece - 1) / kPiece;
  std::vector<RunningSum> partial(static_cast<size_t>(pieces));
  parallelFor(pieces, 16, threads, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p)
      for (int64_t i = p * kPiece; i < std::min(x.count(), (p + 1) * kPiece); ++i)
        partial[static_cast<size_t>(p)].add(x.valueAt(i), x.errorAt(i));
  });
  RunningSum total;
  for (const RunningSum &sum : partial) total.add(sum);
  return total;
}

void dropZeroErrors(HostArray &array) {
  if (!array.exact() && !anyError(array.errors.data(), array.count())) array.errors = {};
}

Result<HostArray> sumFloats(const EvalSite &site, const HostArray &x, std::optional<int> dim) {
  auto out = makeArray(site.budget, reducedShape(x, dim), false, site.trackErrors);
  if (!out) return out;
  out->wide = x.wide;
  Axis3 axis = axisOf(x, dim);
  RoundingType type = roundingType(x.wide);
  std::atomic<int64_t> weak{0};
  auto done = [&](int64_t i, const RunningSum &sum) {
    out->values[i] = sum.sum;
    if (!site.trackErrors) return;
    double bound = sum.bound(type);
    out->errors[i] = bound;
    if (bound * static_cast<double>(sum.terms) > sum.magnitude && bound > 0) ++weak;
  };
  if (dim)
    accumulate<RunningSum>(x, axis, site.threads, 1, done);
  else
    done(0, sumOfAll(x, site.threads));
  if (weak && site.weak) site.weak->push_back({site.range, axis.extent, weak});
  dropZeroErrors(*out);
  return out;
}

Result<HostArray> productFloats(const EvalSite &site, const HostArray &x, std::optional<int> dim) {
  auto out = makeArray(site.budget, reducedShape(x, dim), false, site.trackErrors);
  if (!out) return out;
  out->wide = x.wide;
  Axis3 axis = axisOf(x, dim);
  accumulate<Product>(x, axis, site.threads, 1, [&](int64_t i, const Product &product) {
    out->values[i] = product.product;
    if (site.trackErrors) out->errors[i] = product.bound(axis.extent, roundingType(x.wide));
  });
  dropZeroErrors(*out);
  return out;
}

Result<HostArray> extremeFloats(const EvalSite &site, const HostArray &x, std::optional<int> dim, double sign) {
  auto out = makeArray(site.budget, reducedShape(x, dim), false, !x.exact());
  if (!out) return out;
  out->wide = x.wide;
  out->elem = x.elem;
  accumulate<Extreme>(x, axisOf(x, dim), site.threads, sign, [&](int64_t i, const Extreme &extreme) {
    out->values[i] = extreme.nan ? std::numeric_limits<double>::quiet_NaN() : sign * extreme.value;
    if (!x.exact()) out->errors[i] = extreme.bound();
  });
  return out;
}

struct IntegerTotal {
  __int128 sum = 0;
  int64_t product = 1, low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  bool zero = false, overflow = false;
  void add(int64_t x) {
    sum += x;
    zero |= x == 0;
    if (!overflow) overflow = __builtin_mul_overflow(product, x, &product);
    low = std::min(low, x);
    high = std::max(high, x);
  }
  // Returns false if the result does not fit 64 bits.
  bool result(HostFn fn, int64_t &out) const {
    if (fn == HostFn::Max || fn == HostFn::Min) return out = fn == HostFn::Max ? high : low, true;
    if (fn == HostFn::Prod) return out = zero ? 0 : product, zero || !overflow;
    out = static_cast<int64_t>(sum);
    return out == sum;
  }
};

Result<HostArray> reduceIntegers(const EvalSite &site, HostFn fn, const HostArray &x, std::optional<int> dim) {
  auto out = makeArray(site.budget, reducedShape(x, dim), true, false);
  if (!out) return out;
  Axis3 axis = axisOf(x, dim);
  FirstIndex failed;
  parallelFor(axis.outer * axis.inner, 256, site.threads, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      IntegerTotal total;
      const int64_t *first = x.ints.data() + r / axis.inner * axis.extent * axis.inner + r % axis.inner;
      for (int64_t k = 0; k < axis.extent; ++k) total.add(first[k * axis.inner]);
      if (!total.result(fn, out->ints[r])) failed.put(r);
    }
  });
  if (failed.get() >= 0)
    return site.fail(DiagCode::HostIntegerOverflow,
                     str("integer overflow: `", hostFnInfo(fn).name, "` of ", axis.extent, " elements",
                         dim ? " at index " + indexText(indexOf(failed.get(), out->shape)) : "", " does not fit 64 bits"));
  return out;
}
} // namespace

Result<HostArray> reduce(const EvalSite &site, HostFn fn, const HostArray &x, std::optional<int> dim) {
  std::string_view name = hostFnInfo(fn).name;
  if (dim && (*dim < -x.rank() || *dim >= x.rank()))
    return site.fail(DiagCode::HostBadArgument, str("`", name, "` over dimension ", *dim, " of an array of rank ", x.rank()));
  if (dim && *dim < 0) *dim += x.rank();
  int64_t extent = axisOf(x, dim).extent;
  if (extent == 0 && (fn == HostFn::Max || fn == HostFn::Min))
    return site.fail(DiagCode::HostBadArgument, str("`", name, "` of an empty array has no value"));
  if (holdsHugeUnsigned(x)) return hugeUnsignedError(site, fn);
  if (fn == HostFn::Mean) {
    auto sum = reduce(site, HostFn::Sum, x, dim);
    if (!sum) return sum;
    auto terms = integerScalar(site.budget, extent);
    if (!terms) return terms;
    return applyBinary(site, HostFn::Div, std::move(*sum), std::move(*terms));
  }
  if (x.integer && x.exact()) return reduceIntegers(site, fn, x, dim);
  if (fn == HostFn::Sum) return sumFloats(site, x, dim);
  if (fn == HostFn::Prod) return productFloats(site, x, dim);
  if (fn == HostFn::Max || fn == HostFn::Min) return extremeFloats(site, x, dim, fn == HostFn::Max ? 1 : -1);
  XT_UNREACHABLE("not a reduction");
}

Result<HostArray> softmax(const EvalSite &site, HostArray x, int dim) {
  if (x.count() == 0) return x; // rows without elements have no maximum and need none
  // Subtracts the maximum, as kernels do; it cancels in the quotient.
  auto top = reduce(site, HostFn::Max, x, dim);
  if (!top) return top;
  auto shifted = applyBinary(site, HostFn::Sub, std::move(x), std::move(*top));
  if (!shifted) return shifted;
  auto powers = applyUnary(site, HostFn::Exp, std::move(*shifted));
  if (!powers) return powers;
  auto total = reduce(site, HostFn::Sum, *powers, dim);
  if (!total) return total;
  return applyBinary(site, HostFn::Div, std::move(*powers), std::move(*total));
}

Result<HostArray> transposeArray(const EvalSite &site, const HostArray &x, std::span<const int64_t> permutation) {
  std::vector<int64_t> order(permutation.begin(), permutation.end());
  if (order.empty()) {
    if (x.rank() < 2)
      return site.fail(DiagCode::HostBadArgument, str("`transpose` needs at least two dimensions, but this has ", x.rank()));
    for (int d = 0; d < x.rank(); ++d) order.push_back(d);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  }
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = static_cast<int>(order.size()) == x.rank();
  for (size_t d = 0; isPermutation && d < sorted.size(); ++d) isPermutation = sorted[d] == static_cast<int64_t>(d);
  if (!isPermutation)
    return site.fail(DiagCode::HostBadArgument,
                     str(indexText(order), " is not a permutation of the dimensions of ", shapeText(x.shape)));
  std::vector<int64_t> dense = denseStrides(x.shape);
  ViewSpec view;
  for (int64_t d : order) {
    view.shape.push_back(x.shape[static_cast<size_t>(d)]);
    view.strides.push_back(dense[static_cast<size_t>(d)]);
  }
  return copyView(x, view, site.budget, site.threads);
}

} // namespace xt
