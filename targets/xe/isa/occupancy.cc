#include "targets/xe/isa/occupancy.h"

#include "ir/base/text.h"
#include "targets/xe/core_info.h"

#include <algorithm>

namespace xt {

Occupancy occupancyOf(const TargetInfo &target, int64_t registers, int64_t subgroups, int64_t slmBytes) {
  Occupancy result;
  CoreInfo core = coreInfo(target);
  if (core.engines == 0 || subgroups <= 0) return result;
  result.engineThreads = engineThreads(target, registers);
  result.of = core.engines * core.engineThreads;
  int64_t byThreads = core.engines * result.engineThreads / subgroups;
  int64_t bySlm = slmBytes > 0 ? core.slmBytes / slmBytes : byThreads;
  result.bySlm = bySlm < byThreads;
  result.workgroups = std::min(byThreads, bySlm);
  result.threads = result.workgroups * subgroups;
  return result;
}

std::string text(const Occupancy &occupancy, const TargetInfo &target, int64_t registers, int64_t subgroups) {
  if (occupancy.of == 0) return "";
  std::string text = str(occupancy.engineThreads, " threads per engine with ", registers, " registers");
  if (registers > target.registerFile[0])
    text += str(" (", coreInfo(target).engineThreads, " with ", target.registerFile[0], ")");
  std::string size = str(subgroups, subgroups == 1 ? " subgroup" : " subgroups");
  if (occupancy.workgroups == 0) return str(text, "; a core has no room for a workgroup of ", size);
  return str(text, "; ", occupancy.workgroups, occupancy.workgroups == 1 ? " workgroup" : " workgroups", " of ", size,
             " per core: ", occupancy.threads, " of ", occupancy.of, " threads",
             occupancy.bySlm ? ", limited by shared local memory" : "");
}

} // namespace xt
