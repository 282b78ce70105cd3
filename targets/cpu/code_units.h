// What a module's kernels are compiled as: pieces that any thread compiles by itself.
#pragma once
#include "targets/cpu/kernel_module.h"
#include "targets/cpu/threads/thread_pool.h"
#include "targets/llvm/object_cache.h"

#include <string>
#include <vector>

namespace xt {

// A kernel's function in an object of its own, whatever the kernel is called.
inline constexpr const char *kUnitSymbol = "xt_kernel";

struct CodeUnit {
  bool optimise; // as of CompileOptions
  std::string bitcode;
  std::string key; // objectKey: kernels that differ in nothing but KernelOutput have the same
};

// Of each kernel, in their order. Takes the module apart.
Result<std::vector<CodeUnit>> codeUnits(EmittedModule &emitted, const CpuInfo &cpu, bool optimise);
// An object for each unit, from the cache or compiled, and then kept there.
Result<std::vector<std::string>> objectsOf(const std::vector<const CodeUnit *> &units, const CpuInfo &cpu, const ObjectCache &cache,
                                           ThreadPool &pool);

} // namespace xt
