// Functions of two integer arrays that look at bits: those of kernels that `+ - * mod` do not cover.
#pragma once
#include "targets/run/functions.h"

namespace xt {

bool isBitFunction(HostFn fn);

// `shape` is what those of a and b broadcast to. The result has the element type of the operands, where they have one:
// and, or, xor and the unsigned functions stay within it; `shli` is exact, as `*` is. The unsigned functions read an
// operand's bits in its own type; a negative number without one is a mistake. Where an operand may be off, any result
// is within the bound.
Result<HostArray> applyBitFunction(const EvalSite &site, HostFn fn, const HostArray &a, const HostArray &b,
                                   std::vector<int64_t> shape);

} // namespace xt
