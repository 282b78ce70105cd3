#include "ir/gpu/matrix_loads.h"

namespace xt {
namespace {

constexpr int64_t kLanes = 32, kWords = 4; // the words of a row, one in each of as many neighbouring lanes

// Whether each lane holds, of each `unit * of` neighbours along a dimension, those of its own number: `unit` neighbours.
bool isDealt(const Layout &block, int dim, int64_t of, int64_t unit, bool byRow) {
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    int64_t own = byRow ? lane / kWords : lane % kWords;
    std::vector<int64_t> expected, slice = block.sliceOf(Axis::Lane, lane, dim);
    for (int64_t i = 0; i < block.shape()[static_cast<size_t>(dim)]; ++i)
      if (i / unit % of == own) expected.push_back(i);
    if (slice != expected) return false;
  }
  return true;
}

} // namespace

std::optional<MatrixLoad> matrixLoad(const Layout &block, Elem elem) {
  int64_t bytes = elemInfo(elem).storageBytes, columns = kMatrixRowBytes / bytes, word = kMatrixRowBytes / kWords;
  if (block.rank() != 2 || block.axisSize(Axis::Lane) != kLanes || bytes > word) return std::nullopt;
  int64_t rows = block.shape()[0];
  if (rows % kMatrixRows != 0 || block.shape()[1] % columns != 0) return std::nullopt;
  MatrixLoad load{false, rows / kMatrixRows, block.shape()[1] / columns};
  if (isDealt(block, 0, kMatrixRows, 1, true) && isDealt(block, 1, kWords, word / bytes, false)) return load;
  load.transposed = true;
  bool turned = 2 * bytes == word && isDealt(block, 1, kMatrixRows, 1, true) && isDealt(block, 0, kWords, 2, false);
  return turned ? std::optional(load) : std::nullopt;
}

} // namespace xt
