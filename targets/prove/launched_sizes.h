// The sizes of kernels' arguments as the tests of a file write them.
#pragma once
#include "ir/module.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// A quantity that only a launch defines: the extent of a dimension of a parameter, or the value of an integer parameter.
constexpr size_t kScalar = ~size_t{0};
struct SizeAt {
  size_t param = 0, dim = 0; // dim is kScalar for an integer parameter
  bool operator<(const SizeAt &other) const { return std::pair(param, dim) < std::pair(other.param, other.dim); }
};

// A kernel is specialised for each set of parameters: "gemm$BM=128" is a specialisation of "gemm".
inline std::string_view baseName(std::string_view kernel) { return kernel.substr(0, kernel.find('$')); }

// For each launch of the kernel or of another specialisation of it: the sizes, as the test writes them. A size that ranks divide is left
// out, because the part of a rank has another extent.
std::vector<std::map<SizeAt, std::string>> launchedSizes(const Module &module, const Kernel &kernel,
                                                         const std::vector<SizeAt> &wanted);

} // namespace xt
