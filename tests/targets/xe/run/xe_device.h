// Requirements of GPU tests on this machine.
#pragma once
#include "tests/targets/tools/run_tool.h"

#include <dlfcn.h>
#include <unistd.h>

namespace xt::test {

// The Debian package that the software device needs and that is missing; "": none.
inline std::string missingXePackage() {
  void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return "libze1";
  dlclose(loader);
  return runTool("command -v llvm-spirv-15").status == 0 ? "" : "llvm-spirv-15";
}

// Intel's OpenCL driver for CPUs, where tests/run installs it.
inline constexpr const char *kOpenClDriver = XT_SOURCE_DIR "/build/opencl/lib/libintelocl.so";

// Prefix of a command: the variables that make the loader use only that driver.
inline std::string openClDrivers() {
  return std::string("OCL_ICD_FILENAMES=") + kOpenClDriver + " OCL_ICD_VENDORS=" + kOpenClDriver;
}

// The reason why tests cannot run on it; "": they can.
inline std::string whyNoOpenCl() {
  if (access(kOpenClDriver, R_OK) == 0) return "";
  return "the Python package intel-opencl-rt, Intel's OpenCL runtime for CPUs, is not in build/opencl; tests/run installs it "
         "with pip";
}

} // namespace xt::test
