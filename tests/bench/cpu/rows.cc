// Softmax and layer normalization: operators on single rows, which are limited by the memory bandwidth.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/operators.h"

#include <algorithm>
#include <cmath>

namespace xt::bench {
namespace {

std::vector<double> rowOf(const Matrix &matrix, int64_t row) {
  std::vector<double> values(static_cast<size_t>(matrix.columns));
  for (int64_t j = 0; j < matrix.columns; ++j) values[static_cast<size_t>(j)] = matrix.at(row, j);
  return values;
}

// Returns a row of softmax with bounds on its errors. The relative error of an element is the sum of: the effect that rounding
// x~-~max has on exp, and the error of exp, for this element and, on average, for the terms of the sum; the error of the sum;
// and two roundings for the division.
std::vector<Expected> softmaxRow(const std::vector<double> &x) {
  double largest = *std::max_element(x.begin(), x.end()), sum = 0, moved = 0;
  for (double value : x) {
    double e = std::exp(value - largest);
    sum += e;
    moved += e * (kRound * (largest - value) + kFunction);
  }
  double ofSum = moved / sum + sumBound(std::ssize(x)) + 2 * kRound;
  std::vector<Expected> row;
  for (double value : x) {
    double y = std::exp(value - largest) / sum;
    row.push_back({y, y * (kRound * (largest - value) + kFunction + ofSum)});
  }
  return row;
}

// Returns a row of layer normalization with bounds on its errors. The mean changes each difference by the error of its sum. The
// variance has the errors of its own sum, of the squares and of the division; half of them affect its root. The remaining
// errors are the roundings of the last line.
std::vector<Expected> layerNormRow(const std::vector<double> &x, const std::vector<double> &gamma,
                                   const std::vector<double> &beta) {
  double count = static_cast<double>(x.size()), mean = 0, size = 0, variance = 0;
  for (double value : x) mean += value / count, size += std::fabs(value) / count;
  for (double value : x) variance += (value - mean) * (value - mean) / count;
  double inverse = 1 / std::sqrt(variance + kLayerNormEps);
  double ofMean = sumBound(std::ssize(x)) * size + kRound * std::fabs(mean);
  double ofInverse = (sumBound(std::ssize(x)) + 5 * kRound) / 2 + kFunction;
  std::vector<Expected> row;
  for (size_t j = 0; j < x.size(); ++j) {
    double d = x[j] - mean, scaled = d * inverse * gamma[j], y = scaled + beta[j];
    double bound =
        std::fabs(gamma[j]) * inverse * ofMean + std::fabs(scaled) * (ofInverse + 3 * kRound) + std::fabs(y) * kRound;
    row.push_back({y, bound});
  }
  return row;
}

Operator ofRows(Operator::Kind kind, int64_t rows, int64_t columns) {
  Operator op;
  op.kind = kind;
  op.sizes = {rows, columns};
  op.rows = rows, op.columns = columns;
  op.inputs = {makeMatrix(Elem::F32, rows, columns)};
  fill(op.inputs[0], 1);
  op.bytes = 2 * static_cast<double>(op.inputs[0].bytes());
  return op;
}

} // namespace

Operator makeSoftmax(int64_t rows, int64_t columns) {
  Operator op = ofRows(Operator::Kind::Softmax, rows, columns);
  op.kernel = standardKernel("softmax");
  op.kernel.kernel = "softmax_whole";
  op.kernel.defines = {{"SOFTMAX_WIDTH", str(columns)}};
  op.args = [x = op.inputs[0]](const Matrix &result) { return std::vector<LaunchArg>{argument(x), argument(result)}; };
  op.expected = [x = op.inputs[0]](int64_t row) { return softmaxRow(rowOf(x, row)); };
  return op;
}

Operator makeLayerNorm(int64_t rows, int64_t columns) {
  Operator op = ofRows(Operator::Kind::LayerNorm, rows, columns);
  for (uint64_t seed : {2, 3}) fill(op.inputs.emplace_back(makeMatrix(Elem::F32, 1, columns)), seed);
  op.kernel = standardKernel("layernorm");
  op.kernel.kernel = "layernorm_whole";
  op.kernel.defines = {{"LAYERNORM_WIDTH", str(columns)}};
  op.args = [inputs = op.inputs](const Matrix &result) {
    return std::vector<LaunchArg>{argument(inputs[0]), argument(inputs[1], {inputs[1].columns}),
                                  argument(inputs[2], {inputs[2].columns}), argument(result), argument(kLayerNormEps)};
  };
  op.expected = [inputs = op.inputs](int64_t row) {
    return layerNormRow(rowOf(inputs[0], row), rowOf(inputs[1], 0), rowOf(inputs[2], 0));
  };
  return op;
}

} // namespace xt::bench
