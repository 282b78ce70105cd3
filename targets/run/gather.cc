#include "ir/base/text.h"
#include "targets/run/eval.h"

#include <cmath>

namespace xt {

namespace {
// Indices along dimension `dim` of `shape`, with those that count from the end made positive.
Result<HostArray> countedFromStart(const EvalSite &site, const HostArray &indices, size_t dim, std::span<const int64_t> shape) {
  if (!indices.integer) return site.fail(DiagCode::HostBadArgument, "indices must be integers");
  auto counted = makeArray(site.budget, indices.shape, true, !indices.exact());
  if (!counted) return counted;
  for (int64_t i = 0; i < indices.count(); ++i) {
    double number = indices.valueAt(i); // that of a u64 of 2^63 or more is not negative
    int64_t index = number < 0 ? indices.ints[i] + shape[dim] : indices.ints[i];
    if (index < 0 || index >= shape[dim])
      return site.fail(DiagCode::HostBadArgument,
                       str("index ", indices.isU64() ? str(static_cast<uint64_t>(indices.ints[i])) : str(indices.ints[i]),
                           " is out of bounds of dimension ", dim, " of ", shapeWords(shape)));
    counted->ints[i] = index;
    if (!indices.exact()) counted->errors[i] = indices.errors[i];
  }
  return counted;
}

// The largest difference between elements `stride` apart, plus the largest error of one: the bound of an element whose index along
// them is uncertain.
double spread(const HostArray &x, int64_t first, int64_t stride, int64_t count) {
  double least = x.valueAt(first), most = least, error = 0;
  for (int64_t i = first; count-- > 0; i += stride) {
    double value = x.valueAt(i);
    if (!std::isfinite(value)) return specialBound(false);
    least = std::min(least, value);
    most = std::max(most, value);
    error = std::max(error, x.errorAt(i));
  }
  return most - least + error;
}
} // namespace

Result<HostArray> joinIndices(const EvalSite &site, const Evaluator::ArrayIndex &index, std::vector<int64_t> &shape) {
  auto first = static_cast<size_t>(index.dim);
  std::optional<HostArray> joined;
  int64_t merged = 1;
  for (size_t k = 0; k < index.indices.size(); ++k) {
    auto next = countedFromStart(site, index.indices[k], first + k, shape);
    if (!next) return next;
    if (joined && !broadcastShape(joined->shape, next->shape))
      return site.fail(DiagCode::HostShapeMismatch,
                       str("arrays of indices are ", shapeText(joined->shape), " and ", shapeText(next->shape),
                           ": extents must be equal or 1, counted from the last"));
    merged *= shape[first + k];
    if (joined) {
      auto extent = integerScalar(site.budget, shape[first + k]);
      if (!extent) return extent;
      auto scaled = applyBinary(site, HostFn::Mul, std::move(*joined), std::move(*extent));
      if (!scaled) return scaled;
      next = applyBinary(site, HostFn::Add, std::move(*scaled), std::move(*next));
      if (!next) return next;
    }
    joined = std::move(*next);
  }
  auto begin = shape.begin() + index.dim;
  *begin = merged;
  shape.erase(begin + 1, begin + static_cast<int64_t>(index.indices.size()));
  return std::move(*joined);
}

Result<HostArray> gatherArray(const EvalSite &site, const HostArray &x, const HostArray &indices, int dim) {
  if (dim < 0) dim += x.rank();
  if (dim < 0 || dim >= x.rank())
    return site.fail(DiagCode::HostBadArgument, str("`gather` along a dimension that ", shapeWords(x.shape), " does not have"));
  auto d = static_cast<size_t>(dim);
  auto counted = countedFromStart(site, indices, d, x.shape);
  if (!counted) return counted;
  std::vector<int64_t> shape(x.shape.begin(), x.shape.begin() + dim);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + dim + 1, x.shape.end());
  int64_t before = 1, behind = 1, extent = x.shape[d];
  for (size_t k = 0; k < x.shape.size(); ++k) (k < d ? before : k > d ? behind : extent) *= k == d ? 1 : x.shape[k];
  auto result = makeArray(site.budget, std::move(shape), x.integer, !x.exact() || !indices.exact());
  if (!result) return result;
  result->wide = x.wide;
  result->elem = x.elem;
  int64_t to = 0;
  for (int64_t outer = 0; outer < before; ++outer)
    for (int64_t i = 0; i < indices.count(); ++i) {
      int64_t index = counted->ints[i];
      bool uncertain = counted->errorAt(i) > 0;
      for (int64_t inner = 0; inner < behind; ++inner, ++to) {
        int64_t from = (outer * extent + index) * behind + inner;
        if (x.integer)
          result->ints[to] = x.ints[from];
        else
          result->values[to] = x.values[from];
        if (!result->exact())
          result->errors[to] = uncertain ? spread(x, outer * extent * behind + inner, behind, extent) : x.errorAt(from);
      }
    }
  return result;
}

} // namespace xt
