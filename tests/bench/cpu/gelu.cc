// gelu(A * B + bias), with the error function: a product whose results are transformed before they are written.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/operators.h"

#include <cmath>

namespace xt::bench {
namespace {

// The kernel is that of examples/08_epilogue.xt without its last addition, with the tiles of ours.cc.
KernelText kernelText(Elem elem) {
  std::string_view t = elemName(elem);
  Result<CpuInfo> cpu = ourProcessor();
  const char *columns = elem == Elem::F32 && cpu.ok() && cpu->tilesBf16 ? "512" : "256";
  return {"gelu.xt",
          str("import \"std/activations\"\nkernel @gelu_gemm(%a: memref<?x?x", t, ">, %b: memref<?x?x", t,
              ">, %bias: memref<1x?xf32>, %c: memref<?x?xf32>)\n"
              "    grid (%i = 0 to dim(%c, 0) step 256, %j = 0 to dim(%c, 1) step ",
              columns,
              ") {\n"
              "  %ta = init_tile %a[%i, 0] -> tile<256x32x",
              t, ">\n  %tb = init_tile %b[0, %j] -> tile<32x", columns, "x", t, ">\n  %acc = constant 0.0 : vector<256x",
              columns,
              "xf32>\n"
              "  for %k = 0 to dim(%a, 1) step 32 {\n"
              "    %va = load_tile %ta\n    %vb = load_tile %tb\n    %acc = tile_mma %va, %vb, %acc\n"
              "    %ta = update_tile_offset %ta, 0, 32\n    %tb = update_tile_offset %tb, 32, 0\n  }\n"
              "  %tbias = init_tile %bias[0, %j] -> tile<1x",
              columns,
              "xf32>\n  %row = load_tile %tbias\n"
              "  %all = broadcast %row [0] -> vector<256x",
              columns,
              "xf32>\n  %y = @gelu(%acc + %all)\n"
              "  %tc = init_tile %c[%i, %j] -> tile<256x",
              columns, "xf32>\n  store_tile %y, %tc\n}\n"),
          "gelu_gemm"};
}

// Returns a result and a bound on its error, which has three parts: the errors of the sum and of adding the bias, times the
// steepest slope of gelu; half of |x| times the error of erf, which is 4 ulp plus the effect of a rounded argument (at most its
// own rounding); and three roundings.
Expected expectedAt(const std::vector<Matrix> &inputs, int64_t row, int64_t column) {
  constexpr double kSteepest = 1.13;
  const Matrix &a = inputs[0], &b = inputs[1];
  double x = inputs[2].at(0, column), size = 0;
  for (int64_t k = 0; k < a.columns; ++k) {
    double product = a.at(row, k) * b.at(k, column);
    x += product;
    size += std::fabs(product);
  }
  double y = 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
  double ofSum = sumBound(a.columns) * size + kRound * std::fabs(x);
  return {y, kSteepest * ofSum + 0.5 * std::fabs(x) * (kFunction + 2 * kRound) + 3 * kRound * std::fabs(y)};
}

} // namespace

Operator makeGelu(Elem elem, int64_t m, int64_t n, int64_t k) {
  Operator op;
  op.kind = Operator::Kind::Gelu;
  op.elem = elem;
  op.sizes = {m, n, k};
  op.rows = m, op.columns = n;
  op.inputs = {makeMatrix(elem, m, k), makeMatrix(elem, k, n), makeMatrix(Elem::F32, 1, n)};
  for (size_t i = 0; i < op.inputs.size(); ++i) fill(op.inputs[i], i + 1);
  op.operations = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  op.kernel = kernelText(elem);
  op.args = [inputs = op.inputs](const Matrix &result) {
    return std::vector<LaunchArg>{argument(inputs[0]), argument(inputs[1]), argument(inputs[2]), argument(result)};
  };
  op.expected = [inputs = op.inputs](int64_t row) {
    std::vector<Expected> values;
    for (int64_t column = 0; column < inputs[1].columns; ++column) values.push_back(expectedAt(inputs, row, column));
    return values;
  };
  return op;
}

} // namespace xt::bench
