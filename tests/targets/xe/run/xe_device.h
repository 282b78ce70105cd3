// What tests of the GPU targets need of this machine.
#pragma once
#include "tests/targets/tools/run_tool.h"

#include <dlfcn.h>

namespace xt::test {

// What the software device needs and is not here, as Debian's packages; "": nothing.
inline std::string missingXePackage() {
  void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!loader) return "libze1";
  dlclose(loader);
  return runTool("command -v llvm-spirv-15").status == 0 ? "" : "llvm-spirv-15";
}

} // namespace xt::test
