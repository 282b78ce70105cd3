// softmax(Q K^T * scale) V for each head; the heads are stacked in each matrix.
#include "tests/bench/cpu/operators.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <algorithm>
#include <cmath>

namespace xt::bench {
namespace {

constexpr int64_t kQueries = 128;
// Returns the number of keys that our kernel processes at once. With more keys, sums are rescaled less often: 512 instead of
// 128 keys save 5% of the time for bf16 (Zen 5) and 2 to 3% for f32 (Xeon with AMX), but f32 with AVX2 takes 8% longer.
int64_t keysAtOnce(Elem elem) {
  Result<CpuInfo> cpu = ourProcessor();
  return elem == Elem::F32 && !(cpu.ok() && cpu->vectorBytes == 64) ? 128 : 512;
}

struct Scores {
  std::vector<double> weights; // exp(score - maximum)
  std::vector<double> moved;   // bound on the relative errors of the weights
  double sum = 0;
};

// Bounds the errors of the weights. A score has the error of its sum and that of the product with the scale. exp turns an
// absolute error of its argument into a relative error, and adds the rounding of its argument and its own error. Each block
// that a running maximum rescales adds the error of an exp and of a product.
Scores scoresOf(const std::vector<Matrix> &inputs, int64_t row, int64_t first, int64_t length) {
  const Matrix &q = inputs[0], &k = inputs[1];
  int64_t blocks = length / keysAtOnce(q.elem) + 1;
  double scale = attentionScale(q.columns), ofSum = sumBound(q.columns),
         ofBlocks = static_cast<double>(blocks) * (kFunction + kRound);
  Scores scores;
  for (int64_t j = 0; j < length; ++j) {
    double score = 0, size = 0;
    for (int64_t d = 0; d < q.columns; ++d) {
      double product = q.at(row, d) * k.at(first + j, d);
      score += scale * product;
      size += scale * std::fabs(product);
    }
    scores.weights.push_back(score);
    scores.moved.push_back(ofSum * size + kRound * std::fabs(score) + kFunction + ofBlocks);
  }
  double largest = *std::max_element(scores.weights.begin(), scores.weights.end());
  for (size_t j = 0; j < scores.weights.size(); ++j) {
    scores.moved[j] += kRound * (largest - scores.weights[j]);
    scores.weights[j] = std::exp(scores.weights[j] - largest);
    scores.sum += scores.weights[j];
  }
  return scores;
}

// Returns the weighted mean and a bound on its error. An error of a weight changes the mean by its share of (value - mean). In
// addition, both sums have their own error, and there are a division and a rounding. If weights are rounded to the inputs' type
// for the second product, their rounding errors are independent of each other.
Expected meanOf(const Scores &scores, const Matrix &v, int64_t first, int64_t column) {
  double mean = 0, size = 0, moved = 0, square = 0;
  for (size_t j = 0; j < scores.weights.size(); ++j) {
    double value = v.at(first + static_cast<int64_t>(j), column), share = scores.weights[j] / scores.sum;
    mean += share * value;
    size += share * std::fabs(value);
    square += share * share * value * value;
  }
  for (size_t j = 0; j < scores.weights.size(); ++j)
    moved += scores.weights[j] / scores.sum * scores.moved[j] * std::fabs(v.at(first + static_cast<int64_t>(j), column) - mean);
  double ofSums = sumBound(std::ssize(scores.weights)) * (size + std::fabs(mean));
  double narrow = v.elem == Elem::F32 ? 0 : kSumBound * roundOff(v.elem) * std::sqrt(square);
  return {mean, moved + ofSums + narrow + 3 * kRound * std::fabs(mean)};
}

std::vector<Expected> expectedRow(const std::vector<Matrix> &inputs, int64_t row, int64_t length) {
  int64_t first = row / length * length; // the first row of the head that contains `row`
  Scores scores = scoresOf(inputs, row, first, length);
  std::vector<Expected> values;
  for (int64_t column = 0; column < inputs[2].columns; ++column) values.push_back(meanOf(scores, inputs[2], first, column));
  return values;
}

KernelText kernelText(Elem elem, int64_t depth) {
  KernelText kernel = standardKernel("attention");
  kernel.defines = {{"ATTENTION_D", str(depth)},
                    {"ATTENTION_BM", str(kQueries)},
                    {"ATTENTION_BN", str(keysAtOnce(elem))},
                    {"ATTENTION_T", std::string(elemName(elem))}};
  return kernel;
}

} // namespace

double attentionScale(int64_t depth) { return 1 / std::sqrt(static_cast<double>(depth)); }

Operator makeAttention(Elem elem, int64_t heads, int64_t length, int64_t depth) {
  Operator op;
  op.kind = Operator::Kind::Attention;
  op.elem = elem;
  op.sizes = {heads, length, depth};
  op.rows = heads * length, op.columns = depth;
  for (uint64_t seed : {1, 2, 3}) fill(op.inputs.emplace_back(makeMatrix(elem, op.rows, depth)), seed);
  op.operations = 4.0 * static_cast<double>(op.rows) * static_cast<double>(length) * static_cast<double>(depth);
  op.kernel = kernelText(elem, depth);
  op.args = [inputs = op.inputs, sizes = op.sizes, depth](const Matrix &result) {
    return std::vector<LaunchArg>{argument(inputs[0], sizes), argument(inputs[1], sizes), argument(inputs[2], sizes),
                                  argument(result, sizes), argument(attentionScale(depth))};
  };
  op.expected = [inputs = op.inputs, length](int64_t row) { return expectedRow(inputs, row, length); };
  return op;
}

} // namespace xt::bench
