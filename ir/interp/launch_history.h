// The kernel's ops, by number, and the workgroups that have run: all that the checks of a launch name in their reports.
#pragma once
#include "ir/base/source.h"
#include "ir/interp/shadow.h"
#include "ir/module.h"

#include <optional>
#include <unordered_map>

namespace xt {

class LaunchHistory {
public:
  // `sources`: those of the kernel, or null.
  LaunchHistory(const Kernel &kernel, const SourceManager *sources);

  const Kernel &kernel() const { return kernel_; }
  // The numbers of ops begin at 1, in program order.
  uint32_t numberOf(const Op &op) const { return opNumber_.at(&op); }
  const Op &op(uint32_t number) const { return *ops_[number - 1]; }
  // The op as the source names it: "`memref.load`", "`transfer_read`"; nullopt if it names none there, as in `%A[%i]`. Without
  // sources the op's own name: "`memref.load`", but "`load_tile`", as no other dialect is named.
  std::optional<std::string> nameOf(const Op &op) const;

  void enter(const std::vector<int64_t> &blockId) { workgroups_.push_back(blockId); } // call before each one
  const std::vector<int64_t> &workgroup() const { return workgroups_.back(); } // the current one
  uint32_t workgroupNumber() const { return static_cast<uint32_t>(workgroups_.size() - 1); }

  // "workgroup (1, 0)"; "" in a launch without a grid, which has one workgroup.
  std::string workgroupText(const Touch &touch) const;
  std::string who(const Touch &touch) const; // "subgroup 3 of workgroup (1, 0)"

private:
  const Kernel &kernel_;
  const SourceManager *sources_;
  std::vector<const Op *> ops_;
  std::unordered_map<const Op *, uint32_t> opNumber_; // used for lookup only
  std::vector<std::vector<int64_t>> workgroups_; // ids, in the order in which the workgroups ran
};

} // namespace xt
