// zeInitDrivers of Level Zero 1.10, which the headers used for the build may lack.
#pragma once
#include <level_zero/ze_api.h>

namespace xt {

// ze_init_driver_type_desc_t
struct InitDriversDesc {
  ze_structure_type_t stype = static_cast<ze_structure_type_t>(0x00020021);
  const void *pNext = nullptr;
  uint32_t flags = 0;
};
inline constexpr uint32_t kInitGpuDrivers = 1, kInitNpuDrivers = 2, kInitAllDrivers = UINT32_MAX;

using InitDrivers = ze_result_t(ZE_APICALL *)(uint32_t *count, ze_driver_handle_t *drivers, InitDriversDesc *desc);

} // namespace xt
