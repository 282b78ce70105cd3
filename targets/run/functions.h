// The functions of test expressions on arrays. Each computes the value in f64 or in 64-bit integers and, where errors are
// tracked, the bound on a kernel's error. Errors of the test are reported at the site's range.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/host.h"
#include "targets/run/array.h"
#include "targets/run/rounding.h"

namespace xt {

// Sums whose bound exceeds the mean magnitude of their terms, so that an error in one term could pass.
struct WeakBound {
  SourceRange range;
  int64_t terms = 0;
  int64_t elements = 0; // number of weak results
};

// The call site of a function.
struct EvalSite {
  MemoryBudget &budget;
  Diagnostics &diagnostics;
  int threads = 0;         // 0: all cores
  bool trackErrors = true; // false for initialisers and sizes
  SourceRange range;       // the range of the call
  std::vector<WeakBound> *weak = nullptr;

  Error fail(DiagCode code, std::string message) const {
    diagnostics.report(code, range, std::move(message));
    return Error::diagnosed();
  }
};

// Elementwise functions, with broadcasting. Functions whose operands are all integers give integers, except `/`, `pow` and
// functions of floats such as `sqrt`; everything else computes in f64. Comparisons and logic give 0 and 1, with an error of 1
// where operands are within their errors of each other.
Result<HostArray> applyUnary(const EvalSite &site, HostFn fn, HostArray x);
Result<HostArray> applyBinary(const EvalSite &site, HostFn fn, HostArray a, HostArray b);
Result<HostArray> applyWhere(const EvalSite &site, HostArray condition, HostArray x, HostArray y);
Result<HostArray> applyCast(const EvalSite &site, HostArray x, Elem to);

// The sum, mean, prod, max or min along one dimension (kept with extent 1), or of all elements (a scalar).
Result<HostArray> reduce(const EvalSite &site, HostFn fn, const HostArray &x, std::optional<int> dim);
Result<HostArray> softmax(const EvalSite &site, HostArray x, int dim);
// NumPy's matmul: batched over leading dimensions, which broadcast; a rank-1 operand is a row or a column. `start`:
// an initial value of each sum, broadcast to the result. `accumulator`: the type in which sums are rounded; by
// default f32, or f64 if an operand is f64.
Result<HostArray> matmul(const EvalSite &site, HostArray a, HostArray b, std::optional<HostArray> start,
                         std::optional<Elem> accumulator);
// The elements of `x` at integer indices along dimension `dim`, which is replaced by the shape of the indices. Negative indices
// count from the end; an index out of bounds is reported. Where an index has an error, the bound spans all elements along `dim`.
Result<HostArray> gatherArray(const EvalSite &site, const HostArray &x, const HostArray &indices, int dim);
// The same elements with other extents; one of them may be -1.
Result<HostArray> reshapeArray(const EvalSite &site, HostArray x, std::vector<int64_t> shape);
// cumsum, argmax, argmin and sort along dimension `dim`, from which negative ones count from the end. The bound of a sum is that
// of its terms. The bound of an index is the extent where another element may be the extreme one within the errors, and 0
// elsewhere; a sorted element carries the largest error along its dimension.
Result<HostArray> alongDimension(const EvalSite &site, HostFn fn, const HostArray &x, int dim);
inline bool isAlongDimension(HostFn fn) {
  return fn == HostFn::CumSum || fn == HostFn::ArgMax || fn == HostFn::ArgMin || fn == HostFn::Sort;
}
// The order in which `sort` takes the elements of one row: by value, with NaN last, and equal ones as they stand.
std::vector<int64_t> sortedOrder(std::span<const double> row);
Result<HostArray> transposeArray(const EvalSite &site, const HostArray &x, std::span<const int64_t> permutation);

// u64 values are stored as their bits in an int64: those above the int64 range can be compared and copied, but not
// computed with.
bool holdsHugeUnsigned(const HostArray &x);
Error hugeUnsignedError(const EvalSite &site, HostFn fn);
// "+", "matmul"
std::string_view spelling(HostFn fn);

} // namespace xt
