// The driver's own tables, obtained without a loader, so that no layer checks the arguments first.
#pragma once
#include "targets/xe/init_drivers.h"

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <dlfcn.h>

#include <string>

namespace xt::soft::test {

// Functions that headers before 1.6 and 1.7 lack, such as zeCommandListHostSynchronize, and their slots.
using HostSynchronize = ze_result_t (*)(ze_command_list_handle_t, uint64_t);
using LastErrorDescription = ze_result_t (*)(ze_driver_handle_t, const char **);
using RootDevice = ze_result_t (*)(ze_device_handle_t, ze_device_handle_t *);
inline constexpr size_t kHostSynchronizeSlot = 28, kLastErrorDescriptionSlot = 6, kRootDeviceSlot = 18, kInitDriversSlot = 1;

// A table with space for the slots of the host's version, which may have more than those in the headers.
template <class Table> union Slots {
  void *slot[64] = {};
  Table table;
  Slots() {}
  template <class Function> Function at(size_t index) const { return reinterpret_cast<Function>(slot[index]); }
};

struct DriverTables {
  void *library = nullptr;
  Slots<ze_global_dditable_t> global;
  Slots<ze_driver_dditable_t> driver;
  Slots<ze_device_dditable_t> device;
  Slots<ze_context_dditable_t> context;
  Slots<ze_command_queue_dditable_t> queue;
  Slots<ze_command_list_dditable_t> list;
  Slots<ze_event_pool_dditable_t> pool;
  Slots<ze_event_dditable_t> event;
  Slots<ze_fence_dditable_t> fence;
  Slots<ze_module_dditable_t> module;
  Slots<ze_module_build_log_dditable_t> log;
  Slots<ze_kernel_dditable_t> kernel;
  Slots<ze_kernel_exp_dditable_t> kernelExp;
  Slots<ze_mem_dditable_t> memory;

  // Requests the tables like a loader of this version of Level Zero. Returns false if there is no driver or if it rejects the
  // version.
  bool open(const char *path, ze_api_version_t version) {
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library && ask("zeGetGlobalProcAddrTable", version, global) && ask("zeGetDriverProcAddrTable", version, driver) &&
           ask("zeGetDeviceProcAddrTable", version, device) && ask("zeGetContextProcAddrTable", version, context) &&
           ask("zeGetCommandQueueProcAddrTable", version, queue) && ask("zeGetCommandListProcAddrTable", version, list) &&
           ask("zeGetEventPoolProcAddrTable", version, pool) && ask("zeGetEventProcAddrTable", version, event) &&
           ask("zeGetFenceProcAddrTable", version, fence) && ask("zeGetModuleProcAddrTable", version, module) &&
           ask("zeGetModuleBuildLogProcAddrTable", version, log) && ask("zeGetKernelProcAddrTable", version, kernel) &&
           ask("zeGetKernelExpProcAddrTable", version, kernelExp) && ask("zeGetMemProcAddrTable", version, memory);
  }

  template <class Table> bool ask(const char *name, ze_api_version_t version, Slots<Table> &slots) const {
    auto get = reinterpret_cast<ze_result_t (*)(ze_api_version_t, Table *)>(dlsym(library, name));
    return get && get(version, &slots.table) == ZE_RESULT_SUCCESS;
  }
};

} // namespace xt::soft::test
