// Splits a module into one compilation unit per kernel, which any thread can compile on its own.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/jit/emitted_module.h"
#include "targets/cpu/threads/thread_pool.h"
#include "targets/llvm/object_cache.h"

#include <string>
#include <vector>

namespace xt {

// The name of the kernel's function in its object, whatever the kernel is called.
inline constexpr const char *kUnitSymbol = "xt_kernel";

struct CodeUnit {
  bool optimise; // as in CompileOptions
  std::string bitcode;
  std::string key; // objectKey: kernels that differ only in their KernelOutput have equal keys
};

// One unit per kernel, in the order of the kernels. Moves the functions out of the module.
Result<std::vector<CodeUnit>> codeUnits(EmittedModule &emitted, const CpuInfo &cpu, bool optimise);
// The object of each unit, from the cache or newly compiled. Newly compiled objects are added to the cache.
Result<std::vector<std::string>> objectsOf(const std::vector<const CodeUnit *> &units, const CpuInfo &cpu,
                                           const ObjectCache &cache, ThreadPool &pool);

} // namespace xt
