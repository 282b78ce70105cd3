#include "tests/targets/xe/fake/fake_opencl.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace xt::test {

void *FakeOpenCl::make(size_t bytes) {
  void *object = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  live.insert(object);
  return object;
}

cl_int FakeOpenCl::free(void *object) {
  if (live.erase(object) == 0)
    ++wrongFrees;
  else
    std::free(object);
  return CL_SUCCESS;
}

namespace {

FakeOpenCl &fake() { return *FakeOpenCl::current; }

// Lets a call fail if the test wants it to; otherwise the call continues with the code below.
#define XT_ENTER(name)                                                                                                         \
  if (cl_int entered = fake().enter(#name); entered != CL_SUCCESS) return entered
// The same for calls that create an object and store the result code in `*result`.
#define XT_ENTER_MAKING(name)                                                                                                  \
  *result = fake().enter(#name);                                                                                               \
  if (*result != CL_SUCCESS) return nullptr

template <class T> cl_int give(const T *value, size_t bytes, size_t room, void *out, size_t *size) {
  if (size) *size = bytes;
  if (out) std::memcpy(out, value, std::min(bytes, room));
  return CL_SUCCESS;
}
template <class T> cl_int give(T value, size_t room, void *out, size_t *size) {
  return give(&value, sizeof value, room, out, size);
}
cl_int give(const std::string &text, size_t room, void *out, size_t *size) {
  return give(text.c_str(), text.size() + 1, room, out, size);
}

template <class T> cl_int one(cl_uint room, T *out, cl_uint *count) {
  if (out && room > 0) out[0] = reinterpret_cast<T>(&fake());
  if (count) *count = 1;
  return CL_SUCCESS;
}

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id *out, cl_uint *count) {
  XT_ENTER(clGetPlatformIDs);
  if (!fake().brokenPlatform) return one(room, out, count);
  if (count) *count = 2;
  if (out && room == 2)
    out[0] = reinterpret_cast<cl_platform_id>(&fake().brokenPlatform), out[1] = reinterpret_cast<cl_platform_id>(&fake());
  return CL_SUCCESS;
}
cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type, cl_uint room, cl_device_id *out, cl_uint *count) {
  XT_ENTER(clGetDeviceIDs);
  if (platform == reinterpret_cast<cl_platform_id>(&fake().brokenPlatform)) return CL_OUT_OF_HOST_MEMORY;
  return one(room, out, count);
}
cl_int clGetDeviceInfo(cl_device_id, cl_device_info what, size_t room, void *out, size_t *size) {
  const size_t sizes[] = {8, 16, 64};
  switch (what) {
  case CL_DEVICE_IL_VERSION: return give(fake().languages, room, out, size); // older devices fail here, which is not an error
  case 0x12BA: // CL_DEVICE_SPIRV_EXTENSIONS_KHR
    return give(fake().spirvExtensions.data(), fake().spirvExtensions.size() * sizeof(const char *), room, out, size);
  case CL_DEVICE_DOUBLE_FP_CONFIG: return give(cl_device_fp_config{CL_FP_FMA}, room, out, size);
  default: break;
  }
  XT_ENTER(clGetDeviceInfo);
  switch (what) {
  case CL_DEVICE_NAME: return give(std::string("Fake CPU"), room, out, size);
  case CL_DRIVER_VERSION: return give(std::string("7.1"), room, out, size);
  case CL_DEVICE_VERSION: return give(fake().version, room, out, size);
  case CL_DEVICE_EXTENSIONS: return give(fake().extensions, room, out, size);
  case CL_DEVICE_GLOBAL_MEM_SIZE: return give(cl_ulong{1} << 34, room, out, size);
  case CL_DEVICE_LOCAL_MEM_SIZE: return give(cl_ulong{64 << 10}, room, out, size);
  case CL_DEVICE_MAX_WORK_GROUP_SIZE: return give(size_t{512}, room, out, size);
  case CL_DEVICE_TYPE: return give(fake().type, room, out, size);
  case CL_DEVICE_VENDOR_ID: return give(cl_uint{0x8086}, room, out, size);
  case CL_DEVICE_SUB_GROUP_SIZES_INTEL: return give(sizes, sizeof sizes, room, out, size);
  case CL_DEVICE_ID_INTEL: return give(fake().deviceId, room, out, size);
  default: return CL_INVALID_VALUE;
  }
}
cl_context clCreateContext(const cl_context_properties *, cl_uint, const cl_device_id *,
                           void (*)(const char *, const void *, size_t, void *), void *, cl_int *result) {
  XT_ENTER_MAKING(clCreateContext);
  return static_cast<cl_context>(fake().make());
}
cl_int clReleaseContext(cl_context h) { return fake().free(h); }
cl_command_queue clCreateCommandQueueWithProperties(cl_context, cl_device_id, const cl_queue_properties *, cl_int *result) {
  XT_ENTER_MAKING(clCreateCommandQueueWithProperties);
  return static_cast<cl_command_queue>(fake().make());
}
cl_int clReleaseCommandQueue(cl_command_queue h) { return fake().free(h); }
cl_program clCreateProgramWithIL(cl_context, const void *, size_t, cl_int *result) {
  XT_ENTER_MAKING(clCreateProgramWithIL);
  return static_cast<cl_program>(fake().make());
}
cl_int clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *flags, void (*)(cl_program, void *), void *) {
  XT_ENTER(clBuildProgram);
  ++fake().programsBuilt;
  fake().buildFlags = flags;
  return CL_SUCCESS;
}
cl_int clGetProgramBuildInfo(cl_program, cl_device_id, cl_program_build_info, size_t room, void *out, size_t *size) {
  return give(fake().buildLog, room, out, size);
}
cl_int clReleaseProgram(cl_program h) { return fake().free(h); }
cl_kernel clCreateKernel(cl_program, const char *, cl_int *result) {
  XT_ENTER_MAKING(clCreateKernel);
  return static_cast<cl_kernel>(fake().make());
}
cl_int clReleaseKernel(cl_kernel h) { return fake().free(h); }
cl_int clSetKernelArg(cl_kernel, cl_uint index, size_t bytes, const void *value) {
  XT_ENTER(clSetKernelArg);
  std::memcpy(&(fake().arguments[index] = 0), value, bytes);
  return CL_SUCCESS;
}
cl_int clSetKernelExecInfo(cl_kernel, cl_kernel_exec_info, size_t, const void *) {
  XT_ENTER(clSetKernelExecInfo);
  return CL_SUCCESS;
}
cl_int clEnqueueNDRangeKernel(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *global, const size_t *local,
                              cl_uint, const cl_event *, cl_event *event) {
  XT_ENTER(clEnqueueNDRangeKernel);
  fake().kernel(fake().arguments, global, local);
  *event = static_cast<cl_event>(fake().make());
  return CL_SUCCESS;
}
cl_int clEnqueueMarkerWithWaitList(cl_command_queue, cl_uint, const cl_event *, cl_event *event) {
  XT_ENTER(clEnqueueMarkerWithWaitList);
  *event = static_cast<cl_event>(fake().make());
  return CL_SUCCESS;
}
cl_int clFlush(cl_command_queue) {
  XT_ENTER(clFlush);
  return CL_SUCCESS;
}
cl_int clGetEventInfo(cl_event, cl_event_info, size_t room, void *out, size_t *size) {
  XT_ENTER(clGetEventInfo);
  return give(fake().kernelStatus, room, out, size);
}
cl_int clGetEventProfilingInfo(cl_event, cl_profiling_info what, size_t room, void *out, size_t *size) {
  XT_ENTER(clGetEventProfilingInfo);
  return give(cl_ulong{what == CL_PROFILING_COMMAND_END ? 1800u : 1000u}, room, out, size);
}
cl_int clReleaseEvent(cl_event h) { return fake().free(h); }

void *clDeviceMemAllocINTEL(cl_context, cl_device_id, const cl_mem_properties_intel *, size_t bytes, cl_uint, cl_int *result) {
  XT_ENTER_MAKING(clDeviceMemAllocINTEL);
  return fake().make(bytes);
}
void *clHostMemAllocINTEL(cl_context, const cl_mem_properties_intel *, size_t bytes, cl_uint, cl_int *result) {
  XT_ENTER_MAKING(clHostMemAllocINTEL);
  return fake().make(bytes);
}
cl_int clMemFreeINTEL(cl_context, void *memory) { return fake().free(memory); }
cl_int clEnqueueMemcpyINTEL(cl_command_queue, cl_bool, void *to, const void *from, size_t bytes, cl_uint, const cl_event *,
                            cl_event *) {
  XT_ENTER(clEnqueueMemcpyINTEL);
  std::memcpy(to, from, bytes);
  return CL_SUCCESS;
}
cl_int clSetKernelArgMemPointerINTEL(cl_kernel, cl_uint index, const void *address) {
  XT_ENTER(clSetKernelArgMemPointerINTEL);
  fake().arguments[index] = reinterpret_cast<uintptr_t>(address);
  return CL_SUCCESS;
}
void *clGetExtensionFunctionAddressForPlatform(cl_platform_id, const char *name) {
  if (fake().missing.contains(name)) return nullptr;
#define XT_FUNCTION(function)                                                                                                  \
  if (std::strcmp(name, #function) == 0) return reinterpret_cast<void *>(function)
  XT_FUNCTION(clDeviceMemAllocINTEL);
  XT_FUNCTION(clHostMemAllocINTEL);
  XT_FUNCTION(clMemFreeINTEL);
  XT_FUNCTION(clEnqueueMemcpyINTEL);
  XT_FUNCTION(clSetKernelArgMemPointerINTEL);
#undef XT_FUNCTION
  return nullptr;
}
#undef XT_ENTER
#undef XT_ENTER_MAKING

} // namespace

ClFunctions FakeOpenCl::table() {
  ClFunctions functions;
#define X(name) functions.name = name;
  XT_CL_FUNCTIONS(X)
#undef X
  return functions;
}

} // namespace xt::test
