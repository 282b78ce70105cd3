// The table of OpenCL functions that the runner calls: from the loader, opened at run time, or from a test.
#pragma once
#include "ir/base/result.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

namespace xt {

#define XT_CL_FUNCTIONS(X)                                                                                                     \
  X(clGetPlatformIDs)                                                                                                          \
  X(clGetExtensionFunctionAddressForPlatform)                                                                                  \
  X(clGetDeviceIDs)                                                                                                            \
  X(clGetDeviceInfo)                                                                                                           \
  X(clCreateContext)                                                                                                           \
  X(clReleaseContext)                                                                                                          \
  X(clCreateCommandQueueWithProperties)                                                                                        \
  X(clReleaseCommandQueue)                                                                                                     \
  X(clCreateProgramWithIL)                                                                                                     \
  X(clBuildProgram)                                                                                                            \
  X(clGetProgramBuildInfo)                                                                                                     \
  X(clReleaseProgram)                                                                                                          \
  X(clCreateKernel)                                                                                                            \
  X(clReleaseKernel)                                                                                                           \
  X(clSetKernelArg)                                                                                                            \
  X(clSetKernelExecInfo)                                                                                                       \
  X(clEnqueueNDRangeKernel)                                                                                                    \
  X(clEnqueueMarkerWithWaitList)                                                                                               \
  X(clFlush)                                                                                                                   \
  X(clGetEventInfo)                                                                                                            \
  X(clGetEventProfilingInfo)                                                                                                   \
  X(clReleaseEvent)

struct ClFunctions {
#define X(name) decltype(&::name) name = nullptr;
  XT_CL_FUNCTIONS(X)
#undef X
};

inline constexpr const char *kClLoader = "libOpenCL.so.1";

// Opens the loader and looks up its functions; it stays open until the end of the process. `driver`: the path of a driver
// whose folder is searched for a loader if the machine has none; "": no driver. The Error names the package of a missing
// loader, or the function that the loader lacks.
Result<ClFunctions> openClLoader(const std::string &driver, const char *path = kClLoader);

// Describes a result code: "the device has not enough resources (CL_OUT_OF_RESOURCES -5)". Unknown codes have only their
// number.
std::string clResultText(cl_int result);
// An Error of the environment: "clBuildProgram: …".
Error clError(std::string_view what, cl_int result);

} // namespace xt
