// The state that the workers of a workgroup share: the program, the memory, and the observers of the run.
#pragma once
#include "ir/interp/address_slice.h"
#include "ir/interp/program.h"
#include "ir/interp/slm_memory.h"
#include "ir/interp/tile_access.h"
#include "ir/launch.h"
#include "ir/named_barriers.h"

namespace xt {

// Observes the stores of a kernel in a run that does not execute them.
class StoreObserver {
public:
  virtual ~StoreObserver() = default;
  // The subgroup would write the part `held` (rows and columns) of the tile.
  virtual void stores(const TileValue &tile, const Holding::Part &held, size_t subgroup) = 0;
  virtual void storesElement(const unsigned char *p, size_t subgroup) = 0;
  // The subgroup would write the elements that the mask selects (all if the mask is null), except those out of bounds.
  void storesScattered(const ScatterTile &tile, const Fragment *mask, size_t subgroup);
};

struct WorkgroupEnvironment {
  const Kernel &kernel;
  const Program &program;
  const std::vector<RuntimeValue> &args; // the values of the entry block's parameters
  std::vector<int64_t> blockId;          // coordinates, outermost dimension first
  // If these two are not null, only the ops of the slice are executed, and its stores are only passed to the observer.
  StoreObserver *observer = nullptr;
  const AddressSlice *slice = nullptr;
  std::span<const MemoryRange> ranges = {}; // the buffers of the launch
  SlmMemory *slm = nullptr;
  NamedBarriers *barriers = nullptr;
  MemoryMonitor *monitor = nullptr;
  const PrintSink *print = nullptr;
  Arithmetic *arithmetic = &ieeeArithmetic();
  bool workgroupScope = false;

  // The number of lanes per subgroup at lane scope; else 0.
  size_t lanes() const { return kernel.scope == Scope::Lane ? static_cast<size_t>(kernel.lanes) : 0; }
};

} // namespace xt
