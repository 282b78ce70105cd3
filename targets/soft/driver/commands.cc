// Command queues and lists: appended commands run later, in order, on the queue's thread.
#include "targets/soft/driver/checked.h"
#include "targets/soft/driver/objects.h"
#include "targets/soft/driver/report.h"
#include "targets/soft/driver/tables.h"

#include "ir/base/text.h"
#include "targets/faults/fault_guard.h"

#include <bit>
#include <cstring>

namespace xt::soft {
namespace {

using Work = decltype(Command::work);

ze_result_t append(ze_command_list_handle_t handle, ze_event_handle_t signal, uint32_t waitCount, ze_event_handle_t *waits,
                   Work work) {
  CommandList &list = *object(handle);
  XT_ZE_CHECK(checkHandles(waitCount, waits));
  Command command{{}, signal ? object(signal)->signal : nullptr, std::move(work)};
  for (uint32_t i = 0; i < waitCount; ++i) {
    if (!waits[i]) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    command.waits.push_back(object(waits[i])->signal);
  }
  if (!list.immediate) {
    if (list.closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    list.commands.push_back(std::move(command));
    return ZE_RESULT_SUCCESS;
  }
  if (!list.immediate->submit({std::move(command)})) return ZE_RESULT_ERROR_DEVICE_LOST;
  return list.synchronous ? waited(list.immediate->wait(UINT64_MAX)) : ZE_RESULT_SUCCESS;
}

// Returns a report if the bytes begin in an allocation and go beyond its end.
std::optional<std::string> beyond(const char *what, const void *pointer, size_t bytes) {
  std::optional<Allocation> found = DeviceMemory::instance().find(pointer);
  if (!found || found->contains(reinterpret_cast<uint64_t>(pointer), bytes)) return std::nullopt;
  return str("a command ", what, " ", bytes, " bytes from byte ", reinterpret_cast<uint64_t>(pointer) - found->begin,
             " of an allocation of ", found->bytes, " bytes");
}

// Runs code that accesses memory given by the host; returns a report if it faults.
template <class Touch> std::optional<std::string> touching(const char *what, Touch touch) {
  FaultGuard guard;
  std::optional<MemoryFault> fault = guardedCall([](void *body) { (*static_cast<Touch *>(body))(); }, &touch);
  if (!fault) return std::nullopt;
  return str("a command ", what, " an invalid address", fault->address ? str(", at 0x", std::hex, *fault->address) : "");
}

ze_result_t checkQueue(const ze_command_queue_desc_t &desc) {
  XT_ZE_CHECK(checkFlags(desc.flags, kQueueFlags));
  auto mode = static_cast<uint32_t>(desc.mode), priority = static_cast<uint32_t>(desc.priority);
  if (mode > ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS || priority > ZE_COMMAND_QUEUE_PRIORITY_PRIORITY_HIGH)
    return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  if (desc.ordinal >= kQueueGroups || desc.index >= kQueuesOfGroup) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return ZE_RESULT_SUCCESS;
}

std::unique_ptr<WorkQueue> makeQueue(ze_context_handle_t context, ze_device_handle_t device) {
  return std::make_unique<WorkQueue>(std::vector{object(context)->losses, lossesOf(device)});
}

ze_result_t createQueue(ze_context_handle_t context, ze_device_handle_t device, const ze_command_queue_desc_t *desc,
                        ze_command_queue_handle_t *queue) {
  XT_ZE_CHECK(checkQueue(*desc));
  bool synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  *queue = reinterpret_cast<ze_command_queue_handle_t>(new CommandQueue{makeQueue(context, device), synchronous});
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyQueue(ze_command_queue_handle_t queue) {
  delete object(queue);
  return ZE_RESULT_SUCCESS;
}

ze_result_t execute(ze_command_queue_handle_t handle, uint32_t count, ze_command_list_handle_t *lists,
                    ze_fence_handle_t fence) {
  CommandQueue &queue = *object(handle);
  if (!count) return ZE_RESULT_ERROR_INVALID_SIZE;
  if (fence && object(fence)->queue != &queue) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
  std::vector<Command> commands;
  for (uint32_t i = 0; i < count; ++i) {
    if (!lists[i]) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    const CommandList &list = *object(lists[i]);
    if (list.immediate) return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
    if (!list.closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (const Command &command : list.commands) commands.push_back(command);
  }
  if (fence) commands.push_back({{}, object(fence)->signal, nullptr});
  if (!queue.work->submit(std::move(commands))) return ZE_RESULT_ERROR_DEVICE_LOST;
  return queue.synchronous ? waited(queue.work->wait(UINT64_MAX)) : ZE_RESULT_SUCCESS;
}

ze_result_t synchroniseQueue(ze_command_queue_handle_t queue, uint64_t timeout) {
  return waited(object(queue)->work->wait(timeout));
}

ze_result_t createList(ze_context_handle_t, ze_device_handle_t, const ze_command_list_desc_t *desc,
                       ze_command_list_handle_t *list) {
  XT_ZE_CHECK(checkFlags(desc->flags, kListFlags));
  if (desc->commandQueueGroupOrdinal >= kQueueGroups) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *list = reinterpret_cast<ze_command_list_handle_t>(new CommandList);
  return ZE_RESULT_SUCCESS;
}

ze_result_t createImmediate(ze_context_handle_t context, ze_device_handle_t device, const ze_command_queue_desc_t *desc,
                            ze_command_list_handle_t *list) {
  XT_ZE_CHECK(checkQueue(*desc));
  auto *made = new CommandList;
  made->immediate = makeQueue(context, device);
  made->synchronous = desc->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
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

ze_result_t synchroniseList(ze_command_list_handle_t list, uint64_t timeout) {
  if (!object(list)->immediate) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return waited(object(list)->immediate->wait(timeout));
}

ze_result_t writeTimestamp(ze_command_list_handle_t list, uint64_t *to, ze_event_handle_t signal, uint32_t count,
                           ze_event_handle_t *waits) {
  return append(list, signal, count, waits,
                [to](const std::atomic<bool> &) { return touching("writes", [to] { *to = deviceClock(); }); });
}

ze_result_t barrier(ze_command_list_handle_t list, ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  return append(list, signal, count, waits, nullptr);
}

ze_result_t rangesBarrier(ze_command_list_handle_t list, uint32_t, const size_t *, const void **, ze_event_handle_t signal,
                          uint32_t count, ze_event_handle_t *waits) {
  return append(list, signal, count, waits, nullptr);
}

ze_result_t copy(ze_command_list_handle_t list, void *to, const void *from, size_t bytes, ze_event_handle_t signal,
                 uint32_t count, ze_event_handle_t *waits) {
  return append(list, signal, count, waits, [=](const std::atomic<bool> &) -> std::optional<std::string> {
    if (auto bad = beyond("writes", to, bytes)) return bad;
    if (auto bad = beyond("reads", from, bytes)) return bad;
    return touching("copies", [=] { std::memmove(to, from, bytes); });
  });
}

ze_result_t fillMemory(ze_command_list_handle_t list, void *to, const void *pattern, size_t patternBytes, size_t bytes,
                       ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  if (!std::has_single_bit(patternBytes) || patternBytes > kMostPatternBytes || bytes % patternBytes)
    return ZE_RESULT_ERROR_INVALID_SIZE;
  if (reinterpret_cast<uintptr_t>(to) % patternBytes) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
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
ze_result_t advise(ze_command_list_handle_t, ze_device_handle_t, const void *, size_t, ze_memory_advice_t advice) {
  if (static_cast<uint32_t>(advice) > kMostAdvice) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  return ZE_RESULT_SUCCESS;
}

ze_result_t appendSignal(ze_command_list_handle_t list, ze_event_handle_t event) {
  return append(list, event, 0, nullptr, nullptr);
}

ze_result_t waitOnEvents(ze_command_list_handle_t list, uint32_t count, ze_event_handle_t *events) {
  return append(list, nullptr, count, events, nullptr);
}

ze_result_t appendReset(ze_command_list_handle_t list, ze_event_handle_t event) {
  return append(list, nullptr, 0, nullptr,
                [signal = object(event)->signal](const std::atomic<bool> &) -> std::optional<std::string> {
                  signal->reset();
                  return std::nullopt;
                });
}

ze_result_t queryTimestamps(ze_command_list_handle_t list, uint32_t eventCount, ze_event_handle_t *events, void *to,
                            const size_t *offsets, ze_event_handle_t signal, uint32_t count, ze_event_handle_t *waits) {
  std::vector<std::pair<std::shared_ptr<Signal>, size_t>> asked;
  for (uint32_t i = 0; i < eventCount; ++i) {
    if (!events[i] || !object(events[i])->timestamps) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
    asked.emplace_back(object(events[i])->signal, offsets ? offsets[i] : i * sizeof(ze_kernel_timestamp_result_t));
  }
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
  const Kernel &kernel = *object(handle);
  auto request = std::make_shared<LaunchRequest>(kernel.request); // a copy, because the host may change the original
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
                  std::optional<std::string> bad = touching(
                      "reads", [&] { request->groupCount = {groups->groupCountX, groups->groupCountY, groups->groupCountZ}; });
                  if (bad) return bad;
                  std::string mistake = launchMistake(*request, *device);
                  if (!mistake.empty()) return mistake;
                  return runLaunch(*program, *request, *device, stop);
                });
}

} // namespace

void fillNewer(std::span<AnyFunction> slots, const ze_command_list_dditable_t *) { slots[28] = any(checked<synchroniseList>); }

void fill(ze_command_queue_dditable_t &table) {
  table.pfnCreate = checked<createQueue>;
  table.pfnDestroy = checked<destroyQueue>;
  table.pfnExecuteCommandLists = checked<execute, 3>;
  table.pfnSynchronize = checked<synchroniseQueue>;
}

// The events that a command signals and waits for are optional.
void fill(ze_command_list_dditable_t &table) {
  table.pfnCreate = checked<createList>;
  table.pfnCreateImmediate = checked<createImmediate>;
  table.pfnDestroy = checked<destroyList>;
  table.pfnClose = checked<closeList>;
  table.pfnReset = checked<resetList>;
  table.pfnAppendWriteGlobalTimestamp = checked<writeTimestamp, 2, 4>;
  table.pfnAppendBarrier = checked<barrier, 1, 3>;
  table.pfnAppendMemoryRangesBarrier = checked<rangesBarrier, 4, 6>;
  table.pfnAppendMemoryCopy = checked<copy, 4, 6>;
  table.pfnAppendMemoryFill = checked<fillMemory, 5, 7>;
  table.pfnAppendMemoryPrefetch = checked<prefetch>;
  table.pfnAppendMemAdvise = checked<advise>;
  table.pfnAppendSignalEvent = checked<appendSignal>;
  table.pfnAppendWaitOnEvents = checked<waitOnEvents>;
  table.pfnAppendEventReset = checked<appendReset>;
  table.pfnAppendQueryKernelTimestamps = checked<queryTimestamps, 4, 5, 7>;
  table.pfnAppendLaunchKernel = checked<launch, 3, 5>;
  table.pfnAppendLaunchCooperativeKernel = checked<launch, 3, 5>;
  table.pfnAppendLaunchKernelIndirect = checked<launchIndirect, 3, 5>;
}

} // namespace xt::soft
