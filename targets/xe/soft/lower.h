// From the LLVM module that llvm-spirv-15 makes to one that the processor runs: device functions get bodies, variables
// in shared local memory a place, and accesses to memory a check. Address spaces stay: the processor has one, and
// checks tell them apart.
#pragma once
#include "ir/base/result.h"
#include "targets/xe/soft/builtin_name.h"
#include "targets/xe/soft/device_settings.h"
#include "targets/xe/soft/workgroup.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace xt::soft {

struct KernelArgument {
  size_t bytes = 0;
  bool isLocal = false;   // a pointer to shared local memory: the host gives a size
  bool isPointer = false; // to global memory
};

struct LoweredKernel {
  std::string name, symbol; // `symbol` takes the addresses of the arguments
  size_t subgroupSize = 16;
  Dimensions requiredGroupSize{0, 0, 0}; // 0: any
  std::vector<KernelArgument> arguments;
  std::vector<size_t> locals; // in LoweredProgram::locals
  size_t privateBytes = 0;    // variables of one work-item, called functions included
};

struct LoweredProgram {
  std::vector<LoweredKernel> kernels;
  std::vector<LocalVariable> locals; // laid out with space between them
  std::vector<Site> sites;
  std::deque<Collective> collectives;               // code has their addresses
  std::vector<std::pair<std::string, size_t>> data; // variables in global memory: symbol and bytes
  size_t frameBytes = 0; // of the compiled function that takes most of the stack
  size_t localBytes() const { return locals.empty() ? 0 : locals.back().offset + locals.back().bytes; }
};

// Space between variables in shared local memory, so that one step beyond the end of one is in no other.
inline constexpr size_t kLocalGap = 4096;

// An Error of kind Kernel is a text for the build log: it names each device function that is not known, or what the
// device cannot do.
Result<LoweredProgram> lowerModule(llvm::Module &module, const DeviceSettings &device);

// ---- The parts, each a file. They take the calls of one declaration; false: not theirs.
struct LowerContext {
  llvm::Module &module;
  const DeviceSettings &device;
  LoweredProgram &program;
  std::vector<std::string> errors;
  std::map<const llvm::Instruction *, int> calls; // the how-manieth of its callee in its function, from 1
  std::map<const llvm::Value *, size_t> localAddresses; // which of the program's locals begins there

  llvm::LLVMContext &llvm() const { return module.getContext(); }
  llvm::FunctionCallee runtime(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> arguments) const;
  int32_t site(const llvm::Instruction &at, std::string function); // its number in LoweredProgram::sites
};
bool lowerIds(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerAtomics(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerMath(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerVectors(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerConversions(LowerContext &context, llvm::Function &function, const BuiltinName &name);
bool lowerCollectives(LowerContext &context, llvm::Function &function, const BuiltinName &name);
void placeLocals(LowerContext &context);
void checkAccesses(LowerContext &context);
void pauseInLoops(LowerContext &context);
// Loops that only wait for a change in shared local memory tell the run-time library, which finds out that none will
// come. Before device functions get bodies.
void watchPolling(LowerContext &context);

// Calls make(builder, call) for each call of `function`, puts what it returns (may be null of void calls) in the call's
// place, and removes the function.
void replaceCalls(llvm::Function &function,
                  llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::CallInst &)> make);

} // namespace xt::soft
