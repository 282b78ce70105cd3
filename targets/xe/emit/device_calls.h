// Calls of the functions that a device has: OpenCL C's and those of Intel's extensions.
#pragma once
#include "targets/llvm/loops.h"
#include "targets/xe/emit/device_functions.h"

#include <string>

namespace xt {

// How a DeviceFunction writes a type: "f", "Dv8_s", … Integers count as signed.
std::string mangledType(const llvm::Type *type);
llvm::FunctionType *functionType(llvm::LLVMContext &context, const DeviceFunction &function);

enum class DeviceEffect : uint8_t {
  None,       // the value depends on the arguments alone
  Convergent, // the lanes of a subgroup do it together; touches no memory
  Memory,     // the same, and it reads or writes memory, or orders what does
};
// The only way in which a kernel calls a function of the device. Declares it where that is new.
llvm::CallInst *callDevice(llvm::IRBuilderBase &b, const DeviceFunction &function, llvm::ArrayRef<LlvmValue *> args, DeviceEffect effect);

} // namespace xt
