// Functions of two integer arrays that work on bits: the integer ops of kernels beyond `+ - * mod`.
#pragma once
#include "targets/run/functions.h"

namespace xt {

bool isBitFunction(HostFn fn);

// `shape` is the broadcast shape of a and b. The result has the element type of the operands, if they have one: and,
// or, xor and the unsigned functions never leave it; `shli` is exact, as `*` is. The unsigned functions read an
// operand's bits in its own type; a negative number without a type is an error of the test. Where an operand may be
// inexact, the bound permits any result.
Result<HostArray> applyBitFunction(const EvalSite &site, HostFn fn, const HostArray &a, const HostArray &b,
                                   std::vector<int64_t> shape);

} // namespace xt
