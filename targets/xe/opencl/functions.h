// The functions of OpenCL that the runner calls, as a table: of the loader, opened at run time, or of a test.
#pragma once
#include "ir/base/result.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <string>

namespace xt {

#define XT_CL_FUNCTIONS(X)                                                                                             \
  X(clGetPlatformIDs)                                                                                                  \
  X(clGetExtensionFunctionAddressForPlatform)                                                                          \
  X(clGetDeviceIDs)                                                                                                    \
  X(clGetDeviceInfo)                                                                                                   \
  X(clCreateContext)                                                                                                   \
  X(clReleaseContext)                                                                                                  \
  X(clCreateCommandQueueWithProperties)                                                                                \
  X(clReleaseCommandQueue)                                                                                             \
  X(clCreateProgramWithIL)                                                                                             \
  X(clBuildProgram)                                                                                                    \
  X(clGetProgramBuildInfo)                                                                                             \
  X(clReleaseProgram)                                                                                                  \
  X(clCreateKernel)                                                                                                    \
  X(clReleaseKernel)                                                                                                   \
  X(clSetKernelArg)                                                                                                    \
  X(clSetKernelExecInfo)                                                                                               \
  X(clEnqueueNDRangeKernel)                                                                                            \
  X(clEnqueueMarkerWithWaitList)                                                                                       \
  X(clFlush)                                                                                                           \
  X(clGetEventInfo)                                                                                                    \
  X(clGetEventProfilingInfo)                                                                                           \
  X(clReleaseEvent)

struct ClFunctions {
#define X(name) decltype(&::name) name = nullptr;
  XT_CL_FUNCTIONS(X)
#undef X
};

inline constexpr const char *kClLoader = "libOpenCL.so.1";

// Opens the loader and finds its functions; it stays open to the end of the process. `driver`: the path of a driver beside
// which a loader may lie that stands in for one that the machine lacks; "": none. The Error says which package a loader is
// in, or which function it lacks.
Result<ClFunctions> openClLoader(const std::string &driver, const char *path = kClLoader);

// "the device has not enough resources (CL_OUT_OF_RESOURCES -5)" and the like; for codes that are not known, the number.
std::string clResultText(cl_int result);
// What went wrong where: "clBuildProgram: …". An Error of the environment.
Error clError(std::string_view what, cl_int result);

} // namespace xt
