#include "targets/xe/level_zero/functions.h"

#include "ir/base/shared_library.h"
#include "ir/base/text.h"

#include <cstdio>

namespace xt {
namespace {

struct ResultText {
  ze_result_t result;
  std::string_view name, words;
};

// Results that users may encounter; all others are errors of this program, for which the name is enough.
constexpr ResultText kResults[] = {
    {ZE_RESULT_NOT_READY, "NOT_READY", "the device has not finished"},
    {ZE_RESULT_ERROR_DEVICE_LOST, "DEVICE_LOST",
     "the device was lost: it hung, was reset or removed, or a kernel made an invalid access"},
    {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "OUT_OF_HOST_MEMORY", "there is not enough memory"},
    {ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "OUT_OF_DEVICE_MEMORY", "there is not enough memory on the device"},
    {ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "MODULE_BUILD_FAILURE", "the driver does not compile the kernels"},
    {ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "MODULE_LINK_FAILURE", "the driver does not link the kernels"},
    {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "INSUFFICIENT_PERMISSIONS", "this user may not use the device"},
    {ZE_RESULT_ERROR_NOT_AVAILABLE, "NOT_AVAILABLE", "the device is busy"},
    {ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, "DEPENDENCY_UNAVAILABLE", "a dependency of the driver is missing"},
    {ZE_RESULT_ERROR_UNINITIALIZED, "UNINITIALIZED", "no driver finds a device"},
    {ZE_RESULT_ERROR_UNSUPPORTED_VERSION, "UNSUPPORTED_VERSION", "the driver does not support this version"},
    {ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "UNSUPPORTED_FEATURE", "the driver does not support this"},
    {ZE_RESULT_ERROR_INVALID_ARGUMENT, "INVALID_ARGUMENT", ""},
    {ZE_RESULT_ERROR_INVALID_SIZE, "INVALID_SIZE", ""},
    {ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "UNSUPPORTED_SIZE", "the device does not support this size"},
    {ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "UNSUPPORTED_ALIGNMENT", ""},
    {ZE_RESULT_ERROR_INVALID_ENUMERATION, "INVALID_ENUMERATION", ""},
    {ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "INVALID_NATIVE_BINARY", "the driver rejects the SPIR-V"},
    {ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "INVALID_KERNEL_NAME", "the module has no such kernel"},
    {ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "INVALID_GROUP_SIZE_DIMENSION", "the workgroup is too large for the device"},
    {ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, "INVALID_GLOBAL_WIDTH_DIMENSION", "too many workgroups for the device"},
    {ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "INVALID_KERNEL_ARGUMENT_INDEX", ""},
    {ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "INVALID_KERNEL_ARGUMENT_SIZE", ""},
    {ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, "INVALID_MODULE_UNLINKED",
     "the kernels call a function that the driver does not have"},
    {ZE_RESULT_ERROR_UNKNOWN, "UNKNOWN", "unknown error"},
};

} // namespace

Result<ZeFunctions> openZeLoader(const char *path) {
  Result<SharedLibrary> library = SharedLibrary::open("the Level Zero loader", path, "libze1");
  if (!library) return library.error();
  ZeFunctions functions;
#define X(name)                                                                                                                \
  if (Result<void> found = library->find(#name, functions.name); !found) return found.error();
  XT_ZE_FUNCTIONS(X)
#undef X
  functions.zeInitDrivers = reinterpret_cast<InitDrivers>(library->symbol("zeInitDrivers"));
  functions.zeDeviceGetCompilerInfo = reinterpret_cast<DeviceGetCompilerInfo>(library->symbol("zeDeviceGetCompilerInfo"));
  return functions;
}

std::string zeResultText(ze_result_t result) {
  char number[16];
  std::snprintf(number, sizeof number, "0x%x", static_cast<unsigned>(result));
  for (const ResultText &known : kResults)
    if (known.result == result)
      return str(known.words, known.words.empty() ? "" : " (", known.name, " ", number, known.words.empty() ? "" : ")");
  return str("error ", number);
}

Error zeError(std::string_view what, ze_result_t result) { return Error::environment(str(what, ": ", zeResultText(result))); }

} // namespace xt
