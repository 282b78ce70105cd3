// Lowers the LLVM module from llvm-spirv-15 to one that the processor runs: device functions get bodies, variables in shared
// local memory get an offset, and memory accesses are checked. Address spaces are kept although the processor has only one,
// because the checks distinguish them.
#pragma once
#include "ir/base/result.h"
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"
#include "targets/soft/device_settings.h"
#include "targets/soft/launch_description.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace xt::soft {

struct KernelArgument {
  size_t bytes = 0;
  bool isLocal = false;   // a pointer to shared local memory, for which the host gives a size
  bool isPointer = false; // a pointer to global memory
};

struct LoweredKernel {
  std::string name, symbol; // `symbol` is the entry point, which takes the addresses of the arguments
  size_t subgroupSize = 16;
  Dimensions requiredGroupSize{0, 0, 0}; // 0: any
  std::vector<KernelArgument> arguments;
  std::vector<size_t> locals; // indices in LoweredProgram::locals
  size_t privateBytes = 0;    // private variables of one work-item, including those of called functions
};

struct LoweredProgram {
  std::vector<LoweredKernel> kernels;
  std::vector<LocalVariable> locals; // placed with gaps between them
  std::vector<Site> sites;
  std::deque<Collective> collectives;               // a deque, because code contains the addresses of the elements
  std::vector<std::pair<std::string, size_t>> data; // symbols and sizes of variables in global memory
  size_t frameBytes = 0; // the largest stack frame of a compiled function
  size_t localBytes() const { return locals.empty() ? 0 : locals.back().offset + locals.back().bytes; }
};

// The gap between variables in shared local memory, so that an access slightly beyond the end of one variable is not in
// another.
inline constexpr size_t kLocalGap = 4096;

// Lowers the module. An Error of kind Kernel contains the text for the build log, which names each unknown device function, or
// what the device cannot do.
Result<LoweredProgram> lowerModule(llvm::Module &module, const DeviceSettings &device);

// ---- The parts, one per file. A function that returns bool replaces the calls of one declaration, or returns false if the
// declaration belongs to another part.
struct LowerContext {
  llvm::Module &module;
  const DeviceSettings &device;
  LoweredProgram &program;
  std::vector<std::string> errors;
  std::map<const llvm::Instruction *, int> calls; // number of a call among the calls of the same function in its caller, from 1
  std::map<const llvm::Value *, size_t> localAddresses; // index of the variable in `program.locals` that begins at the address

  llvm::LLVMContext &llvm() const { return module.getContext(); }
  llvm::FunctionCallee runtime(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> arguments) const;
  int32_t site(const llvm::Instruction &at, std::string function); // adds a site, returns its index
};
bool lowerIds(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerAtomics(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerMath(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerVectors(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerConversions(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerCollectives(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerCopies(LowerContext &context, llvm::Function &function, const BuiltinName &name);
void placeLocals(LowerContext &context);
void checkAccesses(LowerContext &context);
void pauseInLoops(LowerContext &context);
// Instruments loops that only wait for a change in shared local memory, so that the run-time library detects when no change
// can come any more. Must run before device functions get bodies.
void watchPolling(LowerContext &context);

// Calls make(builder, call) for each call of `function`, replaces the call by the result (which may be null for void
// calls), and removes the function.
void replaceCalls(llvm::Function &function, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::CallInst &)> make);

} // namespace xt::soft
