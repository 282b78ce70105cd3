// How much code a lane's part of a kernel becomes: vectors are unrolled, element by element.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

namespace xt {

// Operations on single elements in the text of one lane. A kernel of so many takes a minute to compile, and its values
// fill the registers many times over.
inline constexpr int64_t kMostElementOps = int64_t{1} << 16;

// Of a kernel at lane scope: each op counts as many as it has elements, a product of matrices as many as it multiplies;
// loops count once.
int64_t elementOps(const Kernel &kernel);

// False: the kernel has more than kMostElementOps. Reported at the op of the source from which most of them come.
bool codeFits(const Kernel &kernel, Diagnostics &diagnostics);

} // namespace xt
