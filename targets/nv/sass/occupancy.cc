#include "targets/nv/sass/occupancy.h"

#include "ir/base/text.h"
#include "targets/nv/library/architecture.h"

#include <algorithm>

namespace xt {
namespace {

constexpr int64_t kLanes = 32, kPartitions = 4, kRegisterUnit = 256, kSlmUnit = 128, kSystemSlm = 1 << 10;

int64_t roundedUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

} // namespace

NvOccupancy nvOccupancy(const TargetInfo &target, int64_t registers, int64_t warps, int64_t slmBytes) {
  MultiprocessorInfo has = multiprocessorOf(target);
  NvOccupancy result;
  result.of = has.warps;
  result.workgroups = has.workgroups;
  result.limit = "the number of workgroups";
  auto limitTo = [&](int64_t most, std::string_view what) {
    if (most >= result.workgroups) return;
    result.workgroups = most;
    result.limit = what;
  };
  limitTo(has.warps / std::max<int64_t>(warps, 1), "warps");
  if (registers > 0) {
    int64_t ofPartition = has.registers / kPartitions / roundedUp(registers * kLanes, kRegisterUnit);
    limitTo(ofPartition * kPartitions / std::max<int64_t>(warps, 1), "registers");
  }
  limitTo(has.slmBytes / (roundedUp(slmBytes, kSlmUnit) + kSystemSlm), "shared local memory");
  result.warps = result.workgroups * warps;
  return result;
}

std::string text(const NvOccupancy &occupancy, int64_t warps) {
  return str(occupancy.workgroups, occupancy.workgroups == 1 ? " workgroup" : " workgroups", " of ", warps,
             warps == 1 ? " subgroup" : " subgroups", " per multiprocessor: ", occupancy.warps, " of ", occupancy.of,
             " warps, limited by ", occupancy.limit);
}

} // namespace xt
