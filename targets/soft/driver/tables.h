// The function tables that the loader requests; each file fills the slots of its functions.
#pragma once
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <span>

namespace xt::soft {

void fill(ze_global_dditable_t &table);
void fill(ze_driver_dditable_t &table);
void fill(ze_device_dditable_t &table);
void fill(ze_context_dditable_t &table);
void fill(ze_command_queue_dditable_t &table);
void fill(ze_command_list_dditable_t &table);
void fill(ze_event_pool_dditable_t &table);
void fill(ze_event_dditable_t &table);
void fill(ze_fence_dditable_t &table);
void fill(ze_module_dditable_t &table);
void fill(ze_module_build_log_dditable_t &table);
void fill(ze_kernel_dditable_t &table);
void fill(ze_kernel_exp_dditable_t &table);
void fill(ze_mem_dditable_t &table);

// Functions that are newer than the headers of this build have no members in the tables, so they are stored by
// position. A position never changes, because new versions only append.
using AnyFunction = void (*)();
template <class Function> AnyFunction any(Function *function) { return reinterpret_cast<AnyFunction>(function); }
void fillNewer(std::span<AnyFunction> slots, const ze_global_dditable_t *);       // zeInitDrivers, 1.10
void fillNewer(std::span<AnyFunction> slots, const ze_driver_dditable_t *);       // zeDriverGetLastErrorDescription, 1.6
void fillNewer(std::span<AnyFunction> slots, const ze_device_dditable_t *);       // zeDeviceGetRootDevice, 1.7
void fillNewer(std::span<AnyFunction> slots, const ze_command_list_dditable_t *); // zeCommandListHostSynchronize, 1.6

} // namespace xt::soft
