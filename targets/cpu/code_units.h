// What a module's kernels are compiled as: pieces that any thread compiles by itself.
#pragma once
#include "targets/cpu/kernel_module.h"
#include "targets/cpu/thread_pool.h"
#include "targets/llvm/object_cache.h"

#include <string>
#include <vector>

namespace xt {

struct CodeUnit {
  enum class Kind : uint8_t {
    Loop,    // one that was outlined, of the name kLoopSymbol
    Callers, // kernels that call loops, and do little else: they are translated as they are
    Kernels, // others
  };
  Kind kind;
  llvm::CodeGenOptLevel level;
  std::string bitcode;
  std::string key;         // objectKey
  std::string symbol = {}; // of a loop: what its callers call
};

// Takes the module apart. Loops that are the same are one. `optimise`: as of CompileOptions.
Result<std::vector<CodeUnit>> codeUnits(EmittedModule &emitted, const CpuInfo &cpu, bool optimise);
// An object for each unit, from the cache or compiled, and then kept there.
Result<std::vector<std::string>> objectsOf(const std::vector<const CodeUnit *> &units, const CpuInfo &cpu, const ObjectCache &cache,
                                           ThreadPool &pool);

} // namespace xt
