// Parses the symbol of a device function: OpenCL C and SPIR-V builtins are overloaded, so their names include the types.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace xt::soft {

struct BuiltinName {
  std::string name;                    // "__spirv_ocl_exp"; for a symbol that is not mangled, the symbol
  std::string resultSuffix;            // "int_sat" for "__spirv_ConvertFToS_Rint_sat"
  std::vector<std::string> parameters; // "float vector[8]", "unsigned short*"; empty if not mangled
};

BuiltinName builtinName(std::string_view symbol);

// The width and kind of a scalar type, found by its demangled name. 0 bits: the name is not that of a scalar type.
struct NamedType {
  int bits = 0;
  bool isFloat = false, isSigned = false;
};
NamedType namedType(std::string_view scalar); // "unsigned short", "float", "half"

// The scalar type in "unsigned short*" or "float vector[8]".
std::string_view scalarOf(std::string_view type);

// Removes a decimal number from the front of `text` and returns it; -1 if there is no number.
int takeNumber(std::string_view &text);
// Removes `prefix` from the front of `text`; false if `text` does not begin with it.
bool takePrefix(std::string_view &text, std::string_view prefix);

} // namespace xt::soft
