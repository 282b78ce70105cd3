// What a module's kernels are compiled as: pieces that any thread compiles by itself.
#pragma once
#include "targets/cpu/kernel_module.h"
#include "targets/cpu/thread_pool.h"
#include "targets/llvm/object_cache.h"

#include <string>
#include <vector>

namespace xt {

struct CodeUnit {
  bool isLoop;             // one that was outlined: the same for all kernels that have it
  std::string symbol;      // what its callers call it; of a kernel, its function's
  std::string entry;       // its name in the object: kLoopSymbol, or the kernel's
  llvm::CodeGenOptLevel level;
  std::string bitcode;
  std::string key; // objectKey
  std::vector<std::string> calls; // symbols of loops, which stand before it
};

// Takes the module apart: its loops, each once, and its kernels. A kernel whose loops were outlined does little by itself, and is
// translated as it is. `optimise`: as of CompileOptions.
Result<std::vector<CodeUnit>> codeUnits(EmittedModule &emitted, const CpuInfo &cpu, bool optimise);
// An object for each unit, from the cache or compiled, and then kept there.
Result<std::vector<std::string>> objectsOf(const std::vector<const CodeUnit *> &units, const CpuInfo &cpu, const ObjectCache &cache,
                                           ThreadPool &pool);

} // namespace xt
