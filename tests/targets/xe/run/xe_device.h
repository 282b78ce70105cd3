// What tests of the GPU targets need of this machine.
#pragma once
#include "tests/targets/tools/run_tool.h"

#include <dlfcn.h>
#include <unistd.h>

namespace xt::test {

// What the software device needs and is not here, as Debian's packages; "": nothing.
inline std::string missingXePackage() {
  void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return "libze1";
  dlclose(loader);
  return runTool("command -v llvm-spirv-15").status == 0 ? "" : "llvm-spirv-15";
}

// Intel's OpenCL driver for CPUs, where tests/run installs it.
inline constexpr const char *kOpenClDriver = XT_SOURCE_DIR "/build/opencl/lib/libintelocl.so";

// Before a command: the variables with which the loader takes that driver, whatever else the machine has.
inline std::string openClDrivers() { return std::string("OCL_ICD_FILENAMES=") + kOpenClDriver + " OCL_ICD_VENDORS=" + kOpenClDriver; }

// Why tests cannot run on it; "": they can.
inline std::string whyNoOpenCl() {
  if (access(kOpenClDriver, R_OK) == 0) return "";
  return "tests/run has not installed the Python package intel-opencl-rt in build/opencl, which holds Intel's OpenCL runtime for CPUs";
}

} // namespace xt::test
