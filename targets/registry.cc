#include "targets/cpu/cpu_target.h"
#include "targets/interp/interp_target.h"
#include "targets/target.h"

namespace xt {

std::vector<Target *> allTargets() { return {&interpTarget(), &cpuTarget()}; }

Target *findTarget(std::string_view name) {
  for (Target *target : allTargets())
    if (target->name() == name) return target;
  return nullptr;
}

} // namespace xt
