#include "targets/run/looseness.h"

#include "targets/run/rounding.h"

#include <algorithm>
#include <cmath>

namespace xt {

namespace {
double finiteMagnitude(double value) { return std::isfinite(value) ? std::fabs(value) : 0; }

// Views the expected values as consecutive matrices of rows x columns.
struct MatrixShape {
  int64_t rows = 1, columns = 1;
  explicit MatrixShape(const std::vector<int64_t> &shape) {
    if (!shape.empty()) columns = shape.back();
    if (shape.size() > 1) rows = shape[shape.size() - 2];
  }
  int64_t count() const { return rows * columns; }
};

Looseness loosenessOfMatrix(const Comparison &comparison, int64_t start, MatrixShape shape, double atLeast,
                            double negligible) {
  auto rows = static_cast<size_t>(shape.rows), columns = static_cast<size_t>(shape.columns);
  std::vector<double> rowScale(rows, atLeast), columnScale(columns, atLeast);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      double magnitude = finiteMagnitude(comparison.expectedAt(start + static_cast<int64_t>(r * columns + c)));
      rowScale[r] = std::max(rowScale[r], magnitude);
      columnScale[c] = std::max(columnScale[c], magnitude);
    }
  Looseness found;
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      int64_t i = start + static_cast<int64_t>(r * columns + c);
      if (!std::isfinite(comparison.expectedAt(i))) continue; // accepts only itself
      double bound = comparison.boundAt(i), scale = std::max(rowScale[r], columnScale[c]);
      if (bound <= scale || bound < negligible) continue;
      if (found.elements++ == 0) found = {1, i, bound, scale};
    }
  return found;
}
} // namespace

double largestFinite(const HostArray &array) {
  double largest = 0;
  for (int64_t i = 0; i < array.count(); ++i) largest = std::max(largest, finiteMagnitude(array.valueAt(i)));
  return largest;
}

Looseness findLooseness(const Comparison &comparison, double atLeast, int threads) {
  MatrixShape shape(comparison.shape());
  if (shape.count() == 0 || comparison.count() == 0) return {};
  const HostArray &left = comparison.left();
  double negligible = std::ldexp(1.0, elemInfo(left.elem && isFloat(*left.elem) ? *left.elem : Elem::F32).minExponent);
  std::vector<Looseness> parts(static_cast<size_t>(comparison.count() / shape.count()));
  parallelFor(static_cast<int64_t>(parts.size()), 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m)
      parts[static_cast<size_t>(m)] = loosenessOfMatrix(comparison, m * shape.count(), shape, atLeast, negligible);
  });
  Looseness total;
  for (const Looseness &part : parts) {
    if (total.elements == 0)
      total = part;
    else
      total.elements += part.elements;
  }
  return total;
}

} // namespace xt
