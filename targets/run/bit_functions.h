// Functions of two integer arrays that work on bits: the integer ops of kernels beyond `+ - * mod`.
#pragma once
#include "targets/run/functions.h"

namespace xt {

bool isBitFunction(HostFn fn);

// `shape` is the broadcast shape of `a` and `b`. The result of `and`, `or`, `xor` and the unsigned functions has the operands'
// common element type, if there is one, because its range is never exceeded. `shli` is computed exactly, like `*`, so its
// result has no element type. The unsigned functions read the bits of an operand in the operand's own type; a negative number
// without a type is an error of the test. If an operand may be inexact, the error bound of the result is infinite.
Result<HostArray> applyBitFunction(const EvalSite &site, HostFn fn, const HostArray &a, const HostArray &b,
                                   std::vector<int64_t> shape);

} // namespace xt
