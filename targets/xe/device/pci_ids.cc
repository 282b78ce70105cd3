#include "targets/xe/device/pci_ids.h"

namespace xt {
namespace {

// PCI ids from Intel's compute runtime (shared/source/*/definitions and dll/devices).
struct PciIds {
  uint32_t first, last;
  std::string_view target;
};
constexpr PciIds kPciIds[] = {
    {0x0BD0, 0x0BDB, "xe-pvc"}, {0x0B69, 0x0B69, "xe-pvc"}, {0x0B6E, 0x0B6E, "xe-pvc"}, // Data Center GPU Max
    {0xE202, 0xE223, "xe-bmg"},                                                         // Arc B
    {0x6420, 0x6420, "xe-bmg"}, {0x64A0, 0x64A0, "xe-bmg"}, {0x64B0, 0x64B0, "xe-bmg"}, // Lunar Lake: Xe2 as well
    {0x4F80, 0x4F88, "xe-dg2"}, {0x5690, 0x56C2, "xe-dg2"},                             // Arc A, Data Center GPU Flex
};

} // namespace

const TargetInfo *targetOfPciId(uint32_t id) {
  for (const PciIds &ids : kPciIds)
    if (id >= ids.first && id <= ids.last) return findTargetInfo(ids.target);
  return findTargetInfo("spirv");
}

bool hasCooperativeMatrices(const TargetInfo &hardware) { return hasProducts(hardware, findTargetInfo("spirv-coop")->mma); }

} // namespace xt
