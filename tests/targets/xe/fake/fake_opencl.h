// An OpenCL without a device: a table of functions that count the objects that are created and freed. Any call can be made to
// fail.
#pragma once
#include "targets/xe/opencl/functions.h"

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace xt::test {

class FakeOpenCl {
public:
  using Arguments = std::map<uint32_t, uint64_t>;
  // Performs the effect of a launch, given its arguments and the lanes in x, y, z, on memory of this process.
  std::function<void(const Arguments &, const size_t *global, const size_t *local)> kernel =
      [](const Arguments &, const size_t *, const size_t *) {};

  // The index of the call that fails, counted from 0, and its result; -1: no call fails.
  int failAt = -1;
  cl_int failWith = CL_OUT_OF_RESOURCES;
  cl_int kernelStatus = CL_COMPLETE; // status of a launch's event
  std::string version = "OpenCL 3.0 Fake", languages = "SPIR-V_1.0 SPIR-V_1.4 ";
  std::string extensions =
      "cl_khr_fp64 cl_intel_required_subgroup_size cl_intel_unified_shared_memory cl_intel_device_attribute_query";
  std::vector<const char *> spirvExtensions; // for drivers that have cl_khr_spirv_queries
  cl_device_type type = CL_DEVICE_TYPE_CPU;
  bool brokenPlatform = false; // whether there is another platform, before the good one, that does not list its devices
  cl_uint deviceId = 0;
  std::string buildLog = "error: undefined reference to `f'";
  std::set<std::string> missing; // extension functions that the driver lacks

  std::vector<std::string> calls; // all calls that could fail, in order
  std::set<void *> live;          // objects and memory that are not freed yet
  int programsBuilt = 0, wrongFrees = 0;
  std::string buildFlags; // flags of the last program
  Arguments arguments;

  // table() calls the functions of this object; only one may exist at a time.
  FakeOpenCl() { current = this; }
  ~FakeOpenCl() { current = nullptr; }
  FakeOpenCl(const FakeOpenCl &) = delete;
  FakeOpenCl &operator=(const FakeOpenCl &) = delete;
  static ClFunctions table();

  cl_int enter(const char *name) {
    calls.push_back(name);
    return static_cast<int>(calls.size()) - 1 == failAt ? failWith : CL_SUCCESS;
  }
  void *make(size_t bytes = 8);
  cl_int free(void *object);

  static inline FakeOpenCl *current = nullptr;
};

} // namespace xt::test
