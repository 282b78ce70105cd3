// The operators other than plain products: their data, their expected results, and the sides that compute them.
#pragma once
#include "ir/elem_kinds.h"
#include "tests/bench/cpu/kernel.h"

#include <optional>
#include <string_view>

namespace xt::bench {

struct Expected {
  double value = 0;
  double bound = 0; // the maximum error that rounding may cause
};

// One cell of the second table, such as "gelu:1024x1024x1024:bf16".
struct Operator {
  enum class Kind : uint8_t { Softmax, LayerNorm, Gelu, Attention } kind = Kind::Softmax;
  Elem elem = Elem::F32;      // element type of the inputs; results are f32
  std::vector<int64_t> sizes; // the sizes in the name of the cell
  std::vector<Matrix> inputs; // in the order of our kernel's parameters
  int64_t rows = 0, columns = 0; // sizes of the result
  double operations = 0;         // operations of its products, two per multiply-add; 0: it has no products
  double bytes = 0;              // bytes read and written, each counted once; 0: `operations` determines the time
  KernelText kernel;
  std::function<std::vector<LaunchArg>(const Matrix &result)> args; // the arguments of our kernel
  std::function<std::vector<Expected>(int64_t row)> expected;       // returns a row of the result, computed in double

  int64_t size(size_t i) const { return sizes[i]; }
};

// Returns the operator with the name of a cell, or nullopt if no operator of that name accepts the type and the number of
// sizes.
std::optional<Operator> makeOperator(std::string_view cell);
Operator makeSoftmax(int64_t rows, int64_t columns);
Operator makeLayerNorm(int64_t rows, int64_t columns);
Operator makeGelu(Elem elem, int64_t m, int64_t n, int64_t k);                  // gelu(A * B + bias)
Operator makeAttention(Elem elem, int64_t heads, int64_t length, int64_t depth); // softmax(Q K^T * attentionScale) V, per head

// Relative errors of f32: kRound of one rounding, kFunction of exp and related functions (within 4 ulp), and sumBound of a sum
// of that many terms, relative to the sum of magnitudes.
inline constexpr double kRound = 0x1p-24, kFunction = 8 * kRound;
double sumBound(int64_t terms);

inline constexpr double kLayerNormEps = 1e-5;
double attentionScale(int64_t depth); // 1 / sqrt(depth)

// Reads a file of the standard library. Ends the process if the file cannot be read.
KernelText standardKernel(const std::string &name);

// Returns "" if a side's result is as expected in some rows, otherwise a description of the error.
std::string whatIsWrong(const Operator &op, const Side &side);

// Each function adds the side if it is available, otherwise a line with the reason to `why`. The side uses `threads` threads.
void addOurs(const Operator &op, int threads, std::vector<Side> &sides, std::string &why);
void addOneDnn(const Operator &op, int threads, std::vector<Side> &sides, std::string &why);
void addOnnxRuntime(const Operator &op, int threads, std::vector<Side> &sides, std::string &why); // f32 attention only

} // namespace xt::bench
