#include "targets/xe/opencl/functions.h"

#include "ir/base/shared_library.h"
#include "ir/base/text.h"

namespace xt {
namespace {

// The result if the loader finds no platform. CL/cl_ext.h defines this code only if its loader extension is enabled.
constexpr cl_int kNoPlatform = -1001;

struct ResultText {
  cl_int result;
  std::string_view name, words;
};

// Results that users may encounter; all others are errors of this program, for which the number is enough.
constexpr ResultText kResults[] = {
    {kNoPlatform, "CL_PLATFORM_NOT_FOUND_KHR",
     "no OpenCL driver is installed; Intel's for CPUs is in the Python packages intel-opencl-rt and intel-cmplr-lib-rt"},
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", "the driver finds no device"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE", "the device is busy"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE", "the driver has no compiler"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "there is not enough memory on the device"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES",
     "not enough memory, registers or shared local memory on the device, or the kernel failed"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", "there is not enough memory"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE", "the driver does not compile the kernels"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "an earlier command failed"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE", ""},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", "the driver rejects the SPIR-V"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE", "the driver has not built the kernels"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME", "the program has no such kernel"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX", ""},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE", ""},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE", "the device does not support a workgroup of this size"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE", "too many workgroups for the device"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE", "the device does not support this size"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION", "the driver does not support this"},
};

} // namespace

Result<ClFunctions> openClLoader(const std::string &driver, const char *path) {
  size_t slash = driver.rfind('/');
  std::string besideDriver = slash == std::string::npos ? "" : driver.substr(0, slash + 1) + kClLoader;
  Result<SharedLibrary> library = SharedLibrary::open("the OpenCL loader", path, "ocl-icd-libopencl1", besideDriver);
  if (!library) return library.error();
  ClFunctions functions;
#define X(name)                                                                                                                \
  if (Result<void> found = library->find(#name, functions.name); !found) return found.error();
  XT_CL_FUNCTIONS(X)
#undef X
  return functions;
}

std::string clResultText(cl_int result) {
  for (const ResultText &known : kResults)
    if (known.result == result)
      return known.words.empty() ? str(known.name, " ", result) : str(known.words, " (", known.name, " ", result, ")");
  return str("error ", result);
}

Error clError(std::string_view what, cl_int result) { return Error::environment(str(what, ": ", clResultText(result))); }

} // namespace xt
