// The texts of reports about the work-items of a workgroup.
#pragma once
#include "targets/soft/gatherings.h"
#include "targets/soft/group_memory.h"
#include "targets/soft/work_items.h"

namespace xt::soft {

class GroupReport {
public:
  GroupReport(const Launch &launch, const WorkItems &items, const Gatherings &gatherings, const GroupMemory &memory)
      : launch_(launch), items_(items), gatherings_(gatherings), memory_(memory) {}

  // "kernel k, workgroup (1, 0, 0), lane 3 of subgroup 1 in barrier at file.cl:7:3: <text>". `site` is that of an access, or
  // -1.
  std::string failure(std::string_view text, size_t group, int32_t site) const;
  std::string who(size_t item) const; // "lane 3 of subgroup 1"
  std::string where(int32_t site) const; // " at file.cl:7:3"; "" if it is not known
  // Names the first waiting work-item, and the first one of its subgroup (or of the workgroup) that waits elsewhere or has
  // finished. If there is none, reports that the first one waits forever.
  std::string divergence() const;
  // Whether every work-item polls, waits or has finished.
  bool allStuck() const;
  // Lists the states of subgroups if all are stuck:
  // "deadlock: … finished: subgroup 0; polling k.barriers[0] in shared local memory: subgroups 1, 2".
  std::string stuck() const;

private:
  std::string waitsAt(const WorkItem &item) const;
  std::string polled(const WorkItem &item) const;
  std::string state(const Gathering &subgroup) const; // that of a work-item that polls, else of the first one
  // A work-item that has finished, or waits at another place than the first one that has arrived; null if there is none.
  const WorkItem *stray(const Gathering &gathering) const;

  const Launch &launch_;
  const WorkItems &items_;
  const Gatherings &gatherings_;
  const GroupMemory &memory_;
};

} // namespace xt::soft
