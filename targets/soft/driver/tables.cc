#include "targets/soft/driver/tables.h"

#include <level_zero/zes_api.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_api.h>
#include <level_zero/zet_ddi.h>

#include <array>
#include <cstring>
#include <initializer_list>

namespace {

using xt::soft::AnyFunction;

// The number of slots that a table has from a minor version of Level Zero on, up to version 1.17. The host's table has the
// slots of the version that the host requests, whatever the version of the headers of this build is.
struct Growth {
  uint32_t version;
  size_t slots;
};

constexpr size_t kMostSlots = 64;

// Fills the slots of functions that this driver does not implement. It may be called with any arguments, because the caller
// removes them.
ze_result_t unsupported() { return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; }

// Fills the loader's table. The loader calls through every slot, so no slot may be null. All slots are pointers to functions.
template <class Table> ze_result_t answer(ze_api_version_t version, Table *table, std::initializer_list<Growth> growth) {
  static_assert(sizeof(Table) <= kMostSlots * sizeof(AnyFunction));
  if (!table) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (ZE_MAJOR_VERSION(version) != 1) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
  size_t slots = 0;
  for (const Growth &each : growth)
    if (ZE_MINOR_VERSION(version) >= each.version) slots = each.slots;
  if (!slots) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
  std::array<AnyFunction, kMostSlots> all;
  all.fill(xt::soft::any(unsupported));
  if constexpr (requires(Table &filled) { xt::soft::fill(filled); }) {
    Table known;
    std::memcpy(&known, all.data(), sizeof known);
    xt::soft::fill(known);
    std::memcpy(all.data(), &known, sizeof known);
  }
  if constexpr (requires(const Table *which) { xt::soft::fillNewer(all, which); }) xt::soft::fillNewer(all, table);
  std::memcpy(static_cast<void *>(table), all.data(), slots * sizeof(AnyFunction));
  return ZE_RESULT_SUCCESS;
}

} // namespace

#define XT_TABLE(function, table, ...)                                                                                         \
  extern "C" __attribute__((visibility("default"))) ze_result_t function(ze_api_version_t version, table *out) {               \
    return answer(version, out, {__VA_ARGS__});                                                                                \
  }

XT_TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t, {0, 1}, {10, 2})
XT_TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t, {0, 5}, {1, 6}, {6, 7}, {13, 8}, {14, 9})
XT_TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t, {0, 14}, {1, 15}, {2, 17}, {3, 18}, {7, 19}, {12, 21}, {13, 22},
         {14, 23}, {15, 24}, {16, 27}, {17, 28})
XT_TABLE(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t, {4, 1})
XT_TABLE(zeGetContextProcAddrTable, ze_context_dditable_t, {0, 8}, {1, 9})
XT_TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t, {0, 4}, {9, 6}, {17, 9})
XT_TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t, {0, 26}, {3, 28}, {6, 29}, {9, 34}, {12, 36}, {14, 38},
         {16, 41}, {17, 52})
XT_TABLE(zeGetImageProcAddrTable, ze_image_dditable_t, {0, 3}, {3, 4}, {5, 5})
XT_TABLE(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t, {2, 2}, {9, 3})
XT_TABLE(zeGetFenceProcAddrTable, ze_fence_dditable_t, {0, 5})
XT_TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t, {0, 5}, {6, 6}, {9, 8})
XT_TABLE(zeGetEventProcAddrTable, ze_event_dditable_t, {0, 7}, {6, 8}, {9, 11}, {15, 16}, {17, 17})
XT_TABLE(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t, {2, 1})
XT_TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t, {0, 8}, {3, 9})
XT_TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t, {0, 2})
XT_TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t, {0, 12})
XT_TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t, {1, 1}, {2, 2}, {11, 3}, {14, 4})
XT_TABLE(zeGetSamplerProcAddrTable, ze_sampler_dditable_t, {0, 2})
XT_TABLE(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t, {0, 2}, {15, 3})
XT_TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t, {0, 9}, {3, 10}, {6, 11}, {9, 12}, {15, 13})
XT_TABLE(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t, {0, 7})
XT_TABLE(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t, {4, 4})
XT_TABLE(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t, {4, 3})

XT_TABLE(zetGetDeviceProcAddrTable, zet_device_dditable_t, {0, 1})
XT_TABLE(zetGetContextProcAddrTable, zet_context_dditable_t, {0, 1})
XT_TABLE(zetGetCommandListProcAddrTable, zet_command_list_dditable_t, {0, 4})
XT_TABLE(zetGetModuleProcAddrTable, zet_module_dditable_t, {0, 1})
XT_TABLE(zetGetKernelProcAddrTable, zet_kernel_dditable_t, {0, 1})
XT_TABLE(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t, {0, 3})
XT_TABLE(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t, {2, 1}, {5, 2}, {6, 4}, {9, 9})
XT_TABLE(zetGetMetricProcAddrTable, zet_metric_dditable_t, {0, 2})
XT_TABLE(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t, {0, 3})
XT_TABLE(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t, {0, 2})
XT_TABLE(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t, {0, 4})
XT_TABLE(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t, {0, 5})
XT_TABLE(zetGetDebugProcAddrTable, zet_debug_dditable_t, {0, 11}, {5, 12})

XT_TABLE(zesGetDriverProcAddrTable, zes_driver_dditable_t, {0, 1}, {1, 2}, {5, 3}, {8, 5})
XT_TABLE(zesGetDeviceProcAddrTable, zes_device_dditable_t, {0, 25}, {4, 29}, {5, 36}, {7, 37}, {15, 38})
XT_TABLE(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t, {0, 8})
XT_TABLE(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t, {0, 3})
XT_TABLE(zesGetPowerProcAddrTable, zes_power_dditable_t, {0, 8}, {16, 11})
XT_TABLE(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t, {0, 17})
XT_TABLE(zesGetEngineProcAddrTable, zes_engine_dditable_t, {0, 1}, {7, 3})
XT_TABLE(zesGetStandbyProcAddrTable, zes_standby_dditable_t, {0, 3})
XT_TABLE(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t, {0, 2}, {8, 3}, {9, 4})
XT_TABLE(zesGetMemoryProcAddrTable, zes_memory_dditable_t, {0, 3})
XT_TABLE(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t, {0, 6}, {7, 8})
XT_TABLE(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t, {0, 4})
XT_TABLE(zesGetPsuProcAddrTable, zes_psu_dditable_t, {0, 2})
XT_TABLE(zesGetFanProcAddrTable, zes_fan_dditable_t, {0, 6})
XT_TABLE(zesGetLedProcAddrTable, zes_led_dditable_t, {0, 4})
XT_TABLE(zesGetRasProcAddrTable, zes_ras_dditable_t, {0, 4})
XT_TABLE(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t, {0, 3})
