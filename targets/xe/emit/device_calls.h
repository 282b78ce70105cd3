// Calls of the functions that a device has: OpenCL C's and those of Intel's extensions, by their mangled names.
#pragma once
#include "targets/llvm/loops.h"

#include <string>
#include <string_view>

namespace xt {

// How the Itanium ABI, as OpenCL C uses it, writes a parameter type: "f", "Dv8_s", … Integers count as signed.
std::string mangledType(const llvm::Type *type);
// "_Z3expDv8_f" of "exp" and {"Dv8_f"}: a vector type that comes again is a substitution.
std::string mangledName(std::string_view function, llvm::ArrayRef<std::string> parameters);
// The same, of the types of arguments.
std::string mangledName(std::string_view function, llvm::ArrayRef<LlvmValue *> args);

enum class DeviceEffect : uint8_t {
  None,       // the value depends on the arguments alone
  Convergent, // the lanes of a subgroup do it together; touches no memory
  Memory,     // the same, and it reads or writes memory, or orders what does
};
// Declares the function where that is new. `result` null: none.
llvm::CallInst *callDevice(llvm::IRBuilderBase &b, const std::string &mangled, llvm::Type *result,
                           llvm::ArrayRef<LlvmValue *> args, DeviceEffect effect);

} // namespace xt
