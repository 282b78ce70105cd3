#include "targets/cpu/runtime/launch_abi.h"

namespace xt {

size_t frameWords(const Kernel &kernel) {
  size_t words = kGridWords + kRuntimeWords;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    words += type.isMemRef() ? 1 + 2 * static_cast<size_t>(type.rank()) : 1;
  }
  return words;
}

std::string kernelSymbol(const Kernel &kernel) { return "xt_kernel_" + kernel.name; }
std::string numbersSymbol(const std::string &kernelName) { return "xt_numbers_" + kernelName; }

} // namespace xt
