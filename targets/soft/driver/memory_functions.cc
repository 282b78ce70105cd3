// Unified shared memory: all three kinds are memory of this machine.
#include "targets/soft/driver/checked.h"
#include "targets/soft/driver/objects.h"
#include "targets/soft/driver/tables.h"

namespace xt::soft {
namespace {

// Whether the host requests to exceed the usual limit for a single allocation.
bool isRelaxed(const void *extension) {
  for (; extension; extension = static_cast<const ze_base_desc_t *>(extension)->pNext) {
    const auto *desc = static_cast<const ze_relaxed_allocation_limits_exp_desc_t *>(extension);
    if (desc->stype == ZE_STRUCTURE_TYPE_RELAXED_ALLOCATION_LIMITS_EXP_DESC)
      return desc->flags & ZE_RELAXED_ALLOCATION_LIMITS_EXP_FLAG_MAX_SIZE;
  }
  return false;
}

ze_result_t allocate(size_t size, size_t alignment, MemoryKind kind, const void *extension, void **pointer) {
  if (!size || (size > largestAllocation() && !isRelaxed(extension))) return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  if ((alignment & (alignment - 1)) || alignment > largestAllocation()) return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
  *pointer = DeviceMemory::instance().allocate(size, alignment, kind);
  if (*pointer) return ZE_RESULT_SUCCESS;
  return kind == MemoryKind::Host ? ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY : ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
}

ze_result_t allocateShared(ze_context_handle_t, const ze_device_mem_alloc_desc_t *desc,
                           const ze_host_mem_alloc_desc_t *hostDesc, size_t size, size_t alignment, ze_device_handle_t,
                           void **pointer) {
  XT_ZE_CHECK(checkFlags(desc->flags, kDeviceMemoryFlags));
  XT_ZE_CHECK(checkFlags(hostDesc->flags, kHostMemoryFlags));
  return allocate(size, alignment, MemoryKind::Shared, desc->pNext, pointer);
}

ze_result_t allocateDevice(ze_context_handle_t, const ze_device_mem_alloc_desc_t *desc, size_t size, size_t alignment,
                           ze_device_handle_t, void **pointer) {
  XT_ZE_CHECK(checkFlags(desc->flags, kDeviceMemoryFlags));
  return allocate(size, alignment, MemoryKind::Device, desc->pNext, pointer);
}

ze_result_t allocateHost(ze_context_handle_t, const ze_host_mem_alloc_desc_t *desc, size_t size, size_t alignment,
                         void **pointer) {
  XT_ZE_CHECK(checkFlags(desc->flags, kHostMemoryFlags));
  return allocate(size, alignment, MemoryKind::Host, desc->pNext, pointer);
}

ze_result_t freeMemory(ze_context_handle_t, void *pointer) {
  return DeviceMemory::instance().free(pointer) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t freeLater(ze_context_handle_t context, const ze_memory_free_ext_desc_t *desc, void *pointer) {
  XT_ZE_CHECK(checkFlags(desc->freePolicy, kFreePolicyFlags));
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
  if (!found) return kAddressNotFound;
  if (base) *base = reinterpret_cast<void *>(found->begin);
  if (size) *size = found->bytes;
  return ZE_RESULT_SUCCESS;
}

} // namespace

void fill(ze_mem_dditable_t &table) {
  table.pfnAllocShared = checked<allocateShared, 5>;
  table.pfnAllocDevice = checked<allocateDevice>;
  table.pfnAllocHost = checked<allocateHost>;
  table.pfnFree = checked<freeMemory>;
  table.pfnFreeExt = checked<freeLater>;
  table.pfnGetAllocProperties = checked<properties, 3>;
  table.pfnGetAddressRange = checked<addressRange, 2, 3>;
}

} // namespace xt::soft
