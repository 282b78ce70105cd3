#include "ir/interp/launch_history.h"

#include "ir/base/text.h"
#include "ir/interp/worker.h"

namespace xt {

LaunchHistory::LaunchHistory(const Kernel &kernel) : kernel_(kernel) {
  walk(kernel.body, [&](const Op &op) {
    ops_.push_back(&op);
    opNumber_[&op] = static_cast<uint32_t>(ops_.size());
  });
}

// Ops of the memref dialect are named with it, because plain `load` and `store` would be ambiguous.
std::string LaunchHistory::nameOf(const Op &op) {
  return str("`", op.info().dialect == Dialect::Memref ? fullName(op.kind()) : op.info().name, "`");
}

std::string LaunchHistory::workgroupText(const Touch &touch) const {
  const std::vector<int64_t> &id = workgroups_[touch.workgroup];
  return id.empty() ? "" : xt::workgroupText(kernel_, id);
}

std::string LaunchHistory::who(const Touch &touch) const {
  std::string workgroup = workgroupText(touch);
  return str(workerText(kernel_, touch.subgroup), workgroup.empty() ? "" : " of ", workgroup);
}

} // namespace xt
