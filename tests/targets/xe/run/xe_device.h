// Requirements of tests that need a GPU or OpenCL on this machine.
#pragma once
#include "tests/targets/tools/run_tool.h"

#include <dlfcn.h>
#include <unistd.h>

namespace xt::test {

// Returns the Debian package that the software device needs and that is missing, or "" if none is missing.
inline std::string missingXePackage() {
  void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return "libze1";
  dlclose(loader);
  return runTool("command -v llvm-spirv-15").status == 0 ? "" : "llvm-spirv-15";
}

// The path of Intel's OpenCL driver for CPUs, where tests/run installs it.
inline constexpr const char *kOpenClDriver = XT_SOURCE_DIR "/build/opencl/lib/libintelocl.so";

// Returns the prefix of a command: the variables that make the loader use only this driver.
inline std::string openClDrivers() {
  return std::string("OCL_ICD_FILENAMES=") + kOpenClDriver + " OCL_ICD_VENDORS=" + kOpenClDriver;
}

// Returns the reason why tests cannot run on this driver, or "" if they can.
inline std::string whyNoOpenCl() {
  if (access(kOpenClDriver, R_OK) == 0) return "";
  return "the Python package intel-opencl-rt, Intel's OpenCL runtime for CPUs, is not in build/opencl; tests/run installs it "
         "with pip";
}

} // namespace xt::test
