// What the handles of Level Zero stand for. Each is made by its create function and deleted by its destroy function.
#pragma once
#include "targets/xe/soft/driver/work_queue.h"
#include "targets/xe/soft/launch.h"

#include <level_zero/ze_api.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace xt::soft {

// There is one driver; handles of its devices are addresses of these.
struct Driver {
  std::vector<DeviceSettings> devices;
};
Driver &driver();

struct Context {};

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
  LaunchRequest request; // what is set so far
  uint32_t groupSize[3] = {1, 1, 1};
  ze_kernel_indirect_access_flags_t indirect = 0;
};

struct EventPool {
  bool timestamps = false;
  std::vector<std::shared_ptr<Signal>> signals;
};

struct Event {
  std::shared_ptr<Signal> signal;
};

struct CommandQueue {
  std::unique_ptr<WorkQueue> work;
  bool synchronous = false;
};

struct CommandList {
  std::vector<Command> commands;        // of one that is executed later
  std::unique_ptr<WorkQueue> immediate; // of one that executes at once
  bool synchronous = false, closed = false;
};

struct Fence {
  std::shared_ptr<Signal> signal;
  CommandQueue *queue = nullptr;
};

// Handles are the objects' addresses.
inline const DeviceSettings *object(ze_device_handle_t handle) {
  return reinterpret_cast<const DeviceSettings *>(handle);
}
inline Context *object(ze_context_handle_t handle) { return reinterpret_cast<Context *>(handle); }
inline Module *object(ze_module_handle_t handle) { return reinterpret_cast<Module *>(handle); }
inline BuildLog *object(ze_module_build_log_handle_t handle) { return reinterpret_cast<BuildLog *>(handle); }
inline Kernel *object(ze_kernel_handle_t handle) { return reinterpret_cast<Kernel *>(handle); }
inline EventPool *object(ze_event_pool_handle_t handle) { return reinterpret_cast<EventPool *>(handle); }
inline Event *object(ze_event_handle_t handle) { return reinterpret_cast<Event *>(handle); }
inline CommandQueue *object(ze_command_queue_handle_t handle) { return reinterpret_cast<CommandQueue *>(handle); }
inline CommandList *object(ze_command_list_handle_t handle) { return reinterpret_cast<CommandList *>(handle); }
inline Fence *object(ze_fence_handle_t handle) { return reinterpret_cast<Fence *>(handle); }

// Level Zero's code for how waiting ended.
ze_result_t waited(WaitResult result);

} // namespace xt::soft
