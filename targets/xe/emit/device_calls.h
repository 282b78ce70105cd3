// Calls of device functions: those of OpenCL C and of Intel's extensions.
#pragma once
#include "targets/llvm/loops.h"
#include "targets/xe/emit/device_functions.h"

#include <string>

namespace xt {

// The name of a type as DeviceFunction writes it: "f", "Dv8_s", … Integers count as signed.
std::string mangledType(const llvm::Type *type);
llvm::FunctionType *functionType(llvm::LLVMContext &context, const DeviceFunction &function);

enum class DeviceEffect : uint8_t {
  None,       // the value depends only on the arguments
  Convergent, // the lanes of a subgroup execute it together; accesses no memory
  Memory,     // like Convergent, but reads, writes or orders memory
};
// Emits a call of a device function, which it declares if necessary. All calls of device functions are made in this way.
llvm::CallInst *callDevice(llvm::IRBuilderBase &b, const DeviceFunction &function, llvm::ArrayRef<LlvmValue *> args,
                           DeviceEffect effect);

} // namespace xt
