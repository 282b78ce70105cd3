// Arrays for evaluating test expressions: integers or floats, with a bound on the error that a kernel's rounding
// permits. Shapes follow NumPy's rules.
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
  // Absolute bound on the error of each element; empty: exact. Integer arrays have errors if they come from comparisons that
  // are uncertain because of their operands' errors.
  Elements<double> errors;
  bool wide = false;        // operations on it round in f64 instead of f32
  std::optional<Elem> elem; // the element type of a buffer or of a cast; arithmetic drops it
  // A float literal, or its negative. Its error is that of rounding to f32, which operations in f64 and casts do not do.
  bool literal = false;

  // Prepares an operand of a function that computes in f64 if `inF64`.
  void dropLiteralError(bool inF64) {
    if (literal && inF64) errors = {};
  }

  int64_t count() const { return integer ? ints.count() : values.count(); }
  int rank() const { return static_cast<int>(shape.size()); }
  bool exact() const { return errors.empty(); }
  double valueAt(int64_t i) const { return integer ? numberOf(ints[i]) : values[i]; }
  // The value of an integer element: a u64 of 2^63 or more is held as its bits.
  double numberOf(int64_t held) const {
    return held < 0 && isU64() ? static_cast<double>(static_cast<uint64_t>(held)) : static_cast<double>(held);
  }
  bool isU64() const;
  double errorAt(int64_t i) const { return errors.empty() ? 0 : errors[i]; }
};

// Allocates an uninitialised array; `errors` is allocated only if `withErrors` is set.
Result<HostArray> makeArray(MemoryBudget &budget, std::vector<int64_t> shape, bool integer, bool withErrors);
Result<HostArray> integerScalar(MemoryBudget &budget, int64_t value);
Result<HostArray> floatScalar(MemoryBudget &budget, double value);
// Converts raw content: integer types become integers and float types floats, all exact.
Result<HostArray> fromRaw(const RawArray &raw, MemoryBudget &budget, int threads);
// A float literal of a test; its error is counted if `withError`.
Result<HostArray> floatLiteral(MemoryBudget &budget, double value, bool withError);
// The same values as floats. Integers beyond 2^53 are rounded.
Result<HostArray> asFloats(HostArray array, MemoryBudget &budget, int threads);

// The shape of a broadcast by NumPy's rules: shapes are aligned at their last dimension, and extents must be equal or 1.
// Nullopt if they do not match.
std::optional<std::vector<int64_t>> broadcastShape(std::span<const int64_t> a, std::span<const int64_t> b);
// Strides for reading a dense array of `shape` as one of the larger shape `to`; 0 along repeated dimensions.
std::vector<int64_t> broadcastStrides(std::span<const int64_t> shape, std::span<const int64_t> to);

// A strided view of an array: extents, the linear index of the first element, strides. copyView makes a dense copy of it.
struct ViewSpec {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};
Result<HostArray> copyView(const HostArray &array, const ViewSpec &view, MemoryBudget &budget, int threads);
Result<RawArray> copyView(const RawArray &array, const ViewSpec &view, MemoryBudget &budget, int threads);

// A run of elementwise work over a broadcast shape: up to three operands, each read with a stride of 0 or 1.
struct BroadcastRun {
  int64_t out = 0, count = 0;
  int64_t offset[3] = {}, step[3] = {};
};
// Calls body(run) in parallel for runs that cover the output. A run has at most kMaxRun elements, so that its data
// stays in the cache over several passes.
inline constexpr int64_t kMaxRun = 2048;
void forEachRun(std::span<const int64_t> outShape, std::span<const std::span<const int64_t>> operandShapes, int threads,
                const std::function<void(const BroadcastRun &)> &body);

} // namespace xt
