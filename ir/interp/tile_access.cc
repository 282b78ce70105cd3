#include "ir/interp/tile_access.h"

#include "ir/base/check.h"
#include "ir/interp/vector_ops.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace xt {

namespace {
// offset + index, modulo 2^64. As an unsigned number it is below a size exactly if the true sum is in [0, size): sums that
// overflow 64 bits at either end are far above any size.
uint64_t position(int64_t offset, int64_t index) { return static_cast<uint64_t>(offset) + static_cast<uint64_t>(index); }
bool inside(uint64_t position, int64_t size) { return position < static_cast<uint64_t>(size); }

// The address is computed in unsigned arithmetic, because the strides of an explicit view may have any value.
unsigned char *elementAt(const TileValue &tile, uint64_t row, uint64_t column, size_t bytes) {
  auto pack = static_cast<uint64_t>(tile.pack);
  uint64_t inPack = row % pack; // rows inside of the base are not negative
  uint64_t distance =
      (row - inPack) * static_cast<uint64_t>(tile.strides[0]) + column * pack * static_cast<uint64_t>(tile.strides[1]) + inPack;
  auto *p = reinterpret_cast<unsigned char *>(reinterpret_cast<uintptr_t>(tile.matrix) + distance * bytes);
  return swizzled(tile.swizzle, tile.memory, p);
}

unsigned char *elementAt(const ScatterTile &tile, int64_t offset) {
  uint64_t distance = static_cast<uint64_t>(offset) * static_cast<uint64_t>(tile.stride);
  auto bytes = static_cast<uint64_t>(elemInfo(tile.elem).storageBytes);
  return reinterpret_cast<unsigned char *>(reinterpret_cast<uintptr_t>(tile.data) + distance * bytes);
}

void reportOutside(const TileValue &tile, const AccessSite &site, MemoryMonitor::Kind kind, uint64_t row, uint64_t column) {
  std::array<int64_t, kMaxRank> index = tile.leading;
  index[tile.leadingCount] = static_cast<int64_t>(row);
  index[tile.leadingCount + 1] = static_cast<int64_t>(column);
  site.monitor->outside(site, kind, tile.memory, std::span(index).first(tile.leadingCount + 2));
}

// The kind of an access: the same for all elements, or computed for each.
template <class KindOf> MemoryMonitor::Kind kindAt(const KindOf &kind, const unsigned char *p, size_t k) {
  if constexpr (std::is_same_v<KindOf, MemoryMonitor::Kind>)
    return kind;
  else
    return kind(p, k);
}

template <class KindOf> MemoryMonitor::Kind outsideKind(const KindOf &kind) {
  if constexpr (std::is_same_v<KindOf, MemoryMonitor::Kind>)
    return kind;
  else
    return MemoryMonitor::Kind::Atomic;
}

// Calls visit(address, k) for each element that is in bounds, and outside(k) for the others; k is the row-major number of the
// element in `rows` x `columns`. Returns the first overreach, which is not visited.
template <class KindOf, class Visit, class Outside>
std::optional<Overreach> forEachElement(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                        const AccessSite &site, KindOf kind, Visit visit, Outside outside) {
  auto bytes = static_cast<size_t>(elemInfo(tile.elem).storageBytes);
  std::optional<Overreach> overreach;
  size_t k = 0;
  for (int64_t r : rows) {
    uint64_t row = position(tile.offsets[0], r);
    bool rowInside = inside(row, tile.sizes[0]);
    for (int64_t c : columns) {
      uint64_t column = position(tile.offsets[1], c);
      bool within = rowInside && inside(column, tile.sizes[1]);
      unsigned char *p = within ? elementAt(tile, row, column, bytes) : nullptr;
      if (within && tile.checked && !site.allowed(tile.memory, p, bytes)) {
        if (!overreach) overreach = {{static_cast<int64_t>(row), static_cast<int64_t>(column)}};
        outside(k++);
        continue;
      }
      if (within) {
        if (site.monitor) site.monitor->access(site, kindAt(kind, p, k), p, bytes);
        visit(p, k);
      } else {
        if (site.monitor) reportOutside(tile, site, outsideKind(kind), row, column);
        outside(k);
      }
      ++k;
    }
  }
  return overreach;
}

// Calls visit(address, k) for each element of a scatter tile that the mask selects and that is in bounds, and outside(k) for
// the others; k is the number of the element.
template <class KindOf, class Visit, class Outside>
void forEachOffset(const ScatterTile &tile, const Fragment *mask, const AccessSite &site, KindOf kind, Visit visit,
                   Outside outside) {
  auto bytes = static_cast<size_t>(elemInfo(tile.elem).storageBytes);
  for (size_t k = 0; k < tile.offsets->size(); ++k) {
    int64_t offset = (*tile.offsets)[k].i;
    bool selected = !mask || (*mask)[k].i != 0;
    if (selected && (tile.anywhere || inside(static_cast<uint64_t>(offset), tile.size))) {
      unsigned char *p = elementAt(tile, offset);
      if (site.monitor) site.monitor->access(site, kindAt(kind, p, k), p, bytes);
      visit(p, k);
      continue;
    }
    if (selected && site.monitor) site.monitor->outside(site, outsideKind(kind), tile.memory, {&offset, 1});
    outside(k);
  }
}

// Returns the kind of an update of element k at p.
auto kindOfUpdate(const ElementUpdate &update, Elem elem, const AccessSite &site) {
  return [&update, elem, &site](const unsigned char *p, size_t k) {
    bool fails = update.expected && site.arithmetic->load(elem, p).i != update.expected[k].i;
    return fails ? MemoryMonitor::Kind::AtomicRead : MemoryMonitor::Kind::Atomic;
  };
}

// The new value of element `k`, whose old one is `before`.
Number updated(const ElementUpdate &update, size_t k, Elem elem, Number before, Arithmetic &arithmetic) {
  if (!update.expected) return combine(update.kind, elem, before, update.values[k], arithmetic);
  return before.i == update.expected[k].i ? update.values[k] : before;
}

// The places that the elements of one store have. Elements of a scatter tile may have one place, and those of a tile whose
// explicit strides are too small.
class WrittenPlaces {
public:
  explicit WrittenPlaces(const AccessSite &site) : site_(site) {}
  void add(const unsigned char *p) {
    if (site_.monitor) places_.push_back(p);
  }
  // Tells the monitor of each place that was written more than once.
  void reportTwice() {
    std::ranges::sort(places_);
    for (size_t i = 1; i < places_.size(); ++i)
      if (places_[i] == places_[i - 1] && (i < 2 || places_[i] != places_[i - 2]))
        site_.monitor->writesTwice(site_, places_[i]);
  }

private:
  const AccessSite &site_;
  std::vector<const unsigned char *> places_; // filled for a monitor only
};
} // namespace

TileValue initTile(const MemRefValue &base, std::span<const int64_t> offsets, int64_t pack) {
  XT_CHECK(base.rank >= 2 && offsets.size() == base.rank, "a tile has an offset per dimension of its base");
  size_t leading = base.rank - 2;
  TileValue tile;
  tile.elem = base.elem;
  tile.parameter = base.parameter;
  tile.memory = base.memory;
  tile.swizzle = base.swizzle;
  tile.leadingCount = leading;
  for (size_t d = 0; d < 2; ++d) {
    tile.sizes[d] = base.sizes[leading + d];
    tile.strides[d] = base.strides[leading + d];
    tile.offsets[d] = offsets[leading + d];
  }
  auto matrix = reinterpret_cast<uintptr_t>(base.data);
  bool everywhere = true;
  for (size_t d = 0; d < leading; ++d) {
    tile.leading[d] = offsets[d];
    everywhere = everywhere && inside(static_cast<uint64_t>(offsets[d]), base.sizes[d]);
    // This is unsigned arithmetic, because the strides of an explicit view may have any value.
    matrix += static_cast<uint64_t>(offsets[d]) * static_cast<uint64_t>(base.strides[d]) *
              static_cast<uint64_t>(elemInfo(base.elem).storageBytes);
  }
  if (!everywhere) tile.sizes = {0, 0};
  tile.pack = pack;
  tile.sizes[0] -= tile.sizes[0] % pack;
  tile.matrix = reinterpret_cast<unsigned char *>(matrix);
  return tile;
}

TileValue moveTile(TileValue tile, int64_t down, int64_t right) {
  tile.offsets[0] = static_cast<int64_t>(position(tile.offsets[0], down));
  tile.offsets[1] = static_cast<int64_t>(position(tile.offsets[1], right));
  return tile;
}

std::optional<Overreach> loadTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                  Number padding, Number *out, const AccessSite &site) {
  return forEachElement(
      tile, rows, columns, site, MemoryMonitor::Kind::Read,
      [&](const unsigned char *p, size_t k) { out[k] = site.arithmetic->load(tile.elem, p); },
      [&](size_t k) { out[k] = padding; });
}

std::optional<Overreach> storeTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                   const Number *in, const AccessSite &site) {
  WrittenPlaces places(site);
  std::optional<Overreach> overreach = forEachElement(
      tile, rows, columns, site, MemoryMonitor::Kind::Write,
      [&](unsigned char *p, size_t k) {
        places.add(p);
        site.arithmetic->store(tile.elem, p, in[k]);
      },
      [](size_t) {});
  places.reportTwice();
  return overreach;
}

std::optional<Overreach> poisonTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                    unsigned char byte, const AccessSite &site) {
  auto bytes = static_cast<size_t>(elemInfo(tile.elem).storageBytes);
  return forEachElement(
      tile, rows, columns, site, MemoryMonitor::Kind::Write, [&](unsigned char *p, size_t) { std::memset(p, byte, bytes); },
      [](size_t) {});
}

std::optional<Overreach> updateTile(const TileValue &tile, std::span<const int64_t> rows, std::span<const int64_t> columns,
                                    const ElementUpdate &update, Number *before, const AccessSite &site) {
  return forEachElement(
      tile, rows, columns, site, kindOfUpdate(update, tile.elem, site),
      [&](unsigned char *p, size_t k) {
        before[k] = site.arithmetic->load(tile.elem, p);
        site.arithmetic->store(tile.elem, p, updated(update, k, tile.elem, before[k], *site.arithmetic));
      },
      [&](size_t k) { before[k] = site.arithmetic->constant(tile.elem, int64_t{0}); });
}

void loadGather(const ScatterTile &tile, const Fragment *mask, Number padding, Number *out, const AccessSite &site) {
  forEachOffset(
      tile, mask, site, MemoryMonitor::Kind::Read,
      [&](const unsigned char *p, size_t k) { out[k] = site.arithmetic->load(tile.elem, p); },
      [&](size_t k) { out[k] = padding; });
}

void storeScatter(const ScatterTile &tile, const Fragment *mask, const Number *in, const AccessSite &site) {
  WrittenPlaces places(site);
  forEachOffset(
      tile, mask, site, MemoryMonitor::Kind::Write,
      [&](unsigned char *p, size_t k) {
        places.add(p);
        site.arithmetic->store(tile.elem, p, in[k]);
      },
      [](size_t) {});
  places.reportTwice();
}

void updateScatter(const ScatterTile &tile, const Fragment *mask, const ElementUpdate &update, Number *before,
                   const AccessSite &site) {
  forEachOffset(
      tile, mask, site, kindOfUpdate(update, tile.elem, site),
      [&](unsigned char *p, size_t k) {
        before[k] = site.arithmetic->load(tile.elem, p);
        site.arithmetic->store(tile.elem, p, updated(update, k, tile.elem, before[k], *site.arithmetic));
      },
      [&](size_t k) { before[k] = site.arithmetic->constant(tile.elem, int64_t{0}); });
}

unsigned char *elementOf(const MemRefValue &memref, std::span<const int64_t> index) {
  unsigned char *p = memref.data;
  for (size_t d = 0; d < memref.rank; ++d) {
    if (!inside(static_cast<uint64_t>(index[d]), memref.sizes[d])) return nullptr;
    p += index[d] * memref.strides[d] * elemInfo(memref.elem).storageBytes;
  }
  return swizzled(memref.swizzle, memref.memory, p);
}

MemRefValue castMemRef(const MemRefValue &memref, Type from, Type to) {
  MemRefValue cast = memref;
  cast.rank = static_cast<size_t>(to.rank());
  std::vector<int> dims = *memrefCastDims(from, to);
  for (size_t d = 0; d < dims.size(); ++d) {
    cast.sizes[d] = dims[d] < 0 ? 1 : memref.sizes[static_cast<size_t>(dims[d])];
    cast.strides[d] = dims[d] < 0 ? 1 : memref.strides[static_cast<size_t>(dims[d])];
  }
  return cast;
}

} // namespace xt
