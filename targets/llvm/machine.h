// From an LLVM module to assembly or object code.
#pragma once
#include "ir/base/result.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace xt {

// A target machine, at codegen level Less where nothing else is asked for: the modules that come here are already the code
// that is meant to run.
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const std::string &triple, const std::string &cpu, const std::string &features,
                                                               llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Less);

// Assembly text or the bytes of an object file. The module's triple and data layout are the machine's. Runs under
// guardLlvm; errors that LLVM diagnoses come back as an Error.
Result<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind);

// Bytes of the stack that the function with the largest frame takes, of an object that was made with the option
// EmitStackSizeSection: what does not fit the processor's registers lies there. 0: the object does not say.
size_t largestFrame(llvm::StringRef object);

// An Error that quotes LLVM's verifier. The module was made by us, so a failure is a bug of ours.
Result<void> verifyLlvm(const llvm::Module &module);

std::string moduleText(const llvm::Module &module);
std::string moduleBitcode(const llvm::Module &module);

} // namespace xt
