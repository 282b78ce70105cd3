// What a device function's symbol says: OpenCL C and SPIR-V builtins are overloaded, so their types are in their names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace xt::soft {

struct BuiltinName {
  std::string name;                    // "__spirv_ocl_exp"; a symbol that is not mangled is its own name
  std::string resultSuffix;            // of "__spirv_ConvertFToS_Rint_sat": "int_sat"
  std::vector<std::string> parameters; // "float vector[8]", "unsigned short*"; empty where not mangled
};

BuiltinName builtinName(std::string_view symbol);

// A scalar type's name in the demangled form: its bits, and what they are; bits 0: something else.
struct NamedType {
  int bits = 0;
  bool isFloat = false, isSigned = false;
};
NamedType namedType(std::string_view scalar); // "unsigned short", "float", "half"

// The scalar of "unsigned short*" or "float vector[8]".
std::string_view scalarOf(std::string_view type);

// Reads a decimal number off the front of `text`; -1: there is none.
int takeNumber(std::string_view &text);
// Takes `prefix` off the front of `text`; false: it does not begin so.
bool takePrefix(std::string_view &text, std::string_view prefix);

} // namespace xt::soft
