/* probe FILE.spv WAY: one kernel `k` with one pointer, launched and waited for in one WAY. Prints Level Zero's codes. The way
     "drivers" initialises by zeInitDrivers, which loaders have from 1.10 of Level Zero on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <level_zero/ze_api.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static ze_driver_handle_t driver;
static ze_device_handle_t device;
static ze_context_handle_t context;
static ze_kernel_handle_t kernel;
static ze_command_queue_handle_t queue;
static ze_group_count_t groups = {64, 1, 1};

/* As in headers of 1.10. */
typedef struct {
  ze_structure_type_t stype;
  const void *pNext;
  uint32_t flags;
} init_drivers_desc;
typedef ze_result_t (*init_drivers)(uint32_t *, ze_driver_handle_t *, init_drivers_desc *);

static ze_result_t initialise(const char *way) {
  uint32_t one = 1;
  if (strcmp(way, "drivers")) {
    ze_result_t result = zeInit(0);
    return result == ZE_RESULT_SUCCESS ? zeDriverGet(&one, &driver) : result;
  }
  init_drivers init = (init_drivers)(uintptr_t)dlsym(RTLD_DEFAULT, "zeInitDrivers");
  init_drivers_desc desc = {.stype = (ze_structure_type_t)0x00020021, .flags = 1};
  return init ? init(&one, &driver, &desc) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

static int start(const char *way) {
  uint32_t one = 1;
  ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
  ze_result_t result = initialise(way);
  if (result == ZE_RESULT_SUCCESS) result = zeDeviceGet(driver, &one, &device);
  if (result == ZE_RESULT_SUCCESS) result = zeContextCreate(driver, &desc, &context);
  if (result != ZE_RESULT_SUCCESS) printf("no device: 0x%x\n", (unsigned)result);
  return result == ZE_RESULT_SUCCESS;
}

static int build(const char *path) {
  static unsigned char spirv[1 << 20];
  FILE *file = fopen(path, "rb");
  if (!file) return 0;
  size_t size = fread(spirv, 1, sizeof spirv, file);
  fclose(file);
  ze_module_desc_t desc = {
      .stype = ZE_STRUCTURE_TYPE_MODULE_DESC, .format = ZE_MODULE_FORMAT_IL_SPIRV, .inputSize = size, .pInputModule = spirv};
  ze_module_handle_t module;
  ze_module_build_log_handle_t log;
  ze_result_t result = zeModuleCreate(context, device, &desc, &module, &log);
  static char text[4096];
  size_t length = sizeof text;
  zeModuleBuildLogGetString(log, &length, text);
  printf("module: 0x%x\nbuild log: %s\n", (unsigned)result, text);
  zeModuleBuildLogDestroy(log);
  ze_kernel_desc_t kernelDesc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "k"};
  return result == ZE_RESULT_SUCCESS && zeKernelCreate(module, &kernelDesc, &kernel) == ZE_RESULT_SUCCESS;
}

static void lastError(void) {
  void *function = NULL;
  if (zeDriverGetExtensionFunctionAddress(driver, "xtSoftLastError", &function) != ZE_RESULT_SUCCESS) return;
  const char *(*last)(void) = (const char *(*)(void))(uintptr_t)function;
  printf("last error: %s\n", last());
}

/* One launch in a list of its own, with a fence and an event. */
static ze_result_t launch(ze_event_handle_t event, ze_fence_handle_t fence) {
  ze_command_list_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
  ze_command_list_handle_t list;
  ze_result_t result = zeCommandListCreate(context, device, &desc, &list);
  if (result == ZE_RESULT_SUCCESS) result = zeCommandListAppendLaunchKernel(list, kernel, &groups, event, 0, NULL);
  if (result == ZE_RESULT_SUCCESS) result = zeCommandListClose(list);
  return result == ZE_RESULT_SUCCESS ? zeCommandQueueExecuteCommandLists(queue, 1, &list, fence) : result;
}

static ze_event_handle_t newEvent(void) {
  ze_event_pool_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                               .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                               .count = 1};
  ze_event_pool_handle_t pool;
  ze_event_desc_t eventDesc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
  ze_event_handle_t event = NULL;
  if (zeEventPoolCreate(context, &desc, 1, &device, &pool) == ZE_RESULT_SUCCESS) zeEventCreate(pool, &eventDesc, &event);
  return event;
}

static ze_result_t commands(int *memory) {
  static int back[4096];
  int seven = 7;
  ze_event_handle_t filled = newEvent(), done = newEvent(), copied = newEvent();
  ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
  ze_command_list_handle_t list;
  ze_result_t result = zeCommandListCreateImmediate(context, device, &desc, &list);
  groups.groupCountX = 4096 / 64;
  zeKernelSetGroupSize(kernel, 64, 1, 1);
  if (result == ZE_RESULT_SUCCESS)
    result = zeCommandListAppendMemoryFill(list, memory, &seven, sizeof seven, sizeof back, filled, 0, NULL);
  if (result == ZE_RESULT_SUCCESS) result = zeCommandListAppendLaunchKernel(list, kernel, &groups, done, 1, &filled);
  if (result == ZE_RESULT_SUCCESS) result = zeCommandListAppendMemoryCopy(list, back, memory, sizeof back, copied, 1, &done);
  if (result == ZE_RESULT_SUCCESS) result = zeEventHostSynchronize(copied, UINT64_MAX);
  int sum = 0;
  for (int i = 0; i < 4096; ++i) sum += back[i];
  ze_kernel_timestamp_result_t first, second;
  zeEventQueryKernelTimestamp(done, &first);
  zeEventQueryKernelTimestamp(copied, &second);
  int forward = first.global.kernelStart < first.global.kernelEnd && first.global.kernelEnd <= second.global.kernelStart;
  printf("sum: %d\ntime: %s\n", sum, forward ? "forward" : "wrong");
  zeCommandListDestroy(list);
  return result;
}

static ze_result_t go(const char *way, int *memory) {
  ze_command_queue_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
  ze_result_t result = zeCommandQueueCreate(context, device, &desc, &queue);
  if (result != ZE_RESULT_SUCCESS) return result;
  if (!strcmp(way, "commands")) return commands(memory);
  if (!strcmp(way, "queue") || !strcmp(way, "drivers")) return launch(NULL, NULL), zeCommandQueueSynchronize(queue, UINT64_MAX);
  if (!strcmp(way, "timeout")) {
    launch(NULL, NULL);
    result = zeCommandQueueSynchronize(queue, 50000000);
    zeCommandQueueDestroy(queue);
    return result;
  }
  if (!strcmp(way, "event")) {
    ze_event_handle_t event = newEvent();
    launch(event, NULL);
    return zeEventHostSynchronize(event, UINT64_MAX);
  }
  if (!strcmp(way, "fence")) {
    ze_fence_desc_t fenceDesc = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    zeFenceCreate(queue, &fenceDesc, &fence);
    launch(NULL, fence);
    return zeFenceHostSynchronize(fence, UINT64_MAX);
  }
  desc.mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  ze_command_list_handle_t list;
  zeCommandListCreateImmediate(context, device, &desc, &list);
  return zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL);
}

int main(int argc, char **argv) {
  if (argc != 3) return puts("usage: probe FILE.spv WAY"), 64;
  if (!start(argv[2])) return 1;
  if (!build(argv[1]) || !strcmp(argv[2], "module")) return 0;
  ze_device_mem_alloc_desc_t onDevice = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
  void *memory;
  zeMemAllocDevice(context, &onDevice, 4096 * sizeof(int), 64, device, &memory);
  memset(memory, 0, 4096 * sizeof(int)); /* the software device's memory is this machine's */
  zeKernelSetArgumentValue(kernel, 0, sizeof memory, &memory);
  zeKernelSetGroupSize(kernel, 16, 1, 1);
  printf("%s: 0x%x\n", argv[2], (unsigned)go(argv[2], memory));
  lastError();
  return 0;
}
