#include "ir/interp/tile_access.h"

#include "ir/base/check.h"

#include <cstring>

#include <optional>

namespace xt {

namespace {
// offset + index, modulo 2^64. As an unsigned number it is below a size exactly where the true sum lies in [0, size):
// sums past either end of the 64 bits come out far above any size.
uint64_t position(int64_t offset, int64_t index) {
  return static_cast<uint64_t>(offset) + static_cast<uint64_t>(index);
}
bool inside(uint64_t position, int64_t size) { return position < static_cast<uint64_t>(size); }

// Calls visit(bytes, k) for each element inside, and outside(k) for the others; k counts rows x columns, row-major.
template <class Visit, class Outside>
void forEachElement(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns, Visit visit,
                    Outside outside) {
  int64_t bytes = elemInfo(tile.elem).storageBytes;
  size_t k = 0;
  for (int64_t r : rows) {
    uint64_t row = position(tile.offsets[0], r);
    if (!inside(row, tile.sizes[0])) {
      for (size_t c = 0; c < columns.size(); ++c) outside(k++);
      continue;
    }
    unsigned char *start = tile.matrix + static_cast<int64_t>(row) * tile.strides[0] * bytes;
    for (int64_t c : columns) {
      uint64_t column = position(tile.offsets[1], c);
      if (inside(column, tile.sizes[1]))
        visit(start + static_cast<int64_t>(column) * tile.strides[1] * bytes, k);
      else
        outside(k);
      ++k;
    }
  }
}
} // namespace

TileValue initTile(const MemRefValue &base, std::span<const int64_t> offsets) {
  XT_CHECK(base.rank >= 2 && offsets.size() == base.rank, "a tile has an offset per dimension of its base");
  size_t leading = base.rank - 2;
  TileValue tile;
  tile.elem = base.elem;
  tile.parameter = base.parameter;
  for (size_t d = 0; d < 2; ++d) {
    tile.sizes[d] = base.sizes[leading + d];
    tile.strides[d] = base.strides[leading + d];
    tile.offsets[d] = offsets[leading + d];
  }
  tile.matrix = base.data;
  for (size_t d = 0; d < leading; ++d) {
    tile.leading[d] = offsets[d];
    if (!inside(static_cast<uint64_t>(offsets[d]), base.sizes[d])) {
      tile.sizes = {0, 0};
      break;
    }
    tile.matrix += offsets[d] * base.strides[d] * elemInfo(base.elem).storageBytes;
  }
  return tile;
}

bool withinBuffer(const MemRefValue &view, const MemRefValue &base) {
  auto last = [](const MemRefValue &m) -> std::optional<__int128> { // element furthest from the first
    __int128 distance = 0;
    for (size_t d = 0; d < m.rank; ++d) {
      if (m.sizes[d] <= 0) return std::nullopt;
      distance += static_cast<__int128>(m.sizes[d] - 1) * m.strides[d];
    }
    return distance;
  };
  std::optional<__int128> shown = last(view), there = last(base);
  for (size_t d = 0; d < view.rank; ++d)
    if (shown && view.strides[d] < 0) return false;
  return !shown || (there && *shown <= *there);
}

TileValue moveTile(TileValue tile, int64_t down, int64_t right) {
  tile.offsets[0] = static_cast<int64_t>(position(tile.offsets[0], down));
  tile.offsets[1] = static_cast<int64_t>(position(tile.offsets[1], right));
  return tile;
}

void loadTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns, Number padding,
              Number *out) {
  auto pad = [&](size_t k) { out[k] = padding; };
  forEachElement(
      tile, rows, columns, [&](const unsigned char *p, size_t k) { out[k] = loadNumber(tile.elem, p); }, pad);
}

void storeTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
               const Number *in) {
  forEachElement(
      tile, rows, columns, [&](unsigned char *p, size_t k) { storeNumber(tile.elem, p, in[k]); }, [](size_t) {});
}

} // namespace xt
