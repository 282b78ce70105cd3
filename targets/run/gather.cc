#include "ir/base/text.h"
#include "targets/run/eval.h"

namespace xt {

namespace {
// Indices along a dimension of the given extent, with those that count from the end made positive.
Result<HostArray> countedFromStart(const EvalSite &site, const HostArray &indices, int64_t extent, size_t dim,
                                   std::span<const int64_t> shape) {
  if (!indices.integer) return site.fail(DiagCode::HostBadArgument, "the indices of a slice must be integers");
  auto counted = makeArray(site.budget, indices.shape, true, false);
  if (!counted) return counted;
  for (int64_t i = 0; i < indices.count(); ++i) {
    int64_t index = indices.ints[i] < 0 ? indices.ints[i] + extent : indices.ints[i];
    if (index < 0 || index >= extent)
      return site.fail(DiagCode::HostBadArgument,
                       str("index ", indices.ints[i], " is out of bounds of dimension ", dim, " of ", shapeWords(shape)));
    counted->ints[i] = index;
  }
  return counted;
}
} // namespace

Result<HostArray> joinIndices(const EvalSite &site, const Evaluator::ArrayIndex &index, std::vector<int64_t> &shape) {
  auto first = static_cast<size_t>(index.dim);
  std::optional<HostArray> joined;
  int64_t merged = 1;
  for (size_t k = 0; k < index.indices.size(); ++k) {
    auto next = countedFromStart(site, index.indices[k], shape[first + k], first + k, shape);
    if (!next) return next;
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
  if (!indices.integer) return site.fail(DiagCode::HostBadArgument, "the indices of `gather` must be integers");
  auto d = static_cast<size_t>(dim);
  std::vector<int64_t> shape(x.shape.begin(), x.shape.begin() + dim);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + dim + 1, x.shape.end());
  int64_t before = 1, behind = 1, extent = x.shape[d];
  for (size_t k = 0; k < x.shape.size(); ++k) (k < d ? before : k > d ? behind : extent) *= k == d ? 1 : x.shape[k];
  auto result = makeArray(site.budget, std::move(shape), x.integer, !x.exact());
  if (!result) return result;
  result->wide = x.wide;
  result->elem = x.elem;
  int64_t to = 0;
  for (int64_t outer = 0; outer < before; ++outer)
    for (int64_t i = 0; i < indices.count(); ++i) {
      int64_t index = indices.ints[i] < 0 ? indices.ints[i] + extent : indices.ints[i];
      if (index < 0 || index >= extent)
        return site.fail(
            DiagCode::HostBadArgument,
            str("index ", indices.ints[i], " of `gather` is out of bounds of dimension ", dim, " of ", shapeWords(x.shape)));
      for (int64_t inner = 0; inner < behind; ++inner, ++to) {
        int64_t from = (outer * extent + index) * behind + inner;
        if (x.integer)
          result->ints[to] = x.ints[from];
        else
          result->values[to] = x.values[from];
        if (!x.exact()) result->errors[to] = x.errors[from];
      }
    }
  return result;
}

} // namespace xt
