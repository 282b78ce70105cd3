#include "targets/run/array.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

#include <algorithm>
#include <cmath>

namespace xt {

Result<HostArray> makeArray(MemoryBudget &budget, std::vector<int64_t> shape, bool integer, bool withErrors) {
  constexpr std::string_view kWhat = "an array of a test expression";
  HostArray array;
  std::optional<int64_t> count = elementCount(shape);
  if (!count) return outOfMemory(kWhat, INT64_MAX, budget);
  array.shape = std::move(shape);
  array.integer = integer;
  if (integer) {
    auto ints = Elements<int64_t>::make(budget, *count, kWhat);
    if (!ints) return ints.error();
    array.ints = std::move(*ints);
  } else {
    auto values = Elements<double>::make(budget, *count, kWhat);
    if (!values) return values.error();
    array.values = std::move(*values);
  }
  if (withErrors) {
    auto errors = Elements<double>::make(budget, *count, kWhat);
    if (!errors) return errors.error();
    array.errors = std::move(*errors);
  }
  return array;
}

Result<HostArray> integerScalar(MemoryBudget &budget, int64_t value) {
  auto array = makeArray(budget, {}, true, false);
  if (array) array->ints[0] = value;
  return array;
}

Result<HostArray> floatScalar(MemoryBudget &budget, double value) {
  auto array = makeArray(budget, {}, false, false);
  if (array) array->values[0] = value;
  return array;
}

Result<HostArray> floatLiteral(MemoryBudget &budget, double value, bool withError) {
  const auto inF32 = static_cast<double>(static_cast<float>(value));
  bool rounds = withError && std::isfinite(inF32) && inF32 != value;
  auto array = makeArray(budget, {}, false, rounds);
  if (!array) return array;
  array->literal = true;
  array->values[0] = value;
  if (rounds) array->errors[0] = std::fabs(inF32 - value);
  return array;
}

Result<HostArray> fromRaw(const RawArray &raw, MemoryBudget &budget, int threads) {
  auto array = makeArray(budget, raw.sizes, isInteger(raw.elem), false);
  if (!array) return array;
  if (array->integer)
    toIntegers(raw.elem, raw.bytes.data(), raw.count(), array->ints.data(), threads);
  else
    toDoubles(raw.elem, raw.bytes.data(), raw.count(), array->values.data(), threads);
  array->wide = raw.elem == Elem::F64;
  array->elem = raw.elem;
  return array;
}

bool HostArray::isU64() const { return elem == Elem::U64; }

Result<HostArray> asFloats(HostArray array, MemoryBudget &budget, int threads) {
  if (!array.integer) return array;
  auto floats = makeArray(budget, array.shape, false, false);
  if (!floats) return floats;
  Elem held = array.isU64() ? Elem::U64 : Elem::I64;
  toDoubles(held, reinterpret_cast<const std::byte *>(array.ints.data()), array.count(), floats->values.data(), threads);
  floats->errors = std::move(array.errors);
  floats->wide = array.wide;
  return floats;
}

std::optional<std::vector<int64_t>> broadcastShape(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() < b.size()) std::swap(a, b);
  std::vector<int64_t> shape(a.begin(), a.end());
  for (size_t k = 1; k <= b.size(); ++k) {
    int64_t &extent = shape[a.size() - k];
    int64_t other = b[b.size() - k];
    if (extent != other && extent != 1 && other != 1) return std::nullopt;
    if (extent == 1) extent = other;
  }
  return shape;
}

std::vector<int64_t> broadcastStrides(std::span<const int64_t> shape, std::span<const int64_t> to) {
  std::vector<int64_t> dense = denseStrides(shape), strides(to.size(), 0);
  size_t shift = to.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) strides[shift + d] = shape[d] == 1 ? 0 : dense[d];
  return strides;
}

namespace {
template <class T> void copyElements(const Elements<T> &from, const ViewSpec &view, Elements<T> &to, int threads) {
  copyStrided(view.shape, sizeof(T), reinterpret_cast<const std::byte *>(from.data() + view.offset), view.strides,
              reinterpret_cast<std::byte *>(to.data()), denseStrides(view.shape), threads);
}
} // namespace

Result<HostArray> copyView(const HostArray &array, const ViewSpec &view, MemoryBudget &budget, int threads) {
  auto copy = makeArray(budget, view.shape, array.integer, !array.exact());
  if (!copy) return copy;
  if (array.integer)
    copyElements(array.ints, view, copy->ints, threads);
  else
    copyElements(array.values, view, copy->values, threads);
  if (!array.exact()) copyElements(array.errors, view, copy->errors, threads);
  copy->wide = array.wide;
  copy->elem = array.elem;
  copy->literal = array.literal;
  return copy;
}

Result<RawArray> copyView(const RawArray &array, const ViewSpec &view, MemoryBudget &budget, int threads) {
  auto copy = RawArray::make(budget, view.shape, array.elem, "a slice of a buffer");
  if (!copy) return copy;
  copyStrided(view.shape, array.elemBytes(), array.bytes.data() + view.offset * array.elemBytes(), view.strides,
              copy->bytes.data(), denseStrides(view.shape), threads);
  return copy;
}

namespace {
struct RunDim {
  int64_t size;
  int64_t strides[3];
};

// Merges adjacent dimensions over which all operands advance uniformly.
std::vector<RunDim> mergedDims(std::span<const int64_t> outShape, std::span<const std::span<const int64_t>> operandShapes) {
  std::vector<std::vector<int64_t>> strides;
  for (auto shape : operandShapes) strides.push_back(broadcastStrides(shape, outShape));
  std::vector<RunDim> dims;
  for (size_t d = 0; d < outShape.size(); ++d) {
    if (outShape[d] == 1) continue;
    RunDim dim{outShape[d], {}};
    for (size_t k = 0; k < strides.size(); ++k) dim.strides[k] = strides[k][d];
    bool merges = !dims.empty();
    for (size_t k = 0; merges && k < strides.size(); ++k) merges = dims.back().strides[k] == dim.strides[k] * dim.size;
    if (merges) dim.size *= dims.back().size, dims.pop_back();
    dims.push_back(dim);
  }
  if (dims.empty()) dims.push_back({1, {}});
  return dims;
}
} // namespace

void forEachRun(std::span<const int64_t> outShape, std::span<const std::span<const int64_t>> operandShapes, int threads,
                const std::function<void(const BroadcastRun &)> &body) {
  XT_CHECK(operandShapes.size() <= 3, "elementwise work on more than three operands");
  std::vector<RunDim> dims = mergedDims(outShape, operandShapes);
  const RunDim inner = dims.back();
  dims.pop_back();
  int64_t rows = 1;
  for (const RunDim &dim : dims) rows *= dim.size;
  if (rows == 0 || inner.size == 0) return;
  int64_t chunks = (inner.size + kMaxRun - 1) / kMaxRun;
  int64_t grain = std::max<int64_t>(1, 32 * kMaxRun / std::min(inner.size, kMaxRun));
  parallelFor(rows * chunks, grain, threads, [&](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end; ++at) {
      int64_t row = at / chunks, start = at % chunks * kMaxRun;
      BroadcastRun run;
      run.out = row * inner.size + start;
      run.count = std::min(kMaxRun, inner.size - start);
      for (size_t k = 0; k < operandShapes.size(); ++k) {
        run.offset[k] = start * inner.strides[k];
        run.step[k] = inner.strides[k];
      }
      int64_t rest = row;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d].size)
        for (size_t k = 0; k < operandShapes.size(); ++k) run.offset[k] += rest % dims[d].size * dims[d].strides[k];
      body(run);
    }
  });
}

} // namespace xt
