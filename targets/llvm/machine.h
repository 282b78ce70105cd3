// From an LLVM module to assembly or object code.
#pragma once
#include "ir/base/result.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace xt {

// A target machine at codegen level Less: the modules that come here are already the code that is meant to run.
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const std::string &triple, const std::string &cpu,
                                                               const std::string &features);

// Assembly text or the bytes of an object file. The module's triple and data layout are the machine's. Runs under
// guardLlvm; errors that LLVM diagnoses come back as an Error.
Result<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind);

// An Error that quotes LLVM's verifier. The module was made by us, so a failure is a bug of ours.
Result<void> verifyLlvm(const llvm::Module &module);

std::string moduleText(const llvm::Module &module);

} // namespace xt
