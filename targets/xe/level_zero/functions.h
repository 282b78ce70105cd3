// The table of Level Zero functions that the runner calls: from the loader, opened at run time, or from a test.
#pragma once
#include "ir/base/result.h"

#include "targets/xe/init_drivers.h"

#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

namespace xt {

#define XT_ZE_FUNCTIONS(X)                                                                                                     \
  X(zelLoaderTranslateHandle)                                                                                                  \
  X(zeInit)                                                                                                                    \
  X(zeDriverGet)                                                                                                               \
  X(zeDriverGetApiVersion)                                                                                                     \
  X(zeDriverGetProperties)                                                                                                     \
  X(zeDriverGetExtensionFunctionAddress)                                                                                       \
  X(zeDeviceGet)                                                                                                               \
  X(zeDeviceGetProperties)                                                                                                     \
  X(zeDeviceGetComputeProperties)                                                                                              \
  X(zeDeviceGetModuleProperties)                                                                                               \
  X(zeDeviceGetMemoryProperties)                                                                                               \
  X(zeDeviceGetCommandQueueGroupProperties)                                                                                    \
  X(zeDeviceGetStatus)                                                                                                         \
  X(zeContextCreate)                                                                                                           \
  X(zeContextDestroy)                                                                                                          \
  X(zeCommandListCreateImmediate)                                                                                              \
  X(zeCommandListDestroy)                                                                                                      \
  X(zeCommandListAppendBarrier)                                                                                                \
  X(zeCommandListAppendLaunchKernel)                                                                                           \
  X(zeCommandListAppendMemoryCopy)                                                                                             \
  X(zeEventPoolCreate)                                                                                                         \
  X(zeEventPoolDestroy)                                                                                                        \
  X(zeEventCreate)                                                                                                             \
  X(zeEventDestroy)                                                                                                            \
  X(zeEventHostReset)                                                                                                          \
  X(zeEventHostSynchronize)                                                                                                    \
  X(zeEventQueryKernelTimestamp)                                                                                               \
  X(zeMemAllocDevice)                                                                                                          \
  X(zeMemAllocHost)                                                                                                            \
  X(zeMemFree)                                                                                                                 \
  X(zeMemGetAllocProperties)                                                                                                   \
  X(zeModuleCreate)                                                                                                            \
  X(zeModuleDestroy)                                                                                                           \
  X(zeModuleBuildLogGetString)                                                                                                 \
  X(zeModuleBuildLogDestroy)                                                                                                   \
  X(zeKernelCreate)                                                                                                            \
  X(zeKernelDestroy)                                                                                                           \
  X(zeKernelGetProperties)                                                                                                     \
  X(zeKernelSetArgumentValue)                                                                                                  \
  X(zeKernelSetGroupSize)

// zeDeviceGetCompilerInfo, which Debian's headers do not have: returns lists about the driver's compiler. The first of two
// calls returns their size. kSpirvExtensions (ZE_DEVICE_COMPILER_INFO_SPIRV_EXTENSIONS): names of ZE_MAX_EXTENSION_NAME bytes
// each, padded with zeros.
using DeviceGetCompilerInfo = ze_result_t (*)(ze_device_handle_t device, uint32_t what, const void *next, size_t *bytes,
                                              void *data);
inline constexpr uint32_t kSpirvExtensions = 2;

struct ZeFunctions {
#define X(name) decltype(&::name) name = nullptr;
  XT_ZE_FUNCTIONS(X)
#undef X
  // Null: the loader is older.
  InitDrivers zeInitDrivers = nullptr; // Level Zero 1.10 (version 1.18 of the loader)
  DeviceGetCompilerInfo zeDeviceGetCompilerInfo = nullptr;
};

inline constexpr const char *kZeLoader = "libze_loader.so.1";

// Opens the loader and looks up its functions; it stays open until the end of the process. The Error names the package of a
// missing loader, or the function that the loader lacks.
Result<ZeFunctions> openZeLoader(const char *path = kZeLoader);

// Describes a result code: "the device was lost: …", followed by the name and the number of the code. Unknown codes have only
// their number.
std::string zeResultText(ze_result_t result);
// An Error of the environment: "zeModuleCreate: …".
Error zeError(std::string_view what, ze_result_t result);

} // namespace xt
