// The header of a kernel (its grid, and what it requires) as a kernel, for launches without the compiler.
#pragma once
#include "ir/module.h"

#include <memory>

namespace xt {

// A kernel of one workgroup that computes the header of `kernel`. It takes the same parameters, and an array of index that
// receives lower bound, upper bound and step of each grid variable, outermost first, and behind them for each requirement
// whether it holds (1 or 0) and the two indices that it compares (0 where it compares none, comparesIndices()). Its name is
// that of the kernel with `.header` behind it, which no kernel of a source has.
std::unique_ptr<Kernel> headerKernel(const Kernel &kernel, Context &context);

} // namespace xt
