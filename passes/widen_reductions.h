// widen-reductions: sums and products of 16- and 8-bit floats are taken in f32 and rounded once. The operand is extended
// and the result rounded, so that what other passes make of the reduction (partial results of lanes, of subgroups, of
// blocks) stays in f32.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> widenReductions(Module &module, Diagnostics &diagnostics);

} // namespace xt
