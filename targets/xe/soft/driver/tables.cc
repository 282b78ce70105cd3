#include "targets/xe/soft/driver/tables.h"

#include <level_zero/zes_api.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_api.h>
#include <level_zero/zet_ddi.h>

#include <algorithm>

namespace {

// What a slot without a function of ours does, whatever its arguments: the caller removes them.
ze_result_t unsupported() { return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; }

// The loader calls through every slot, so none may be null. All slots are pointers to functions.
template <class Table> ze_result_t answer(ze_api_version_t version, Table *table) {
  if (!table) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (ZE_MAJOR_VERSION(version) != 1) return ZE_RESULT_ERROR_UNSUPPORTED_VERSION;
  auto *slots = reinterpret_cast<ze_result_t (**)()>(table);
  std::fill_n(slots, sizeof(Table) / sizeof(void *), unsupported);
  if constexpr (requires { xt::soft::fill(*table); }) xt::soft::fill(*table);
  return ZE_RESULT_SUCCESS;
}

} // namespace

#define XT_TABLE(function, table)                                                                                      \
  extern "C" __attribute__((visibility("default"))) ze_result_t function(ze_api_version_t version, table *out) {       \
    return answer(version, out);                                                                                       \
  }

XT_TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t)
XT_TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t)
XT_TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t)
XT_TABLE(zeGetDeviceExpProcAddrTable, ze_device_exp_dditable_t)
XT_TABLE(zeGetContextProcAddrTable, ze_context_dditable_t)
XT_TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t)
XT_TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t)
XT_TABLE(zeGetImageProcAddrTable, ze_image_dditable_t)
XT_TABLE(zeGetImageExpProcAddrTable, ze_image_exp_dditable_t)
XT_TABLE(zeGetFenceProcAddrTable, ze_fence_dditable_t)
XT_TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t)
XT_TABLE(zeGetEventProcAddrTable, ze_event_dditable_t)
XT_TABLE(zeGetEventExpProcAddrTable, ze_event_exp_dditable_t)
XT_TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t)
XT_TABLE(zeGetModuleBuildLogProcAddrTable, ze_module_build_log_dditable_t)
XT_TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t)
XT_TABLE(zeGetKernelExpProcAddrTable, ze_kernel_exp_dditable_t)
XT_TABLE(zeGetSamplerProcAddrTable, ze_sampler_dditable_t)
XT_TABLE(zeGetPhysicalMemProcAddrTable, ze_physical_mem_dditable_t)
XT_TABLE(zeGetMemProcAddrTable, ze_mem_dditable_t)
XT_TABLE(zeGetVirtualMemProcAddrTable, ze_virtual_mem_dditable_t)
XT_TABLE(zeGetFabricVertexExpProcAddrTable, ze_fabric_vertex_exp_dditable_t)
XT_TABLE(zeGetFabricEdgeExpProcAddrTable, ze_fabric_edge_exp_dditable_t)

XT_TABLE(zetGetDeviceProcAddrTable, zet_device_dditable_t)
XT_TABLE(zetGetContextProcAddrTable, zet_context_dditable_t)
XT_TABLE(zetGetCommandListProcAddrTable, zet_command_list_dditable_t)
XT_TABLE(zetGetModuleProcAddrTable, zet_module_dditable_t)
XT_TABLE(zetGetKernelProcAddrTable, zet_kernel_dditable_t)
XT_TABLE(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t)
XT_TABLE(zetGetMetricGroupExpProcAddrTable, zet_metric_group_exp_dditable_t)
XT_TABLE(zetGetMetricProcAddrTable, zet_metric_dditable_t)
XT_TABLE(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t)
XT_TABLE(zetGetMetricQueryPoolProcAddrTable, zet_metric_query_pool_dditable_t)
XT_TABLE(zetGetMetricQueryProcAddrTable, zet_metric_query_dditable_t)
XT_TABLE(zetGetTracerExpProcAddrTable, zet_tracer_exp_dditable_t)
XT_TABLE(zetGetDebugProcAddrTable, zet_debug_dditable_t)

XT_TABLE(zesGetDriverProcAddrTable, zes_driver_dditable_t)
XT_TABLE(zesGetDeviceProcAddrTable, zes_device_dditable_t)
XT_TABLE(zesGetSchedulerProcAddrTable, zes_scheduler_dditable_t)
XT_TABLE(zesGetPerformanceFactorProcAddrTable, zes_performance_factor_dditable_t)
XT_TABLE(zesGetPowerProcAddrTable, zes_power_dditable_t)
XT_TABLE(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
XT_TABLE(zesGetEngineProcAddrTable, zes_engine_dditable_t)
XT_TABLE(zesGetStandbyProcAddrTable, zes_standby_dditable_t)
XT_TABLE(zesGetFirmwareProcAddrTable, zes_firmware_dditable_t)
XT_TABLE(zesGetMemoryProcAddrTable, zes_memory_dditable_t)
XT_TABLE(zesGetFabricPortProcAddrTable, zes_fabric_port_dditable_t)
XT_TABLE(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
XT_TABLE(zesGetPsuProcAddrTable, zes_psu_dditable_t)
XT_TABLE(zesGetFanProcAddrTable, zes_fan_dditable_t)
XT_TABLE(zesGetLedProcAddrTable, zes_led_dditable_t)
XT_TABLE(zesGetRasProcAddrTable, zes_ras_dditable_t)
XT_TABLE(zesGetDiagnosticsProcAddrTable, zes_diagnostics_dditable_t)
