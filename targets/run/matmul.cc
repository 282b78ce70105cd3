// The function `matmul` of test expressions: its shapes, batches and error bounds. gemm.h computes the products of floats.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/run/chunk.h"
#include "targets/run/eval.h"
#include "targets/run/functions.h"
#include "targets/run/gemm.h"

namespace xt {

namespace {
// The matrix shapes of operands and result, and the pairs of matrices to multiply.
struct MatmulPlan {
  GemmShape shape;
  std::vector<int64_t> result; // NumPy's result shape
  int64_t batches = 1;
  std::vector<int64_t> batchA, batchB; // per batch: the index of the matrix in each operand
};

std::optional<MatmulPlan> planMatmul(std::vector<int64_t> a, std::vector<int64_t> b) {
  bool rowA = a.size() == 1, columnB = b.size() == 1;
  if (a.empty() || b.empty()) return std::nullopt;
  if (rowA) a.insert(a.begin(), 1);
  if (columnB) b.push_back(1);
  MatmulPlan plan;
  plan.shape = {a[a.size() - 2], b[b.size() - 1], a[a.size() - 1]};
  if (b[b.size() - 2] != plan.shape.k) return std::nullopt;
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  auto batch = broadcastShape(a, b);
  if (!batch) return std::nullopt;
  plan.batches = *elementCount(*batch);
  std::vector<int64_t> stridesA = broadcastStrides(a, *batch), stridesB = broadcastStrides(b, *batch);
  for (int64_t p = 0; p < plan.batches; ++p) {
    std::vector<int64_t> index = indexOf(p, *batch);
    int64_t atA = 0, atB = 0;
    for (size_t d = 0; d < index.size(); ++d) atA += index[d] * stridesA[d], atB += index[d] * stridesB[d];
    plan.batchA.push_back(atA);
    plan.batchB.push_back(atB);
  }
  plan.result = *batch;
  if (!rowA) plan.result.push_back(plan.shape.m);
  if (!columnB) plan.result.push_back(plan.shape.n);
  return plan;
}

double largestMagnitude(const Elements<int64_t> &x) {
  double largest = 0;
  for (int64_t v : x) largest = std::max(largest, std::fabs(static_cast<double>(v)));
  return largest;
}

// --- integers --------------------------------------------------------------------------------------------------------

Result<HostArray> integerMatmul(const EvalSite &site, const HostArray &a, const HostArray &b, const HostArray *start,
                                const MatmulPlan &plan) {
  auto out = makeArray(site.budget, plan.result, true, false);
  if (!out) return out;
  const auto [m, n, k] = plan.shape;
  FirstIndex failed;
  for (int64_t p = 0; p < plan.batches; ++p) {
    const int64_t *x = a.ints.data() + plan.batchA[static_cast<size_t>(p)] * m * k;
    const int64_t *y = b.ints.data() + plan.batchB[static_cast<size_t>(p)] * k * n;
    parallelFor(m, 1, site.threads, [&, n = n, k = k](int64_t begin, int64_t end) {
      std::vector<__int128> row(static_cast<size_t>(n));
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t j = 0; j < n; ++j) row[static_cast<size_t>(j)] = start ? start->ints[(p * m + i) * n + j] : 0;
        for (int64_t q = 0; q < k; ++q)
          for (int64_t j = 0; j < n; ++j) row[static_cast<size_t>(j)] += static_cast<__int128>(x[i * k + q]) * y[q * n + j];
        for (int64_t j = 0; j < n; ++j) {
          int64_t at = (p * m + i) * n + j;
          out->ints[at] = static_cast<int64_t>(row[static_cast<size_t>(j)]);
          if (out->ints[at] != row[static_cast<size_t>(j)]) failed.put(at);
        }
      }
    });
  }
  if (failed.get() < 0) return out;
  return site.fail(
      DiagCode::HostIntegerOverflow,
      str("integer overflow: element ", indexText(indexOf(failed.get(), plan.result)), " of `matmul` does not fit 64 bits"));
}

// --- floats ----------------------------------------------------------------------------------------------------------

// The rounding of sums: once per term, and for 16-bit accumulators additionally once per 8 products.
struct Accumulation {
  RoundingType each;
  double groupUnit = 0, groupTiny = 0, exact = 0;
  bool wide = false;

  // `terms`: number of terms that may be nonzero, out of `places`. A group is 8 consecutive places, so each of a few terms may
  // be in a group of its own.
  double bound(double magnitude, double carried, int64_t terms, int64_t places, bool integers) const {
    if (carried == 0 && (magnitude == 0 || (integers && magnitude < exact))) return 0;
    auto count = static_cast<double>(terms);
    double groups = std::min(count, std::ceil(static_cast<double>(places) / 8));
    double unit = std::sqrt(count) * each.unit + std::sqrt(groups) * groupUnit;
    return carried + kLambda * unit * (magnitude + carried) + (groups + 1) * groupTiny + each.tiny;
  }
};

Accumulation accumulationIn(Elem type) {
  const ElemInfo &info = elemInfo(type);
  Accumulation acc;
  acc.wide = type == Elem::F64;
  acc.each = roundingType(acc.wide);
  acc.exact = acc.each.exact;
  if (info.precision < 24) {
    acc.groupUnit = std::ldexp(1.0, -info.precision);
    acc.groupTiny = ulpAt(info, 0) / 2;
    acc.exact = std::ldexp(1.0, info.precision);
  }
  return acc;
}

bool isIntegerValue(double v) { return v == std::rint(v); }

// One product of matrices with its error bound.
class MatrixProduct {
public:
  MatrixProduct(const EvalSite &site, GemmShape shape, const Accumulation &acc) : site_(site), s_(shape), acc_(acc) {}

  const double *a = nullptr, *b = nullptr, *errorsA = nullptr, *errorsB = nullptr; // errors may be null
  const double *start = nullptr, *errorsStart = nullptr; // either may be null
  double *values = nullptr, *bounds = nullptr; // bounds may be null
  int64_t weak = 0;

  Result<void> run() {
    if (auto done = gemm(s_, a, b, values, site_.budget, site_.threads); !done) return done;
    addStart(values, [](double v) { return v; });
    if (!bounds) return {};
    if (auto done = gemmMagnitude(s_, a, b, bounds, site_.budget, site_.threads); !done) return done;
    addStart(bounds, [](double v) { return std::fabs(v); });
    auto carried = carriedErrors();
    if (!carried) return carried.error();
    std::vector<bool> rows = integerRows(), columns = integerColumns();
    std::vector<int64_t> inRows = termsInRows(), inColumns = termsInColumns();
    std::atomic<int64_t> weakCount{0};
    parallelFor(
        s_.m, std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(1, s_.n)), site_.threads, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            weakCount +=
                finishRow(i, rows[static_cast<size_t>(i)], columns, inRows[static_cast<size_t>(i)], inColumns, *carried);
        });
    weak = weakCount;
    return {};
  }

private:
  template <class F> void addStart(double *to, F of) const {
    for (int64_t i = 0; start && i < s_.m * s_.n; ++i) to[i] += of(start[i]);
  }

  // The errors of the sums that follow from errors of the operands: errorsStart + sum over k of ea |b| + (|a| + ea) eb, where
  // ea and eb are the errors of `a` and `b`. Empty if all operands are exact.
  Result<Elements<double>> carriedErrors() {
    Elements<double> total;
    if (!errorsA && !errorsB && !errorsStart) return total;
    auto make = [&](int64_t count) { return Elements<double>::make(site_.budget, count, "the bound of a matrix product"); };
    auto carried = make(s_.m * s_.n);
    if (!carried) return carried;
    if (errorsStart)
      std::copy_n(errorsStart, s_.m * s_.n, carried->begin());
    else
      std::fill(carried->begin(), carried->end(), 0.0);
    auto part = make(s_.m * s_.n);
    if (!part) return part;
    auto add = [&](const double *x, const double *y) -> Result<void> {
      if (auto done = gemmMagnitude(s_, x, y, part->data(), site_.budget, site_.threads); !done) return done;
      for (int64_t i = 0; i < part->count(); ++i) (*carried)[i] += (*part)[i];
      return {};
    };
    if (errorsA)
      if (auto done = add(errorsA, b); !done) return done.error();
    if (errorsB) {
      auto most = make(s_.m * s_.k);
      if (!most) return most;
      for (int64_t i = 0; i < most->count(); ++i) (*most)[i] = std::fabs(a[i]) + (errorsA ? errorsA[i] : 0);
      if (auto done = add(most->data(), errorsB); !done) return done.error();
    }
    return carried;
  }

  std::vector<bool> integerRows() const {
    std::vector<bool> all(static_cast<size_t>(s_.m), true);
    for (int64_t i = 0; i < s_.m; ++i)
      all[static_cast<size_t>(i)] = std::all_of(a + i * s_.k, a + (i + 1) * s_.k, isIntegerValue);
    return all;
  }
  std::vector<bool> integerColumns() const {
    std::vector<bool> all(static_cast<size_t>(s_.n), true);
    for (int64_t k = 0; k < s_.k; ++k)
      for (int64_t j = 0; j < s_.n; ++j)
        if (!isIntegerValue(b[k * s_.n + j])) all[static_cast<size_t>(j)] = false;
    return all;
  }

  // For each row of `a`, the number of elements that are not certainly 0. A product with a 0 is exact. termsInColumns() counts
  // them for each column of `b`.
  std::vector<int64_t> termsInRows() const {
    std::vector<int64_t> terms(static_cast<size_t>(s_.m), 0);
    for (int64_t i = 0; i < s_.m; ++i)
      for (int64_t k = i * s_.k; k < (i + 1) * s_.k; ++k)
        terms[static_cast<size_t>(i)] += a[k] != 0 || (errorsA && errorsA[k] != 0);
    return terms;
  }
  std::vector<int64_t> termsInColumns() const {
    std::vector<int64_t> terms(static_cast<size_t>(s_.n), 0);
    for (int64_t k = 0; k < s_.k; ++k)
      for (int64_t j = 0; j < s_.n; ++j)
        terms[static_cast<size_t>(j)] += b[k * s_.n + j] != 0 || (errorsB && errorsB[k * s_.n + j] != 0);
    return terms;
  }

  // Whether a kernel certainly has the same infinity or NaN: no error is infinite, and no infinite or NaN operand is multiplied
  // by a value that may be 0 within its error.
  bool certain(int64_t i, int64_t j) const {
    auto open = [](double x, double e) { return std::isinf(e) || (e > 0 && !surelyNonzero(x, e)); };
    if (errorsStart && std::isinf(errorsStart[i * s_.n + j])) return false;
    if (!errorsA && !errorsB) return true;
    for (int64_t k = 0; k < s_.k; ++k) {
      int64_t atA = i * s_.k + k, atB = k * s_.n + j;
      double x = a[atA], y = b[atB], ex = errorsA ? errorsA[atA] : 0, ey = errorsB ? errorsB[atB] : 0;
      bool special = !std::isfinite(x) || !std::isfinite(y);
      if (std::isinf(ex) || std::isinf(ey) || (special && (open(x, ex) || open(y, ey)))) return false;
    }
    return true;
  }

  int64_t finishRow(int64_t i, bool integerRow, const std::vector<bool> &integerColumn, int64_t inRow,
                    const std::vector<int64_t> &inColumns, const Elements<double> &carried) {
    int64_t weakHere = 0;
    for (int64_t j = 0; j < s_.n; ++j) {
      int64_t at = i * s_.n + j, first = start ? 1 : 0, terms = std::min(inRow, inColumns[static_cast<size_t>(j)]) + first;
      if (!std::isfinite(values[at])) {
        bounds[at] = specialBound(certain(i, j));
        continue;
      }
      double magnitude = bounds[at];
      bool integers = integerRow && integerColumn[static_cast<size_t>(j)] && (!start || isIntegerValue(start[at]));
      double fromOperands = carried.empty() ? 0 : carried[at];
      if (std::isnan(fromOperands)) fromOperands = specialBound(false); // 0 times a value that may be anything
      double bound = acc_.bound(magnitude, fromOperands, terms, s_.k + first, integers);
      bounds[at] = bound;
      weakHere += bound * static_cast<double>(terms) > magnitude && magnitude > 0;
    }
    return weakHere;
  }

  const EvalSite &site_;
  GemmShape s_;
  const Accumulation &acc_;
};

void roundToTf32(HostArray &x) {
  if (x.elem != Elem::TF32) return;
  for (double &v : x.values) v = roundTo(Elem::TF32, v);
}

Result<HostArray> floatMatmul(const EvalSite &site, const HostArray &a, const HostArray &b, const HostArray *start,
                              const MatmulPlan &plan, const Accumulation &acc) {
  auto out = makeArray(site.budget, plan.result, false, site.trackErrors);
  if (!out) return out;
  out->wide = acc.wide;
  const auto [m, n, k] = plan.shape;
  int64_t weak = 0;
  for (int64_t p = 0; p < plan.batches; ++p) {
    int64_t atA = plan.batchA[static_cast<size_t>(p)] * m * k, atB = plan.batchB[static_cast<size_t>(p)] * k * n;
    MatrixProduct product(site, plan.shape, acc);
    product.a = a.values.data() + atA;
    product.b = b.values.data() + atB;
    product.errorsA = a.exact() ? nullptr : a.errors.data() + atA;
    product.errorsB = b.exact() ? nullptr : b.errors.data() + atB;
    product.start = start ? start->values.data() + p * m * n : nullptr;
    product.errorsStart = start && !start->exact() ? start->errors.data() + p * m * n : nullptr;
    product.values = out->values.data() + p * m * n;
    product.bounds = site.trackErrors ? out->errors.data() + p * m * n : nullptr;
    if (auto done = product.run(); !done) return done.error();
    weak += product.weak;
  }
  if (weak && site.weak) site.weak->push_back({site.range, k, weak});
  if (!out->exact() && !anyError(out->errors.data(), out->count())) out->errors = {};
  return out;
}
// The initial values of the sums, one for each element of the result.
Result<HostArray> startOf(const EvalSite &site, HostArray start, const std::vector<int64_t> &result) {
  auto joined = broadcastShape(start.shape, result);
  if (!joined || *joined != result)
    return site.fail(DiagCode::HostShapeMismatch, str("the initial sums of `matmul` are ", shapeWords(start.shape),
                                                      ", which cannot be broadcast to the result, ", shapeWords(result)));
  if (start.shape == result) return start;
  return copyView(start, {result, broadcastStrides(start.shape, result), 0}, site.budget, site.threads);
}
} // namespace

Result<HostArray> matmul(const EvalSite &site, HostArray a, HostArray b, std::optional<HostArray> start,
                         std::optional<Elem> accumulator) {
  auto plan = planMatmul(a.shape, b.shape);
  if (!plan)
    return site.fail(DiagCode::HostShapeMismatch,
                     str("`matmul` of ", shapeText(a.shape), " and ", shapeText(b.shape),
                         ": the last extent of the first must be the second-to-last of the second, and leading "
                         "extents equal or 1"));
  if (accumulator && !isFloat(*accumulator))
    return site.fail(DiagCode::HostBadArgument,
                     str("`acc` must be a float type, because sums of integers are exact; this is ", elemName(*accumulator)));
  if (holdsHugeUnsigned(a) || holdsHugeUnsigned(b) || (start && holdsHugeUnsigned(*start)))
    return hugeUnsignedError(site, HostFn::Matmul);
  bool wide = a.wide || b.wide || (start && start->wide);
  bool integers =
      a.integer && b.integer && a.exact() && b.exact() && !accumulator && (!start || (start->integer && start->exact()));
  if (start) {
    auto all = startOf(site, std::move(*start), plan->result);
    if (!all) return all;
    start = std::move(*all);
  }
  if (integers) {
    double most = largestMagnitude(a.ints) * largestMagnitude(b.ints) * static_cast<double>(plan->shape.k) +
                  (start ? largestMagnitude(start->ints) : 0);
    if (most >= kExactF64) return integerMatmul(site, a, b, start ? &*start : nullptr, *plan);
  }
  auto x = asFloats(std::move(a), site.budget, site.threads);
  if (!x) return x;
  auto y = asFloats(std::move(b), site.budget, site.threads);
  if (!y) return y;
  roundToTf32(*x);
  roundToTf32(*y);
  if (start) {
    auto floats = asFloats(std::move(*start), site.budget, site.threads);
    if (!floats) return floats;
    start = std::move(*floats);
  }
  const HostArray *first = start ? &*start : nullptr;
  if (!integers)
    return floatMatmul(site, *x, *y, first, *plan, accumulationIn(accumulator.value_or(wide ? Elem::F64 : Elem::F32)));
  // All sums are below 2^53, so f64 represents them exactly.
  EvalSite plain = site;
  plain.trackErrors = false;
  auto product = floatMatmul(plain, *x, *y, first, *plan, accumulationIn(Elem::F64));
  if (!product) return product;
  auto sums = applyCast(plain, std::move(*product), Elem::I64);
  if (sums) sums->elem.reset();
  return sums;
}

} // namespace xt
