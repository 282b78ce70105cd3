#include "ir/interp/workgroup_environment.h"

namespace xt {

void StoreObserver::storesScattered(const ScatterTile &tile, const Fragment *mask, size_t subgroup) {
  for (size_t k = 0; k < tile.offsets->size(); ++k) {
    int64_t offset = (*tile.offsets)[k].i;
    if ((mask && (*mask)[k].i == 0) || (!tile.anywhere && (offset < 0 || offset >= tile.size))) continue;
    // This is unsigned arithmetic, because offsets from an address may have any value.
    auto distance = static_cast<uint64_t>(offset) * static_cast<uint64_t>(tile.stride) *
                    static_cast<uint64_t>(elemInfo(tile.elem).storageBytes);
    auto place = reinterpret_cast<uintptr_t>(tile.data) + static_cast<uintptr_t>(distance);
    storesElement(reinterpret_cast<const unsigned char *>(place), subgroup);
  }
}

} // namespace xt
