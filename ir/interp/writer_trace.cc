#include "ir/interp/writer_trace.h"

#include "ir/base/check.h"
#include "ir/interp/launch_state.h"

#include <algorithm>

namespace xt {

namespace {
class WriterFinder final : public StoreObserver {
public:
  WriterFinder(const BufferView &buffer, std::span<const std::vector<int64_t>> elements) : writers_(elements.size()) {
    for (const std::vector<int64_t> &index : elements) {
      XT_CHECK(index.size() == buffer.sizes.size(), "an index per dimension");
      int64_t offset = 0;
      for (size_t d = 0; d < index.size(); ++d) offset += index[d] * buffer.strides[d];
      wanted_.push_back(static_cast<const unsigned char *>(buffer.data) + offset * elemInfo(buffer.elem).storageBytes);
    }
  }

  void enter(std::vector<int64_t> workgroup) { workgroup_ = std::move(workgroup); }
  std::vector<std::optional<Writer>> take() { return std::move(writers_); }

  void stores(const TileValue &tile, const Holding::Part &held, size_t subgroup) override {
    for (size_t e = 0; e < wanted_.size(); ++e)
      if (covers(tile, held, wanted_[e])) note(e, subgroup);
  }
  void storesElement(const unsigned char *p, size_t subgroup) override {
    for (size_t e = 0; e < wanted_.size(); ++e)
      if (wanted_[e] == p) note(e, subgroup);
  }

private:
  // Whether the part `held` of the tile contains the element at `p`. Positions are computed in unsigned arithmetic, because
  // the strides and offsets of an explicit view may have any value.
  static bool covers(const TileValue &tile, const Holding::Part &held, const unsigned char *p) {
    auto bytes = static_cast<int64_t>(elemInfo(tile.elem).storageBytes);
    auto distance = static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(tile.matrix));
    if (distance % bytes != 0) return false;
    uint64_t place = static_cast<uint64_t>(distance / bytes), down = static_cast<uint64_t>(tile.strides[0]),
             across = static_cast<uint64_t>(tile.strides[1]) * static_cast<uint64_t>(tile.pack);
    for (int64_t r : held.slices[0]) {
      uint64_t row = static_cast<uint64_t>(tile.offsets[0]) + static_cast<uint64_t>(r);
      if (row >= static_cast<uint64_t>(tile.sizes[0])) continue;
      uint64_t inPack = row % static_cast<uint64_t>(tile.pack);
      auto rest = static_cast<int64_t>(place - (row - inPack) * down - inPack);
      if (across == 0 || rest % static_cast<int64_t>(across) != 0) continue;
      int64_t column = rest / static_cast<int64_t>(across);
      auto inTile = static_cast<int64_t>(static_cast<uint64_t>(column) - static_cast<uint64_t>(tile.offsets[1]));
      const std::vector<int64_t> &columns = held.slices[1];
      if (column >= 0 && column < tile.sizes[1] && std::binary_search(columns.begin(), columns.end(), inTile)) return true;
    }
    return false;
  }

  void note(size_t e, size_t subgroup) {
    uint64_t before = writers_[e] ? writers_[e]->stores : 0;
    writers_[e] = Writer{workgroup_, static_cast<int64_t>(subgroup), before + 1};
  }

  std::vector<const unsigned char *> wanted_;
  std::vector<int64_t> workgroup_;
  std::vector<std::optional<Writer>> writers_;
};
} // namespace

Result<std::vector<std::optional<Writer>>> findWriters(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                                       const std::vector<GridRange> &grid, size_t parameter,
                                                       std::span<const std::vector<int64_t>> elements, bool memoryKept) {
  Result<std::vector<RuntimeValue>> bound = bindArguments(kernel, args);
  if (!bound) return bound.error();
  XT_CHECK(parameter < args.size() && args[parameter].buffer.data, "a buffer's parameter");
  AddressSlice slice(kernel, args);
  if (!slice.obstacle().empty()) return Error::environment(std::string(slice.obstacle()), kernel.nameRange);
  if (slice.readsMemory() && !memoryKept)
    return Error::environment("the addresses of its stores depend on memory that has changed since the launch",
                              kernel.nameRange);
  Result<GridWalk> walk = GridWalk::make(kernel, grid, {});
  if (!walk) return walk.error();
  Result<Program> program = Program::of(kernel);
  if (!program) return program.error();
  WriterFinder finder(args[parameter].buffer, elements);
  std::vector<MemoryRange> ranges = bufferRanges(args);
  SlmMemory slm(kernel);
  for (uint64_t n = 0; n < walk->count(); ++n) {
    std::vector<int64_t> blockId = walk->blockId(n);
    std::vector<RuntimeValue> values = *bound;
    for (RuntimeValue &variable : walk->variables(blockId)) values.push_back(std::move(variable));
    finder.enter(blockId);
    WorkgroupEnvironment environment{kernel, *program, values, blockId};
    environment.observer = &finder;
    environment.slice = &slice;
    environment.ranges = ranges;
    environment.slm = &slm;
    environment.workgroupScope = kernel.scope == Scope::Workgroup;
    if (Result<void> done = Workgroup(environment, {}, n).run(); !done) return done.error();
  }
  return finder.take();
}

} // namespace xt
