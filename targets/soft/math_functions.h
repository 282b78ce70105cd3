// OpenCL's floating-point functions as functions of this process, with the C library's accuracy.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace xt::soft {

struct MathFunction {
  std::string_view name; // "exp", without native_ or half_
  int floats;            // number of arguments of the function's type
  bool integer;          // followed by an i32 argument
  void *single, *twice;  // float (float…) and double (double…)
};

const MathFunction *findMathFunction(std::string_view name);
std::span<const MathFunction> mathFunctions();
std::string mathSymbol(const MathFunction &function, bool isDouble);

} // namespace xt::soft
