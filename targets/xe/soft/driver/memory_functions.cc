// Unified shared memory: all three kinds are memory of this machine.
#include "targets/xe/soft/driver/objects.h"
#include "targets/xe/soft/driver/tables.h"

namespace xt::soft {
namespace {

ze_result_t allocate(size_t size, size_t alignment, MemoryKind kind, void **pointer) {
  if (!pointer) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (!size) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  if (alignment & (alignment - 1)) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
  *pointer = DeviceMemory::instance().allocate(size, alignment, kind);
  return *pointer ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}

ze_result_t allocateShared(ze_context_handle_t, const ze_device_mem_alloc_desc_t *, const ze_host_mem_alloc_desc_t *,
                           size_t size, size_t alignment, ze_device_handle_t, void **pointer) {
  return allocate(size, alignment, MemoryKind::Shared, pointer);
}

ze_result_t allocateDevice(ze_context_handle_t, const ze_device_mem_alloc_desc_t *, size_t size, size_t alignment,
                           ze_device_handle_t, void **pointer) {
  return allocate(size, alignment, MemoryKind::Device, pointer);
}

ze_result_t allocateHost(ze_context_handle_t, const ze_host_mem_alloc_desc_t *, size_t size, size_t alignment,
                         void **pointer) {
  return allocate(size, alignment, MemoryKind::Host, pointer);
}

ze_result_t freeMemory(ze_context_handle_t, void *pointer) {
  return DeviceMemory::instance().free(pointer) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t freeLater(ze_context_handle_t context, const ze_memory_free_ext_desc_t *, void *pointer) {
  return freeMemory(context, pointer);
}

ze_memory_type_t typeOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Device: return ZE_MEMORY_TYPE_DEVICE;
  case MemoryKind::Host: return ZE_MEMORY_TYPE_HOST;
  case MemoryKind::Shared: return ZE_MEMORY_TYPE_SHARED;
  }
  return ZE_MEMORY_TYPE_UNKNOWN;
}

ze_result_t properties(ze_context_handle_t, const void *pointer, ze_memory_allocation_properties_t *p,
                       ze_device_handle_t *device) {
  std::optional<Allocation> found = DeviceMemory::instance().find(pointer);
  p->type = found ? typeOf(found->kind) : ZE_MEMORY_TYPE_UNKNOWN;
  p->id = found ? found->id : 0;
  p->pageSize = found ? 4096 : 0;
  bool onDevice = found && found->kind != MemoryKind::Host;
  if (device) *device = onDevice ? reinterpret_cast<ze_device_handle_t>(driver().devices.data()) : nullptr;
  return ZE_RESULT_SUCCESS;
}

ze_result_t addressRange(ze_context_handle_t, const void *pointer, void **base, size_t *size) {
  std::optional<Allocation> found = DeviceMemory::instance().find(pointer);
  if (!found) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (base) *base = reinterpret_cast<void *>(found->begin);
  if (size) *size = found->bytes;
  return ZE_RESULT_SUCCESS;
}

} // namespace

void fill(ze_mem_dditable_t &table) {
  table.pfnAllocShared = allocateShared;
  table.pfnAllocDevice = allocateDevice;
  table.pfnAllocHost = allocateHost;
  table.pfnFree = freeMemory;
  table.pfnFreeExt = freeLater;
  table.pfnGetAllocProperties = properties;
  table.pfnGetAddressRange = addressRange;
}

} // namespace xt::soft
