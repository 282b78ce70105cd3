#include "ir/interp/worker.h"

#include "ir/base/text.h"
#include "ir/interp/block_forms.h"

namespace xt {

std::string workerText(const Kernel &kernel, size_t worker) {
  if (kernel.scope != Scope::Lane) return str("subgroup ", worker);
  auto lanes = static_cast<size_t>(kernel.lanes), all = lanes * static_cast<size_t>(kernel.subgroups);
  if (worker >= all) return str("subgroup ", worker - all);
  return str("lane ", worker % lanes, " of subgroup ", worker / lanes);
}
size_t subgroupWorker(const Kernel &kernel, size_t subgroup) {
  return kernel.scope == Scope::Lane ? static_cast<size_t>(kernel.lanes * kernel.subgroups) + subgroup : subgroup;
}
size_t workerCount(const Kernel &kernel) { return subgroupWorker(kernel, static_cast<size_t>(kernel.subgroups)); }

std::string Worker::whereabouts() const {
  return str(workerText(environment_.kernel, id_), " of ", workgroupText(environment_.kernel, environment_.blockId));
}

Error Worker::reachesOutside(const Step &step, const TileValue &tile, const Overreach &element) const {
  std::string buffer = "all buffers of the launch";
  if (tile.memory.low) buffer = "its buffer";
  if (tile.parameter != kNoParameter) buffer = str("`%", environment_.program.entry().param(tile.parameter)->name(), "`");
  return Error::kernel(str("element [", join(element.index, ", "),
                           "] of a base with an explicit shape and strides is outside of ", buffer, " (", whereabouts(), ")"),
                       step.op->range());
}

// Without a boundary check, elements outside of the base must not be accessed.
Result<void> Worker::staysInside(const Step &step, Type desc, const TileValue &block) const {
  if (desc.data().boundaryCheck) return {};
  int64_t extents[2] = {rowsOf(desc), columnsOf(desc)};
  for (size_t d = 0; d < 2; ++d)
    if (block.offsets[d] < 0 || block.sizes[d] < extents[d] || block.offsets[d] > block.sizes[d] - extents[d])
      return Error::kernel(str("`", step.op->info().name, "` accesses memory out of bounds of its base at offset [",
                               join(block.offsets, ", "), "] (", whereabouts(),
                               "): with boundary_check = false the result is undefined"),
                           step.op->range());
  return {};
}

} // namespace xt
