// Event pools, events and fences.
#include "targets/soft/driver/checked.h"
#include "targets/soft/driver/objects.h"
#include "targets/soft/driver/tables.h"

namespace xt::soft {
namespace {

ze_result_t createPool(ze_context_handle_t, const ze_event_pool_desc_t *desc, uint32_t count, ze_device_handle_t *devices,
                       ze_event_pool_handle_t *pool) {
  XT_ZE_CHECK(checkFlags(desc->flags, kEventPoolFlags));
  XT_ZE_CHECK(checkHandles(count, devices));
  if (!desc->count) return ZE_RESULT_ERROR_INVALID_SIZE;
  bool timestamps = (desc->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP) != 0;
  *pool = reinterpret_cast<ze_event_pool_handle_t>(new EventPool{timestamps, desc->count, {}});
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyPool(ze_event_pool_handle_t pool) {
  delete object(pool);
  return ZE_RESULT_SUCCESS;
}

ze_result_t createEvent(ze_event_pool_handle_t pool, const ze_event_desc_t *desc, ze_event_handle_t *event) {
  XT_ZE_CHECK(checkFlags(desc->signal | desc->wait, kEventScopeFlags));
  EventPool &from = *object(pool);
  if (desc->index >= from.count) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  std::shared_ptr<Signal> &signal = from.signals[desc->index];
  if (!signal) signal = std::make_shared<Signal>();
  signal->reset();
  *event = reinterpret_cast<ze_event_handle_t>(new Event{signal, from.timestamps});
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyEvent(ze_event_handle_t event) {
  delete object(event);
  return ZE_RESULT_SUCCESS;
}

ze_result_t signalEvent(ze_event_handle_t event) {
  uint64_t now = deviceClock();
  object(event)->signal->set(now, now);
  return ZE_RESULT_SUCCESS;
}

ze_result_t synchroniseEvent(ze_event_handle_t event, uint64_t timeout) { return waited(object(event)->signal->wait(timeout)); }
ze_result_t eventStatus(ze_event_handle_t event) { return waited(object(event)->signal->wait(0)); }

ze_result_t resetEvent(ze_event_handle_t event) {
  object(event)->signal->reset();
  return ZE_RESULT_SUCCESS;
}

ze_result_t timestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t *result) {
  if (!object(event)->timestamps) return ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT;
  const Signal &signal = *object(event)->signal;
  if (ze_result_t status = waited(signal.wait(0)); status != ZE_RESULT_SUCCESS) return status;
  result->global = result->context = {signal.start(), signal.end()};
  return ZE_RESULT_SUCCESS;
}

ze_result_t createFence(ze_command_queue_handle_t queue, const ze_fence_desc_t *desc, ze_fence_handle_t *fence) {
  XT_ZE_CHECK(checkFlags(desc->flags, kFenceFlags));
  auto *made = new Fence{std::make_shared<Signal>(), object(queue)};
  if (desc->flags & ZE_FENCE_FLAG_SIGNALED) made->signal->set(0, 0);
  *fence = reinterpret_cast<ze_fence_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyFence(ze_fence_handle_t fence) {
  delete object(fence);
  return ZE_RESULT_SUCCESS;
}

ze_result_t synchroniseFence(ze_fence_handle_t fence, uint64_t timeout) { return waited(object(fence)->signal->wait(timeout)); }
ze_result_t fenceStatus(ze_fence_handle_t fence) { return waited(object(fence)->signal->wait(0)); }

ze_result_t resetFence(ze_fence_handle_t fence) {
  object(fence)->signal->reset();
  return ZE_RESULT_SUCCESS;
}

} // namespace

void fill(ze_event_pool_dditable_t &table) {
  table.pfnCreate = checked<createPool, 3>;
  table.pfnDestroy = checked<destroyPool>;
}

void fill(ze_event_dditable_t &table) {
  table.pfnCreate = checked<createEvent>;
  table.pfnDestroy = checked<destroyEvent>;
  table.pfnHostSignal = checked<signalEvent>;
  table.pfnHostSynchronize = checked<synchroniseEvent>;
  table.pfnQueryStatus = checked<eventStatus>;
  table.pfnHostReset = checked<resetEvent>;
  table.pfnQueryKernelTimestamp = checked<timestamp>;
}

void fill(ze_fence_dditable_t &table) {
  table.pfnCreate = checked<createFence>;
  table.pfnDestroy = checked<destroyFence>;
  table.pfnHostSynchronize = checked<synchroniseFence>;
  table.pfnQueryStatus = checked<fenceStatus>;
  table.pfnReset = checked<resetFence>;
}

} // namespace xt::soft
