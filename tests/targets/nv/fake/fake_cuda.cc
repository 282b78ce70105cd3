// A driver for NVIDIA's GPUs that has no GPU, for tests of the runner. Memory is that of the host, and launches execute nothing, unless
// the kernel has one of these names: `copies` copies its first array of 64 floats to its second one, `damages` writes to the byte before
// its first array.
//
// The variable XT_FAKE_CUDA chooses its behaviour: a list NAME=NUMBER,… The name of a function makes it return that result; `devices`,
// `version`, `capability`, `shared` and `mode` replace what it tells of itself. XT_FAKE_CUDA_CALLS names a file to which the name of each
// function is written that is called.
#include "targets/nv/driver/functions.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

using namespace xt;

namespace {

// The number that XT_FAKE_CUDA gives for a name.
int setting(const char *name, int otherwise) {
  const char *variable = std::getenv("XT_FAKE_CUDA");
  const size_t length = std::strlen(name);
  for (const char *at = variable; at && *at; at = std::strchr(at, ',') ? std::strchr(at, ',') + 1 : nullptr)
    if (std::strncmp(at, name, length) == 0 && at[length] == '=') return std::atoi(at + length + 1);
  return otherwise;
}

CuResult enter(const char *function) {
  if (const char *path = std::getenv("XT_FAKE_CUDA_CALLS"))
    if (std::FILE *file = std::fopen(path, "a")) {
      std::fprintf(file, "%s\n", function);
      std::fclose(file);
    }
  return setting(function, kCuSuccess);
}
#define XT_ENTER                                                                                                               \
  if (CuResult entered = enter(__func__); entered != kCuSuccess) return entered

template <class T> CuResult give(T *to, T value) {
  *to = value;
  return kCuSuccess;
}

// Objects are numbers, which nothing is stored at; a function is the text of its name.
template <class T> T handle(uintptr_t number) { return reinterpret_cast<T>(number); }

void execute(const char *kernel, void **arguments) {
  constexpr size_t kBytes = 64 * sizeof(float);
  auto address = [&](size_t argument) { return *static_cast<char **>(arguments[argument]); };
  if (std::strcmp(kernel, "copies") == 0) std::memcpy(address(3), address(0), kBytes); // an address, a size and a stride each
  if (std::strcmp(kernel, "damages") == 0) address(0)[-1] ^= 1;
}

thread_local std::vector<CuContext> contexts; // the current one last

} // namespace

extern "C" {

CuResult cuInit(unsigned) { return enter(__func__); }
CuResult cuDriverGetVersion(int *version) {
  XT_ENTER;
  return give(version, setting("version", 13000));
}
CuResult cuGetErrorName(CuResult result, const char **name) {
  return give(name, result == kCuOutOfMemory ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR");
}
CuResult cuGetErrorString(CuResult, const char **text) { return give(text, "what the driver says"); }
CuResult cuDeviceGetCount(int *count) {
  XT_ENTER;
  return give(count, setting("devices", 1));
}
CuResult cuDeviceGet(CuDeviceId *device, int ordinal) {
  XT_ENTER;
  return give(device, ordinal);
}
CuResult cuDeviceGetName(char *name, int bytes, CuDeviceId device) {
  XT_ENTER;
  std::snprintf(name, static_cast<size_t>(bytes), "Fake GPU %d", device);
  return kCuSuccess;
}
CuResult cuDeviceGetAttribute(int *value, CuDeviceAttribute attribute, CuDeviceId) {
  XT_ENTER;
  switch (attribute) {
  case kCuMostThreads: return give(value, 1024);
  case kCuMostBlocksX: return give(value, 0x7fffffff);
  case kCuMostBlocksY:
  case kCuMostBlocksZ: return give(value, 0xffff);
  case kCuMultiprocessors: return give(value, 132);
  case kCuComputeMode: return give(value, setting("mode", 0));
  case kCuUnifiedAddressing: return give(value, 1);
  case kCuCapabilityMajor: return give(value, setting("capability", 90) / 10);
  case kCuCapabilityMinor: return give(value, setting("capability", 90) % 10);
  case kCuMostShared: return give(value, setting("shared", 227 << 10));
  }
  return 1;
}
CuResult cuDeviceTotalMem_v2(size_t *bytes, CuDeviceId) {
  XT_ENTER;
  return give(bytes, size_t{80} << 30);
}
CuResult cuDevicePrimaryCtxRetain(CuContext *context, CuDeviceId) {
  XT_ENTER;
  return give(context, handle<CuContext>(1));
}
CuResult cuCtxPushCurrent_v2(CuContext context) {
  XT_ENTER;
  contexts.push_back(context);
  return kCuSuccess;
}
CuResult cuCtxPopCurrent_v2(CuContext *context) {
  XT_ENTER;
  if (contexts.empty()) return 1;
  *context = contexts.back();
  contexts.pop_back();
  return kCuSuccess;
}
CuResult cuMemAlloc_v2(CuPointer *memory, size_t bytes) {
  XT_ENTER;
  return give(memory, static_cast<CuPointer>(reinterpret_cast<uintptr_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256))));
}
CuResult cuMemFree_v2(CuPointer memory) {
  std::free(handle<void *>(memory));
  return enter(__func__);
}
// Knows no memory, as the host's is not registered.
CuResult cuPointerGetAttribute(void *, CuPointerAttribute, CuPointer) {
  XT_ENTER;
  return 1;
}
CuResult cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  XT_ENTER;
  return give(memory, std::aligned_alloc(256, (bytes + 255) / 256 * 256));
}
CuResult cuMemFreeHost(void *memory) {
  std::free(memory);
  return enter(__func__);
}
CuResult cuMemcpyAsync(CuPointer to, CuPointer from, size_t bytes, CuStream) {
  XT_ENTER;
  std::memcpy(handle<void *>(to), handle<void *>(from), bytes);
  return kCuSuccess;
}
CuResult cuModuleLoadDataEx(CuModuleHandle *module, const void *image, unsigned count, CuJitOption *options, void **values) {
  CuResult result = enter(__func__);
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kCuErrorLog && result != kCuSuccess)
      std::strcpy(static_cast<char *>(values[i]), "ptxas application ptx input, line 7; error: a fake one\n");
  bool isPtx = std::strstr(static_cast<const char *>(image), ".version") != nullptr;
  return result != kCuSuccess ? result : isPtx ? give(module, handle<CuModuleHandle>(2)) : 218;
}
CuResult cuModuleUnload(CuModuleHandle) { return enter(__func__); }
CuResult cuModuleGetFunction(CuFunction *function, CuModuleHandle, const char *name) {
  XT_ENTER;
  static std::set<std::string> names;
  return give(function, reinterpret_cast<CuFunction>(const_cast<char *>(names.insert(name).first->c_str())));
}
CuResult cuFuncGetAttribute(int *value, CuFunctionAttribute attribute, CuFunction) {
  XT_ENTER;
  return give(value, attribute == kCuRegisters ? 40 : 0);
}
CuResult cuFuncSetAttribute(CuFunction, CuFunctionAttribute, int) { return enter(__func__); }
CuResult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CuFunction, int, size_t) {
  XT_ENTER;
  return give(blocks, 5);
}
CuResult cuLaunchKernel(CuFunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuStream,
                        void **arguments, void **) {
  XT_ENTER;
  execute(reinterpret_cast<const char *>(function), arguments);
  return kCuSuccess;
}
CuResult cuStreamCreate(CuStream *stream, unsigned) {
  XT_ENTER;
  return give(stream, handle<CuStream>(3));
}
CuResult cuStreamDestroy_v2(CuStream) { return enter(__func__); }
CuResult cuStreamSynchronize(CuStream) { return enter(__func__); }
CuResult cuEventCreate(CuEvent *event, unsigned) {
  XT_ENTER;
  return give(event, handle<CuEvent>(4));
}
CuResult cuEventDestroy_v2(CuEvent) { return enter(__func__); }
CuResult cuEventRecord(CuEvent, CuStream) { return enter(__func__); }
CuResult cuEventElapsedTime(float *milliseconds, CuEvent, CuEvent) {
  XT_ENTER;
  return give(milliseconds, 0.25f);
}

} // extern "C"
