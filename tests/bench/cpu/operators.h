// The operators that are not plain products: their data, their expected results, and the sides that compute them.
#pragma once
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/kernel.h"

#include <optional>
#include <string_view>

namespace xt::bench {

struct Expected {
  double value = 0;
  double bound = 0; // on the error that rounding may cause
};

// One cell of the second table, such as "gelu:1024x1024x1024:bf16".
struct Operator {
  enum class Kind : uint8_t { Softmax, LayerNorm, Gelu, Attention } kind = Kind::Softmax;
  Elem elem = Elem::F32;      // of the inputs; results are f32
  std::vector<int64_t> sizes; // those of the cell
  std::vector<Matrix> inputs; // in the order of our kernel's parameters
  int64_t rows = 0, columns = 0; // of the result
  double operations = 0;         // of its products, two per multiply-add; 0: it has no products
  double bytes = 0;              // read and written, each once; 0: `operations` determines the time
  KernelText kernel;
  std::function<std::vector<LaunchArg>(const Matrix &result)> args; // of our kernel
  std::function<std::vector<Expected>(int64_t row)> expected;       // a row of the result, computed in double

  int64_t size(size_t i) const { return sizes[i]; }
};

// Nullopt: no operator of that name accepts this type and this number of sizes.
std::optional<Operator> makeOperator(std::string_view cell);
Operator makeSoftmax(int64_t rows, int64_t columns);
Operator makeLayerNorm(int64_t rows, int64_t columns);
Operator makeGelu(Elem elem, int64_t m, int64_t n, int64_t k);                  // gelu(A * B + bias)
Operator makeAttention(Elem elem, int64_t heads, int64_t length, int64_t depth); // softmax(Q K^T * attentionScale) V, by heads

// Relative errors of f32: of one rounding, of exp and related functions (within 4 ulp), and of a sum, relative to the sum of
// magnitudes.
inline constexpr double kRound = 0x1p-24, kFunction = 8 * kRound;
double sumBound(int64_t terms);

inline constexpr double kLayerNormEps = 1e-5;
double attentionScale(int64_t depth); // 1 / sqrt(depth)

// A file of the standard library; ends the process if it cannot be read.
KernelText standardKernel(const std::string &name);

// "" if a side's result is as expected in some rows, otherwise a description of the error.
std::string whatIsWrong(const Operator &op, const Side &side);

// Each uses `threads` threads. `why` gets a line for each side that is not available.
void addOurs(const Operator &op, int threads, std::vector<Side> &sides, std::string &why);
void addOneDnn(const Operator &op, int threads, std::vector<Side> &sides, std::string &why);
void addOnnxRuntime(const Operator &op, int threads, std::vector<Side> &sides, std::string &why); // attention of f32

} // namespace xt::bench
