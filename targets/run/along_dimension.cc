// Functions that keep or index one dimension: cumsum, argmax, argmin, sort, and reshape.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/run/eval.h"
#include "targets/run/functions.h"
#include "targets/run/running_sum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace xt {
namespace {

// One row of an array along a dimension: its first element and the distance to the next.
struct Row {
  int64_t first = 0, step = 1, extent = 0;
  int64_t at(int64_t k) const { return first + k * step; }
};

template <class F> void eachRow(const HostArray &x, size_t dim, F &&f) {
  int64_t outer = 1, behind = 1, extent = x.shape[dim];
  for (size_t d = 0; d < x.shape.size(); ++d)
    if (d != dim) (d < dim ? outer : behind) *= x.shape[d];
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t b = 0; b < behind; ++b) f(o * behind + b, Row{o * extent * behind + b, behind, extent});
}

Result<HostArray> cumulative(const EvalSite &site, const HostArray &x, size_t dim) {
  auto out = makeArray(site.budget, x.shape, x.integer, !x.integer && site.trackErrors);
  if (!out) return out;
  out->wide = x.wide;
  RoundingType type = roundingType(x.wide);
  bool overflow = false;
  eachRow(x, dim, [&](int64_t, Row row) {
    RunningSum sum;
    int64_t total = 0;
    for (int64_t k = 0; k < row.extent; ++k) {
      int64_t at = row.at(k);
      if (x.integer) {
        overflow |= __builtin_add_overflow(total, x.ints[at], &total);
        out->ints[at] = total;
        continue;
      }
      sum.add(x.values[at], x.errorAt(at));
      out->values[at] = sum.sum;
      if (site.trackErrors) out->errors[at] = sum.bound(type);
    }
  });
  if (overflow) return site.fail(DiagCode::HostIntegerOverflow, "integer overflow: a sum of `cumsum` does not fit 64 bits");
  return out;
}

// `sign`: 1 for the greatest element, -1 for the smallest.
Result<HostArray> extremeIndex(const EvalSite &site, const HostArray &x, size_t dim, double sign) {
  if (x.shape[dim] == 0) return site.fail(DiagCode::HostBadArgument, "an empty row has no greatest or smallest element");
  std::vector<int64_t> shape = x.shape;
  shape[dim] = 1;
  auto out = makeArray(site.budget, std::move(shape), true, !x.exact());
  if (!out) return out;
  eachRow(x, dim, [&](int64_t result, Row row) {
    int64_t best = 0;
    auto isGreater = [&](int64_t a, int64_t b) {
      if (!x.integer) return sign * x.values[row.at(a)] > sign * x.values[row.at(b)];
      int64_t left = x.ints[row.at(a)], right = x.ints[row.at(b)];
      return sign > 0 ? left > right : left < right;
    };
    for (int64_t k = 1; k < row.extent; ++k)
      if (isGreater(k, best)) best = k;
    out->ints[result] = best;
    if (x.exact()) return;
    double low = sign * x.valueAt(row.at(best)) - x.errorAt(row.at(best));
    bool open = false;
    for (int64_t k = 0; k < row.extent; ++k) open |= k != best && !(sign * x.valueAt(row.at(k)) + x.errorAt(row.at(k)) < low);
    out->errors[result] = open ? static_cast<double>(row.extent) : 0;
  });
  return out;
}

Result<HostArray> sorted(const EvalSite &site, const HostArray &x, size_t dim) {
  auto out = makeArray(site.budget, x.shape, x.integer, !x.exact());
  if (!out) return out;
  out->wide = x.wide;
  out->elem = x.elem;
  std::vector<double> values(x.integer ? 0 : static_cast<size_t>(x.shape[dim]));
  std::vector<int64_t> ints(x.integer ? static_cast<size_t>(x.shape[dim]) : 0);
  eachRow(x, dim, [&](int64_t, Row row) {
    double error = 0;
    for (int64_t k = 0; k < row.extent; ++k) {
      if (x.integer)
        ints[static_cast<size_t>(k)] = x.ints[row.at(k)];
      else
        values[static_cast<size_t>(k)] = x.values[row.at(k)];
      error = std::max(error, x.errorAt(row.at(k)));
    }
    std::ranges::sort(ints);
    std::vector<int64_t> order = sortedOrder(values);
    for (int64_t k = 0; k < row.extent; ++k) {
      if (x.integer)
        out->ints[row.at(k)] = ints[static_cast<size_t>(k)];
      else
        out->values[row.at(k)] = values[static_cast<size_t>(order[static_cast<size_t>(k)])];
      if (!x.exact()) out->errors[row.at(k)] = error;
    }
  });
  return out;
}

} // namespace

std::vector<int64_t> sortedOrder(std::span<const double> row) {
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    double x = row[static_cast<size_t>(a)], y = row[static_cast<size_t>(b)];
    return std::isnan(y) ? !std::isnan(x) : x < y;
  });
  return order;
}

Result<HostArray> alongDimension(const EvalSite &site, HostFn fn, const HostArray &x, int dim) {
  int rank = x.rank(), counted = dim < 0 ? dim + rank : dim;
  if (counted < 0 || counted >= rank)
    return site.fail(DiagCode::HostBadArgument,
                     str("`", hostFnInfo(fn).name, "` along a dimension that ", shapeWords(x.shape), " does not have: ", dim));
  if (holdsHugeUnsigned(x)) return hugeUnsignedError(site, fn);
  auto d = static_cast<size_t>(counted);
  switch (fn) {
  case HostFn::CumSum: return cumulative(site, x, d);
  case HostFn::ArgMax: return extremeIndex(site, x, d, 1);
  case HostFn::ArgMin: return extremeIndex(site, x, d, -1);
  case HostFn::Sort: return sorted(site, x, d);
  default: XT_UNREACHABLE("a function along a dimension");
  }
}

Result<HostArray> reshapeArray(const EvalSite &site, HostArray x, std::vector<int64_t> shape) {
  int64_t known = 1, open = 0;
  bool fits = true;
  for (int64_t extent : shape) {
    open += extent == -1;
    fits &= extent >= -1;
    if (extent >= 0) fits &= !__builtin_mul_overflow(known, extent, &known);
  }
  fits &= open <= 1 && (open ? known > 0 && x.count() % known == 0 : known == x.count());
  if (!fits)
    return site.fail(DiagCode::HostShapeMismatch,
                     str("`reshape` of ", shapeWords(x.shape), ", which has ", x.count(), " elements, to ", indexText(shape)));
  for (int64_t &extent : shape)
    if (extent == -1) extent = x.count() / known;
  x.shape = std::move(shape);
  return x;
}

} // namespace xt
