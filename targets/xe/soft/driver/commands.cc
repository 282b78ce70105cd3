// Command queues and lists: what is appended runs later, in order, on the queue's thread.
#include "targets/xe/soft/driver/objects.h"
#include "targets/xe/soft/driver/report.h"
#include "targets/xe/soft/driver/tables.h"

#include "ir/base/text.h"
#include "targets/faults/fault_guard.h"

#include <cstring>

namespace xt::soft {
namespace {

using Work = decltype(Command::work);

ze_result_t append(ze_command_list_handle_t handle, ze_event_handle_t signal, uint32_t waitCount,
                   ze_event_handle_t *waits, Work work) {
  CommandList &list = *object(handle);
  if (waitCount && !waits) return ZE_RESULT_ERROR_INVALID_SIZE;
  Command command{{}, signal ? object(signal)->signal : nullptr, std::move(work)};
  for (uint32_t i = 0; i < waitCount; ++i) command.waits.push_back(object(waits[i])->signal);
  if (!list.immediate) {
    if (list.closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    list.commands.push_back(std::move(command));
    return ZE_RESULT_SUCCESS;
  }
  list.immediate->submit({std::move(command)});
  return list.synchronous ? waited(list.immediate->wait(UINT64_MAX)) : ZE_RESULT_SUCCESS;
}

// A report if the bytes begin in an allocation and go beyond it.
std::optional<std::string> beyond(const char *what, const void *pointer, size_t bytes) {
  std::optional<Allocation> found = DeviceMemory::instance().find(pointer);
  if (!found || found->contains(reinterpret_cast<uint64_t>(pointer), bytes)) return std::nullopt;
  return str("a command ", what, " ", bytes, " bytes from byte ", reinterpret_cast<uint64_t>(pointer) - found->begin,
             " of an allocation of ", found->bytes, " bytes");
}

// Runs what touches memory of the host's choice; a report where that is not there.
template <class Touch> std::optional<std::string> touching(const char *what, Touch touch) {
  FaultGuard guard;
  std::optional<MemoryFault> fault = guardedCall([](void *body) { (*static_cast<Touch *>(body))(); }, &touch);
  if (!fault) return std::nullopt;
  return str("a command ", what, " memory that is not there",
             fault->address ? str(", at 0x", std::hex, *fault->address) : "");
}

ze_result_t createQueue(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t *desc,
                        ze_command_queue_handle_t *queue) {
  bool synchronous = desc && desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  *queue = reinterpret_cast<ze_command_queue_handle_t>(new CommandQueue{std::make_unique<WorkQueue>(), synchronous});
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyQueue(ze_command_queue_handle_t queue) {
  delete object(queue);
  return ZE_RESULT_SUCCESS;
}

ze_result_t execute(ze_command_queue_handle_t handle, uint32_t count, ze_command_list_handle_t *lists,
                    ze_fence_handle_t fence) {
  CommandQueue &queue = *object(handle);
  std::vector<Command> commands;
  for (uint32_t i = 0; i < count; ++i) {
    if (!object(lists[i])->closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (const Command &command : object(lists[i])->commands) commands.push_back(command);
  }
  if (fence) commands.push_back({{}, object(fence)->signal, nullptr});
  queue.work->submit(std::move(commands));
  return queue.synchronous ? waited(queue.work->wait(UINT64_MAX)) : ZE_RESULT_SUCCESS;
}

ze_result_t synchroniseQueue(ze_command_queue_handle_t queue, uint64_t timeout) {
  return waited(object(queue)->work->wait(timeout));
}

ze_result_t createList(ze_context_handle_t, ze_device_handle_t, const ze_command_list_desc_t *,
                       ze_command_list_handle_t *list) {
  *list = reinterpret_cast<ze_command_list_handle_t>(new CommandList);
  return ZE_RESULT_SUCCESS;
}

ze_result_t createImmediate(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t *desc,
                            ze_command_list_handle_t *list) {
  auto *made = new CommandList;
  made->immediate = std::make_unique<WorkQueue>();
  made->synchronous = desc && desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  *list = reinterpret_cast<ze_command_list_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyList(ze_command_list_handle_t list) {
  delete object(list);
  return ZE_RESULT_SUCCESS;
}

ze_result_t closeList(ze_command_list_handle_t list) {
  object(list)->closed = true;
  return ZE_RESULT_SUCCESS;
}

ze_result_t resetList(ze_command_list_handle_t list) {
  object(list)->commands.clear();
  object(list)->closed = false;
  return ZE_RESULT_SUCCESS;
}

#if ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 6)
ze_result_t synchroniseList(ze_command_list_handle_t list, uint64_t timeout) {
  if (!object(list)->immediate) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return waited(object(list)->immediate->wait(timeout));
}
#endif

ze_result_t writeTimestamp(ze_command_list_handle_t list, uint64_t *to, ze_event_handle_t signal, uint32_t count,
                           ze_event_handle_t *waits) {
  return append(list, signal, count, waits,
                [to](const std::atomic<bool> &) { return touching("writes", [to] { *to = deviceClock(); }); });
}

ze_result_t barrier(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  return append(list, signal, count, waits, nullptr);
}

ze_result_t rangesBarrier(ze_command_list_handle_t list, uint32_t, const size_t *, const void **,
                          ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  return append(list, signal, count, waits, nullptr);
}

ze_result_t copy(ze_command_list_handle_t list, void *to, const void *from, size_t bytes, ze_event_handle_t signal,
                 uint32_t count, ze_event_handle_t *waits) {
  if (!to || !from) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  return append(list, signal, count, waits, [=](const std::atomic<bool> &) -> std::optional<std::string> {
    if (auto bad = beyond("writes", to, bytes)) return bad;
    if (auto bad = beyond("reads", from, bytes)) return bad;
    return touching("copies", [=] { std::memmove(to, from, bytes); });
  });
}

ze_result_t fillMemory(ze_command_list_handle_t list, void *to, const void *pattern, size_t patternBytes, size_t bytes,
                       ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  if (!to || !pattern) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (!patternBytes) return ZE_RESULT_ERROR_INVALID_SIZE;
  const auto *first = static_cast<const std::byte *>(pattern);
  std::vector<std::byte> kept(first, first + patternBytes);
  return append(list, signal, count, waits, [to, bytes, kept](const std::atomic<bool> &) -> std::optional<std::string> {
    if (auto bad = beyond("fills", to, bytes)) return bad;
    return touching("fills", [&] {
      for (size_t i = 0; i < bytes; i += kept.size())
        std::memcpy(static_cast<std::byte *>(to) + i, kept.data(), std::min(kept.size(), bytes - i));
    });
  });
}

ze_result_t prefetch(ze_command_list_handle_t, const void *, size_t) { return ZE_RESULT_SUCCESS; }
ze_result_t advise(ze_command_list_handle_t, ze_device_handle_t, const void *, size_t, ze_memory_advice_t) {
  return ZE_RESULT_SUCCESS;
}

ze_result_t signalEvent(ze_command_list_handle_t list, ze_event_handle_t event) {
  return append(list, event, 0, nullptr, nullptr);
}

ze_result_t waitOnEvents(ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *events) {
  return append(list, nullptr, count, events, nullptr);
}

ze_result_t resetEvent(ze_command_list_handle_t list, ze_event_handle_t event) {
  return append(list, nullptr, 0, nullptr,
                [signal = object(event)->signal](const std::atomic<bool> &) -> std::optional<std::string> {
                  signal->reset();
                  return std::nullopt;
                });
}

ze_result_t queryTimestamps(ze_command_list_handle_t list, uint32_t eventCount, ze_event_handle_t *events, void *to,
                            const size_t *offsets, ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  std::vector<std::pair<std::shared_ptr<Signal>, size_t>> asked;
  for (uint32_t i = 0; i < eventCount; ++i)
    asked.emplace_back(object(events[i])->signal, offsets ? offsets[i] : i * sizeof(ze_kernel_timestamp_result_t));
  return append(list, signal, count, waits, [asked, to](const std::atomic<bool> &) {
    return touching("writes", [&] {
      for (const auto &[each, offset] : asked) {
        ze_kernel_timestamp_data_t span{each->start(), each->end()};
        ze_kernel_timestamp_result_t result{span, span};
        std::memcpy(static_cast<std::byte *>(to) + offset, &result, sizeof result);
      }
    });
  });
}

ze_result_t launch(ze_command_list_handle_t list, ze_kernel_handle_t handle, const ze_group_count_t *groups,
                   ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  if (!groups) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const Kernel &kernel = *object(handle);
  auto request = std::make_shared<LaunchRequest>(kernel.request); // as it is now: the host may set it anew
  request->groupCount = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
  std::string mistake = launchMistake(*request, *kernel.device);
  if (!mistake.empty()) {
    report(mistake);
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  }
  return append(list, signal, count, waits,
                [program = kernel.program, device = kernel.device, request](const std::atomic<bool> &stop) {
                  return runLaunch(*program, *request, *device, stop);
                });
}

ze_result_t launchIndirect(ze_command_list_handle_t list, ze_kernel_handle_t handle, const ze_group_count_t *groups,
                           ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  const Kernel &kernel = *object(handle);
  auto request = std::make_shared<LaunchRequest>(kernel.request);
  return append(list, signal, count, waits,
                [program = kernel.program, device = kernel.device, request,
                 groups](const std::atomic<bool> &stop) -> std::optional<std::string> {
                  std::optional<std::string> bad = touching("reads", [&] {
                    request->groupCount = {groups->groupCountX, groups->groupCountY, groups->groupCountZ};
                  });
                  if (bad) return bad;
                  std::string mistake = launchMistake(*request, *device);
                  if (!mistake.empty()) return mistake;
                  return runLaunch(*program, *request, *device, stop);
                });
}

} // namespace

void fill(ze_command_queue_dditable_t &table) {
  table.pfnCreate = createQueue;
  table.pfnDestroy = destroyQueue;
  table.pfnExecuteCommandLists = execute;
  table.pfnSynchronize = synchroniseQueue;
}

void fill(ze_command_list_dditable_t &table) {
  table.pfnCreate = createList;
  table.pfnCreateImmediate = createImmediate;
  table.pfnDestroy = destroyList;
  table.pfnClose = closeList;
  table.pfnReset = resetList;
#if ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 6)
  table.pfnHostSynchronize = synchroniseList;
#endif
  table.pfnAppendWriteGlobalTimestamp = writeTimestamp;
  table.pfnAppendBarrier = barrier;
  table.pfnAppendMemoryRangesBarrier = rangesBarrier;
  table.pfnAppendMemoryCopy = copy;
  table.pfnAppendMemoryFill = fillMemory;
  table.pfnAppendMemoryPrefetch = prefetch;
  table.pfnAppendMemAdvise = advise;
  table.pfnAppendSignalEvent = signalEvent;
  table.pfnAppendWaitOnEvents = waitOnEvents;
  table.pfnAppendEventReset = resetEvent;
  table.pfnAppendQueryKernelTimestamps = queryTimestamps;
  table.pfnAppendLaunchKernel = launch;
  table.pfnAppendLaunchCooperativeKernel = launch;
  table.pfnAppendLaunchKernelIndirect = launchIndirect;
}

} // namespace xt::soft
