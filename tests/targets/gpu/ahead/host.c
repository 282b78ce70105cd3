/* Runs @product of a library for Intel GPUs in a context of this program: on memory of the device behind work in this program's queue, and on
 * arrays of the host. Prints what is wrong, and the number of it. */
#include "kernels.h"

#include <level_zero/ze_api.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 128, DEPTH = 64, COLUMNS = 128 };

static int wrong = 0;
static void expect(int good, const char *what) {
  if (good) return;
  printf("wrong: %s\n", what);
  ++wrong;
}

static int differences(const float *a, const float *b, const float *c) {
  int bad = 0;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      float sum = 0;
      for (int k = 0; k < DEPTH; ++k) sum += a[i * DEPTH + k] * b[k * COLUMNS + j];
      bad += sum != c[i * COLUMNS + j];
    }
  return bad;
}

int main(void) {
  ze_driver_handle_t driver;
  ze_device_handle_t device;
  ze_context_handle_t context;
  ze_command_list_handle_t list;
  uint32_t one = 1;
  ze_context_desc_t in_context = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
  ze_command_queue_desc_t in_queue = {ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, NULL, 0, 0, 0,
                                      ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,   0};
  ze_device_mem_alloc_desc_t on_device = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0, 0};
  static float a[ROWS * DEPTH], b[DEPTH * COLUMNS], c[ROWS * COLUMNS];
  char message[300] = "";
  int started = zeInit(0) == 0 && zeDriverGet(&one, &driver) == 0 && zeDeviceGet(driver, &one, &device) == 0 &&
                zeContextCreate(driver, &in_context, &context) == 0 &&
                zeCommandListCreateImmediate(context, device, &in_queue, &list) == 0;
  if (!started) return 2;
  for (int i = 0; i < ROWS * DEPTH; ++i) a[i] = (float)(i % 7 - 3);
  for (int i = 0; i < DEPTH * COLUMNS; ++i) b[i] = (float)(i % 5 - 2);

  expect(kernels_use_level_zero(NULL, device, list, message, sizeof message) == 1 && strstr(message, "context"), "no context");
  expect(kernels_use_level_zero(context, context, list, message, sizeof message) == 6 && strstr(message, "none of those"),
         message);
  expect(kernels_use_level_zero(context, device, list, message, sizeof message) == 0, message);

  void *memory[3] = {NULL, NULL, NULL};
  const size_t bytes[3] = {sizeof a, sizeof b, sizeof c};
  for (int i = 0; i < 3; ++i) expect(zeMemAllocDevice(context, &on_device, bytes[i], 64, device, &memory[i]) == 0, "memory");
  zeCommandListAppendMemoryCopy(list, memory[0], a, sizeof a, NULL, 0, NULL);
  zeCommandListAppendMemoryCopy(list, memory[1], b, sizeof b, NULL, 0, NULL);
  zeCommandListAppendBarrier(list, NULL, 0, NULL);
  const xt_array_2_f32 there[3] = {{memory[0], {ROWS, DEPTH}, {DEPTH, 1}},
                                   {memory[1], {DEPTH, COLUMNS}, {COLUMNS, 1}},
                                   {memory[2], {ROWS, COLUMNS}, {COLUMNS, 1}}};
  expect(kernels_product(&there[0], &there[1], &there[2], message, sizeof message) == 0, message);
  zeCommandListAppendMemoryCopy(list, c, memory[2], sizeof c, NULL, 0, NULL);
  expect(kernels_positive(1, message, sizeof message) == 0, message); /* waits for the queue */
  expect(differences(a, b, c) == 0, "a product on memory of the device");

  const xt_array_2_f32 here[3] = {
      {a, {ROWS, DEPTH}, {DEPTH, 1}}, {b, {DEPTH, COLUMNS}, {COLUMNS, 1}}, {c, {ROWS, COLUMNS}, {COLUMNS, 1}}};
  memset(c, 0xff, sizeof c);
  expect(kernels_product(&here[0], &here[1], &there[2], message, sizeof message) == 0, message);
  expect(kernels_product(&here[0], &there[1], &here[2], message, sizeof message) == 0, message);
  expect(differences(a, b, c) == 0, "a product on memory of both");

  expect(kernels_use_level_zero(context, device, NULL, message, sizeof message) == 0, message);
  memset(c, 0xff, sizeof c);
  expect(kernels_product(&here[0], &there[1], &here[2], message, sizeof message) == 0 && differences(a, b, c) == 0,
         "a list of its own");
  expect(kernels_use_level_zero(NULL, NULL, NULL, message, sizeof message) == 0, message);
  memset(c, 0xff, sizeof c);
  expect(kernels_product(&here[0], &here[1], &here[2], message, sizeof message) == 0 && differences(a, b, c) == 0,
         "no context");
  int32_t few[2] = {0, 1};
  const xt_array_1_i32 of_few = {few, {2}, {1}};
  expect(kernels_use_level_zero(context, device, list, message, sizeof message) == 0, message);
  expect(kernels_stuck(&of_few, message, sizeof message) == 5, "a deadlock in a list of the caller");
  expect(kernels_positive(1, message, sizeof message) == 6 && strstr(message, "list was lost"), message);
  expect(kernels_use_level_zero(NULL, NULL, NULL, message, sizeof message) == 0, message);

  for (int i = 0; i < 3; ++i) zeMemFree(context, memory[i]);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
