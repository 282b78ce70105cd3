#include "targets/run/looseness.h"

#include "ir/elem_kinds.h"
#include "targets/run/rounding.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

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

// The magnitudes of a row or column.
struct Line {
  double largest = 0;
  std::optional<double> scale; // absent if too few values are not 0: a few may all be small by chance
};

// `typical`: the scale is the upper quartile; otherwise the maximum.
Line lineOf(std::vector<double> &magnitudes, bool typical) {
  constexpr size_t kFewest = 4;
  std::erase(magnitudes, 0.0);
  if (magnitudes.empty()) return {};
  Line line;
  line.largest = *std::max_element(magnitudes.begin(), magnitudes.end());
  if (magnitudes.size() < kFewest) return line;
  auto quartile = magnitudes.begin() + static_cast<ptrdiff_t>(magnitudes.size() * 3 / 4);
  if (typical) std::nth_element(magnitudes.begin(), quartile, magnitudes.end());
  line.scale = typical ? *quartile : line.largest;
  return line;
}

// Adds up `parts`, which are in the order of their elements.
Looseness joined(std::span<const Looseness> parts) {
  Looseness total;
  for (const Looseness &part : parts) {
    if (total.elements == 0)
      total = part;
    else
      total.elements += part.elements;
  }
  return total;
}

class LooseMatrix {
public:
  LooseMatrix(const Comparison &comparison, int64_t start, MatrixShape shape, int threads)
      : comparison_(comparison), start_(start), shape_(shape), threads_(threads) {
    rows_ = lines(shape.rows, shape.columns, [&](int64_t r, int64_t c) { return unlessCancelled(r, c); });
    columns_ = lines(shape.columns, shape.rows, [&](int64_t c, int64_t r) { return unlessCancelled(r, c); });
  }

  Looseness find(double atLeast, double negligible) const {
    std::vector<Looseness> ofRow(static_cast<size_t>(shape_.rows));
    parallelFor(shape_.rows, kLinesAtOnce, threads_, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) ofRow[static_cast<size_t>(r)] = findInRow(r, atLeast, negligible);
    });
    return joined(ofRow);
  }

private:
  static constexpr int64_t kLinesAtOnce = 16;

  // `at(i, k)`: the magnitude of element k of line i.
  template <class At> std::vector<Line> lines(int64_t count, int64_t length, At at) const {
    bool typical = comparison_.tolerance() == HostStmt::Tolerance::RelAbs;
    std::vector<Line> made(static_cast<size_t>(count));
    parallelFor(count, kLinesAtOnce, threads_, [&](int64_t begin, int64_t end) {
      std::vector<double> magnitudes;
      for (int64_t i = begin; i < end; ++i) {
        magnitudes.clear();
        for (int64_t k = 0; k < length; ++k) magnitudes.push_back(at(i, k));
        made[static_cast<size_t>(i)] = lineOf(magnitudes, typical);
      }
    });
    return made;
  }
  Looseness findInRow(int64_t r, double atLeast, double negligible) const {
    Looseness found;
    for (int64_t c = 0; c < shape_.columns; ++c) {
      int64_t i = at(r, c);
      if (!std::isfinite(comparison_.expectedAt(i))) continue; // an infinity or NaN accepts only itself
      double bound = comparison_.boundAt(i), scale = std::max({atLeast, magnitude(r, c), around(r, c)});
      if (bound <= scale || bound < negligible) continue;
      if (found.elements++ == 0) found = {1, i, bound, scale};
    }
    return found;
  }
  int64_t at(int64_t r, int64_t c) const { return start_ + r * shape_.columns + c; }
  double magnitude(int64_t r, int64_t c) const { return finiteMagnitude(comparison_.expectedAt(at(r, c))); }
  // The magnitude of an expected value, but 0 if its terms cancel, so that only rounding errors of f64 are left of them: a
  // derived bound is then far larger than the value.
  double unlessCancelled(int64_t r, int64_t c) const {
    constexpr double kFar = 0x1p16;
    double value = magnitude(r, c);
    bool derived = comparison_.tolerance() == HostStmt::Tolerance::Derived;
    return derived && value * kFar < comparison_.boundAt(at(r, c)) ? 0 : value;
  }
  double around(int64_t r, int64_t c) const {
    const Line &row = rows_[static_cast<size_t>(r)], &column = columns_[static_cast<size_t>(c)];
    if (row.scale && column.scale) return std::min(*row.scale, *column.scale);
    return row.scale ? *row.scale : column.scale.value_or(std::max(row.largest, column.largest));
  }

  const Comparison &comparison_;
  int64_t start_;
  MatrixShape shape_;
  int threads_;
  std::vector<Line> rows_, columns_;
};
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
  int inside = parts.size() == 1 ? threads : 1; // if there are several matrices, each is processed by one thread
  parallelFor(static_cast<int64_t>(parts.size()), 1, threads, [&](int64_t begin, int64_t end) {
    for (int64_t m = begin; m < end; ++m)
      parts[static_cast<size_t>(m)] = LooseMatrix(comparison, m * shape.count(), shape, inside).find(atLeast, negligible);
  });
  return joined(parts);
}

} // namespace xt
