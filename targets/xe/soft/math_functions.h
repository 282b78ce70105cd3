// OpenCL's functions of floating-point numbers as functions of this process; the C library's accuracy.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace xt::soft {

struct MathFunction {
  std::string_view name; // "exp", without native_ or half_
  int floats;            // arguments of the function's type
  bool integer;          // and then one i32
  void *single, *twice;  // float (float…) and double (double…)
};

const MathFunction *findMathFunction(std::string_view name);
std::span<const MathFunction> mathFunctions();
std::string mathSymbol(const MathFunction &function, bool isDouble);

} // namespace xt::soft
