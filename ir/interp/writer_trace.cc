#include "ir/interp/writer_trace.h"

#include "ir/base/check.h"
#include "ir/interp/launch_state.h"

#include <algorithm>

namespace xt {

namespace {
bool sameBuffer(const LaunchArg &a, const LaunchArg &b) {
  return a.kind == LaunchArg::Kind::Buffer && b.kind == LaunchArg::Kind::Buffer && a.buffer.data == b.buffer.data &&
         a.buffer.elem == b.buffer.elem && a.buffer.sizes == b.buffer.sizes && a.buffer.strides == b.buffer.strides;
}

// Where scalars depend on vectors or on memory, a run that computes neither would go other ways.
bool canBeTraced(const Kernel &kernel) {
  bool traced = true;
  walk(const_cast<Block &>(kernel.body), [&](Op &op) {
    traced &= op.kind() != OpKind::Extract && op.kind() != OpKind::Load && op.kind() != OpKind::While;
  });
  return traced;
}

class WriterFinder final : public StoreObserver {
public:
  WriterFinder(const std::vector<LaunchArg> &args, size_t parameter, std::span<const std::vector<int64_t>> elements)
      : args_(args), parameter_(parameter), elements_(elements), writers_(elements.size()) {}

  void enter(std::vector<int64_t> workgroup) { workgroup_ = std::move(workgroup); }
  std::vector<std::optional<Writer>> take() { return std::move(writers_); }

  void stores(const TileValue &tile, const Holding::Part &held, size_t subgroup) override {
    if (!sameBuffer(args_[tile.parameter], args_[parameter_])) return;
    for (size_t e = 0; e < elements_.size(); ++e) {
      const std::vector<int64_t> &index = elements_[e];
      size_t leading = index.size() - 2;
      if (!std::equal(index.begin(), index.end() - 2, tile.leading.begin())) continue;
      bool holds = true;
      for (size_t d = 0; d < 2; ++d) {
        // Modulo 2^64, as offsets are; no slice has an index that far out.
        auto inTile =
            static_cast<int64_t>(static_cast<uint64_t>(index[leading + d]) - static_cast<uint64_t>(tile.offsets[d]));
        const auto &slice = held.slices[d];
        holds = holds && std::binary_search(slice.begin(), slice.end(), inTile);
      }
      if (holds) writers_[e] = Writer{workgroup_, static_cast<int64_t>(subgroup)};
    }
  }

private:
  const std::vector<LaunchArg> &args_;
  size_t parameter_;
  std::span<const std::vector<int64_t>> elements_;
  std::vector<int64_t> workgroup_;
  std::vector<std::optional<Writer>> writers_;
};
} // namespace

Result<std::vector<std::optional<Writer>>> findWriters(const Kernel &kernel, const std::vector<LaunchArg> &args,
                                                       const std::vector<GridRange> &grid, size_t parameter,
                                                       std::span<const std::vector<int64_t>> elements) {
  Result<std::vector<RuntimeValue>> bound = bindArguments(kernel, args);
  if (!bound) return bound.error();
  XT_CHECK(parameter < args.size() && args[parameter].kind == LaunchArg::Kind::Buffer, "a buffer's parameter");
  for (const std::vector<int64_t> &element : elements)
    XT_CHECK(element.size() == args[parameter].buffer.sizes.size(), "an index per dimension");
  // Tiles need two dimensions, so nothing is stored to smaller buffers but by scatters, which are not followed.
  if (args[parameter].buffer.sizes.size() < 2 || !canBeTraced(kernel))
    return std::vector<std::optional<Writer>>(elements.size());
  Result<GridWalk> walk = GridWalk::make(kernel, grid, {});
  if (!walk) return walk.error();
  Program program(kernel.body, static_cast<size_t>(kernel.subgroups));
  WriterFinder finder(args, parameter, elements);
  for (uint64_t n = 0; n < walk->count(); ++n) {
    std::vector<int64_t> blockId = walk->blockId(n);
    std::vector<RuntimeValue> values = *bound;
    for (RuntimeValue &variable : walk->variables(blockId)) values.push_back(std::move(variable));
    finder.enter(blockId);
    SlmMemory slm(kernel.body);
    WorkgroupEnvironment environment{program, values, blockId, &finder};
    environment.slm = &slm;
    if (Result<void> done = Workgroup(environment, {}, n).run(); !done) return done.error();
  }
  return finder.take();
}

} // namespace xt
