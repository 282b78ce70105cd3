// The objects that Level Zero's handles refer to. Each is created by its create function and deleted by its destroy function.
#pragma once
#include "targets/soft/driver/work_queue.h"
#include "targets/soft/launch.h"

#include <level_zero/ze_api.h>

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace xt::soft {

inline constexpr uint32_t kQueueGroups = 1, kQueuesOfGroup = 1;
inline constexpr size_t kMostPatternBytes = 1 << 16, kMostModuleBytes = size_t{1} << 30;

// The only driver. A device's handle is the address of its element in `devices`.
struct Driver {
  std::vector<DeviceSettings> devices;
  std::vector<std::shared_ptr<Losses>> losses; // one per device
};
Driver &driver();
std::shared_ptr<Losses> lossesOf(ze_device_handle_t device);
uint64_t largestAllocation(); // bytes

struct Context {
  std::shared_ptr<Losses> losses; // counts lost queues of the context
};

struct BuildLog {
  std::string text;
};

struct Module {
  std::shared_ptr<Program> program;
  const DeviceSettings *device = nullptr;
};

struct Kernel {
  std::shared_ptr<Program> program;
  const DeviceSettings *device = nullptr;
  LaunchRequest request; // with the arguments that have been set so far
  uint32_t groupSize[3] = {1, 1, 1};
  ze_kernel_indirect_access_flags_t indirect = 0;
};

struct EventPool {
  bool timestamps = false;
  uint32_t count = 0;
  std::map<uint32_t, std::shared_ptr<Signal>> signals; // created on first use: a host may request very large pools
};

struct Event {
  std::shared_ptr<Signal> signal;
  bool timestamps = false;
};

struct CommandQueue {
  std::unique_ptr<WorkQueue> work;
  bool synchronous = false;
};

struct CommandList {
  std::vector<Command> commands;        // the commands of a list that is executed later
  std::unique_ptr<WorkQueue> immediate; // the queue of an immediate list; null for other lists
  bool synchronous = false, closed = false;
};

struct Fence {
  std::shared_ptr<Signal> signal;
  CommandQueue *queue = nullptr;
};

// Handles are the objects' addresses.
inline const DeviceSettings *object(ze_device_handle_t handle) { return reinterpret_cast<const DeviceSettings *>(handle); }
inline Context *object(ze_context_handle_t handle) { return reinterpret_cast<Context *>(handle); }
inline Module *object(ze_module_handle_t handle) { return reinterpret_cast<Module *>(handle); }
inline BuildLog *object(ze_module_build_log_handle_t handle) { return reinterpret_cast<BuildLog *>(handle); }
inline Kernel *object(ze_kernel_handle_t handle) { return reinterpret_cast<Kernel *>(handle); }
inline EventPool *object(ze_event_pool_handle_t handle) { return reinterpret_cast<EventPool *>(handle); }
inline Event *object(ze_event_handle_t handle) { return reinterpret_cast<Event *>(handle); }
inline CommandQueue *object(ze_command_queue_handle_t handle) { return reinterpret_cast<CommandQueue *>(handle); }
inline CommandList *object(ze_command_list_handle_t handle) { return reinterpret_cast<CommandList *>(handle); }
inline Fence *object(ze_fence_handle_t handle) { return reinterpret_cast<Fence *>(handle); }

// Returns INVALID_SIZE if the count of a list of handles is not 0 but the list is missing.
template <class Handle> ze_result_t checkHandles(uint32_t count, const Handle *handles) {
  return count && !handles ? ZE_RESULT_ERROR_INVALID_SIZE : ZE_RESULT_SUCCESS;
}

// Level Zero's result code for the end of a wait.
ze_result_t waited(WaitResult result);

} // namespace xt::soft
