// The table of functions of NVIDIA's driver that the runner calls: from libcuda.so.1, opened at run time, or from a test.
//
// The types and functions are declared here, as only the driver is needed to run and nothing of NVIDIA's to build. Source: the CUDA
// Driver API reference manual (https://docs.nvidia.com/cuda/cuda-driver-api); names that end in _v2 are those that its header
// cuda.h gives these functions.
#pragma once
#include "ir/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xt {

using CuResult = int; // CUresult; 0: success
using CuDeviceId = int; // CUdevice
using CuPointer = unsigned long long; // CUdeviceptr
using CuContext = struct CuContextObject *;
using CuModuleHandle = struct CuModuleObject *;
using CuFunction = struct CuFunctionObject *;
using CuStream = struct CuStreamObject *;
using CuEvent = struct CuEventObject *;

inline constexpr CuResult kCuSuccess = 0, kCuOutOfMemory = 2, kCuNoDevice = 100;

// CUdevice_attribute
enum CuDeviceAttribute : int {
  kCuMostThreads = 1,
  kCuMostBlocksX = 5,
  kCuMostBlocksY = 6,
  kCuMostBlocksZ = 7,
  kCuMultiprocessors = 16,
  kCuComputeMode = 20,
  kCuUnifiedAddressing = 41,
  kCuCapabilityMajor = 75,
  kCuCapabilityMinor = 76,
  kCuMostShared = 97, // shared memory per workgroup with cuFuncSetAttribute, in bytes
};
inline constexpr int kCuModeProhibited = 2; // CUcomputemode
// CUfunction_attribute
enum CuFunctionAttribute : int { kCuLocalBytes = 3, kCuRegisters = 4, kCuMostGivenShared = 8 };
// CUpointer_attribute: the context (null: of none) and the kind of the memory at an address, and whether it is managed
enum CuPointerAttribute : int { kCuContextOf = 1, kCuMemoryType = 2, kCuIsManaged = 8 };
inline constexpr unsigned kCuHostMemory = 1; // CUmemorytype
// CUjit_option
enum CuJitOption : int { kCuInfoLog = 3, kCuInfoLogBytes = 4, kCuErrorLog = 5, kCuErrorLogBytes = 6, kCuOptimisation = 7 };

#define XT_CU_FUNCTIONS(X)                                                                                                     \
  X(cuInit, (unsigned flags))                                                                                                  \
  X(cuDriverGetVersion, (int *version))                                                                                        \
  X(cuGetErrorName, (CuResult result, const char **name))                                                                      \
  X(cuGetErrorString, (CuResult result, const char **text))                                                                    \
  X(cuDeviceGetCount, (int *count))                                                                                            \
  X(cuDeviceGet, (CuDeviceId * device, int ordinal))                                                                           \
  X(cuDeviceGetName, (char *name, int bytes, CuDeviceId device))                                                               \
  X(cuDeviceGetAttribute, (int *value, CuDeviceAttribute attribute, CuDeviceId device))                                        \
  X(cuDeviceTotalMem_v2, (size_t *bytes, CuDeviceId device))                                                                   \
  X(cuDevicePrimaryCtxRetain, (CuContext * context, CuDeviceId device))                                                        \
  X(cuCtxPushCurrent_v2, (CuContext context))                                                                                  \
  X(cuCtxPopCurrent_v2, (CuContext * context))                                                                                 \
  X(cuMemAlloc_v2, (CuPointer * memory, size_t bytes))                                                                         \
  X(cuMemFree_v2, (CuPointer memory))                                                                                          \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                                             \
  X(cuMemFreeHost, (void *memory))                                                                                             \
  X(cuPointerGetAttribute, (void *value, CuPointerAttribute attribute, CuPointer pointer))                                     \
  X(cuMemcpyAsync, (CuPointer to, CuPointer from, size_t bytes, CuStream stream))                                              \
  X(cuModuleLoadDataEx, (CuModuleHandle * module, const void *image, unsigned count, CuJitOption *options, void **values))     \
  X(cuModuleUnload, (CuModuleHandle module))                                                                                   \
  X(cuModuleGetFunction, (CuFunction * function, CuModuleHandle module, const char *name))                                     \
  X(cuFuncGetAttribute, (int *value, CuFunctionAttribute attribute, CuFunction function))                                      \
  X(cuFuncSetAttribute, (CuFunction function, CuFunctionAttribute attribute, int value))                                       \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks, CuFunction function, int threads, size_t givenShared))          \
  X(cuLaunchKernel,                                                                                                            \
    (CuFunction function, unsigned blocksX, unsigned blocksY, unsigned blocksZ, unsigned threadsX, unsigned threadsY,          \
     unsigned threadsZ, unsigned givenShared, CuStream stream, void **arguments, void **extra))                                \
  X(cuStreamCreate, (CuStream * stream, unsigned flags))                                                                       \
  X(cuStreamDestroy_v2, (CuStream stream))                                                                                     \
  X(cuStreamSynchronize, (CuStream stream))                                                                                    \
  X(cuEventCreate, (CuEvent * event, unsigned flags))                                                                          \
  X(cuEventDestroy_v2, (CuEvent event))                                                                                        \
  X(cuEventRecord, (CuEvent event, CuStream stream))                                                                           \
  X(cuEventElapsedTime, (float *milliseconds, CuEvent from, CuEvent to))

struct CuFunctions {
#define X(name, parameters) CuResult(*name) parameters = nullptr;
  XT_CU_FUNCTIONS(X)
#undef X
};

inline constexpr const char *kCuDriver = "libcuda.so.1";

// Opens the driver and looks up its functions; it stays open until the end of the process. The Error says what provides the driver, or
// which function it lacks.
Result<CuFunctions> openCuDriver(const char *path = kCuDriver);

// Describes a result: "the device has not enough memory (CUDA_ERROR_OUT_OF_MEMORY 2)".
std::string cuResultText(const CuFunctions &cu, CuResult result);
// An Error of the environment: "cuMemAlloc of 4096 bytes: …".
Error cuError(const CuFunctions &cu, std::string_view what, CuResult result);
// Whether a kernel caused the result: it made an invalid access or trapped. All work of the process on the device fails from then on.
bool isKernelFault(CuResult result);

} // namespace xt
