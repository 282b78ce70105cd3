// widen-reductions: computes sums and products of 16- and 8-bit floats in f32 and rounds once. The operand is
// extended before the reduction and the result rounded after it, so that partial results which later passes introduce
// (of lanes, subgroups and blocks) stay in f32.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> widenReductions(Module &module, Diagnostics &diagnostics);

} // namespace xt
