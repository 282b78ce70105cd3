// Arrays that test expressions compute with: integers or floats, with a bound on the error that a kernel's rounding
// permits. NumPy's rules for shapes.
#pragma once
#include "ir/elem.h"
#include "targets/run/raw_array.h"

#include <optional>
#include <vector>

namespace xt {

struct HostArray {
  std::vector<int64_t> shape; // empty: a scalar
  bool integer = false;
  Elements<int64_t> ints;  // integer arrays
  Elements<double> values; // float arrays
  // Absolute bound on the error of each element; empty: exact. Integer arrays have one where comparisons lie within
  // their error.
  Elements<double> errors;
  bool wide = false;        // operations on it round in f64 instead of f32
  std::optional<Elem> elem; // the element type of a buffer or of a cast; arithmetic drops it

  int64_t count() const { return integer ? ints.count() : values.count(); }
  int rank() const { return static_cast<int>(shape.size()); }
  bool exact() const { return errors.empty(); }
  double valueAt(int64_t i) const { return integer ? static_cast<double>(ints[i]) : values[i]; }
  double errorAt(int64_t i) const { return errors.empty() ? 0 : errors[i]; }
};

// Not initialised; `errors` are made only where asked for.
Result<HostArray> makeArray(MemoryBudget &budget, std::vector<int64_t> shape, bool integer, bool withErrors);
Result<HostArray> integerScalar(MemoryBudget &budget, int64_t value);
Result<HostArray> floatScalar(MemoryBudget &budget, double value);
// Integer types become integers, float types floats; exact.
Result<HostArray> fromRaw(const RawArray &raw, MemoryBudget &budget, int threads);
// The same values as floats. Integers beyond 2^53 round.
Result<HostArray> asFloats(HostArray array, MemoryBudget &budget, int threads);

// NumPy: shapes are aligned at their last dimension; extents are equal or 1. Nothing if they do not fit.
std::optional<std::vector<int64_t>> broadcastShape(std::span<const int64_t> a, std::span<const int64_t> b);
// Strides with which a dense array of `shape` is read in the larger shape `to`: 0 where it is repeated.
std::vector<int64_t> broadcastStrides(std::span<const int64_t> shape, std::span<const int64_t> to);

// A view of an array's elements copied out: sizes, the linear index of the first element, strides.
struct ViewSpec {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};
Result<HostArray> copyView(const HostArray &array, const ViewSpec &view, MemoryBudget &budget, int threads);
Result<RawArray> copyView(const RawArray &array, const ViewSpec &view, MemoryBudget &budget, int threads);

// Runs of elementwise work over a broadcast shape: up to three operands, each read at a stride of 0 or 1 within a run.
struct BroadcastRun {
  int64_t out = 0, count = 0;
  int64_t offset[3] = {}, step[3] = {};
};
// Calls body(run) for runs that cover the output, in parallel. Runs are at most kMaxRun long, so that several passes
// over one stay in the cache.
inline constexpr int64_t kMaxRun = 2048;
void forEachRun(std::span<const int64_t> outShape, std::span<const std::span<const int64_t>> operandShapes, int threads,
                const std::function<void(const BroadcastRun &)> &body);

} // namespace xt
