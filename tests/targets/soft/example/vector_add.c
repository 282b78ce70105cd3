/* A program like any other that uses Level Zero: it knows nothing of the software device, which the loader finds by
   ZE_ENABLE_ALT_DRIVERS. vector_add FILE.spv adds two vectors on the first device and checks the result. */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                            \
  do {                                                                                                                         \
    ze_result_t result = (call);                                                                                               \
    if (result != ZE_RESULT_SUCCESS) {                                                                                         \
      printf("%s: 0x%x\n", #call, (unsigned)result);                                                                           \
      exit(1);                                                                                                                 \
    }                                                                                                                          \
  } while (0)

enum { kCount = 4096, kGroup = 64, kLanes = 16 };

static unsigned char *readFile(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size);
  size_t got = fread(bytes, 1, *size, file);
  fclose(file);
  return got == *size ? bytes : NULL;
}

static float *allocate(ze_context_handle_t context, ze_device_handle_t device, size_t count) {
  ze_device_mem_alloc_desc_t onDevice = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
  ze_host_mem_alloc_desc_t onHost = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
  void *memory = NULL;
  CHECK(zeMemAllocShared(context, &onDevice, &onHost, count * sizeof(float), 64, device, &memory));
  return memory;
}

int main(int argc, char **argv) {
  size_t size = 0;
  unsigned char *spirv = argc == 2 ? readFile(argv[1], &size) : NULL;
  if (!spirv) return puts("usage: vector_add FILE.spv"), 64;
  CHECK(zeInit(0));
  uint32_t one = 1;
  ze_driver_handle_t driver;
  CHECK(zeDriverGet(&one, &driver));
  ze_device_handle_t device;
  CHECK(zeDeviceGet(driver, &one, &device));
  ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
  CHECK(zeDeviceGetProperties(device, &properties));
  printf("device: %s\n", properties.name);
  ze_context_desc_t contextDesc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
  ze_context_handle_t context;
  CHECK(zeContextCreate(driver, &contextDesc, &context));

  ze_module_desc_t moduleDesc = {
      .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV, .inputSize = size, .pInputModule = spirv};
  ze_module_handle_t module;
  CHECK(zeModuleCreate(context, device, &moduleDesc, &module, NULL));
  ze_kernel_desc_t kernelDesc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "vector_add"};
  ze_kernel_handle_t kernel;
  CHECK(zeKernelCreate(module, &kernelDesc, &kernel));
  float *a = allocate(context, device, kCount), *b = allocate(context, device, kCount), *c = allocate(context, device, kCount);
  float *sums = allocate(context, device, kCount / kLanes);
  for (int i = 0; i < kCount; ++i) a[i] = (float)i, b[i] = (float)(2 * i);
  float *arguments[] = {a, b, c, sums};
  for (uint32_t i = 0; i < 4; ++i) CHECK(zeKernelSetArgumentValue(kernel, i, sizeof(float *), &arguments[i]));
  CHECK(zeKernelSetGroupSize(kernel, kGroup, 1, 1));

  ze_command_queue_desc_t queueDesc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
  ze_command_queue_handle_t queue;
  CHECK(zeCommandQueueCreate(context, device, &queueDesc, &queue));
  ze_command_list_desc_t listDesc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
  ze_command_list_handle_t list;
  CHECK(zeCommandListCreate(context, device, &listDesc, &list));
  ze_group_count_t groups = {kCount / kGroup, 1, 1};
  CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
  CHECK(zeCommandListClose(list));
  CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));

  int wrong = 0;
  for (int i = 0; i < kCount; ++i) wrong += c[i] != (float)(3 * i);
  for (int s = 0; s < kCount / kLanes; ++s) wrong += sums[s] != (float)(3 * (s * kLanes * kLanes + kLanes * (kLanes - 1) / 2));
  printf("%d wrong of %d\n", wrong, kCount + kCount / kLanes);
  for (int i = 0; i < 4; ++i) CHECK(zeMemFree(context, arguments[i]));
  CHECK(zeCommandListDestroy(list));
  CHECK(zeCommandQueueDestroy(queue));
  CHECK(zeKernelDestroy(kernel));
  CHECK(zeModuleDestroy(module));
  CHECK(zeContextDestroy(context));
  free(spirv);
  return wrong != 0;
}
