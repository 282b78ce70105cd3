// Makes assembly or object code of an LLVM module.
#pragma once
#include "ir/base/result.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

namespace xt {

// Makes a target machine. The default codegen level is Less, because the modules already have the form in which they are meant
// to run.
Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const std::string &triple, const std::string &cpu,
                                                               const std::string &features,
                                                               llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Less);

// Returns assembly text or the bytes of an object file. Sets the triple and the data layout of the module to those of the
// machine. Runs under guardLlvm; errors that LLVM diagnoses are returned as an Error.
Result<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind);

// The size in bytes of the largest stack frame of any function in an object compiled with EmitStackSizeSection.
// Values that do not fit the processor's registers are spilled there. 0: the object has no such section.
size_t largestFrame(llvm::StringRef object);

// Returns an Error that quotes LLVM's verifier if the module is not valid. This compiler generates the module, so that is a
// compiler bug.
Result<void> verifyLlvm(const llvm::Module &module);

std::string moduleText(const llvm::Module &module);
std::string moduleBitcode(const llvm::Module &module);

} // namespace xt
