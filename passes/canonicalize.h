// canonicalize: folds constants, applies exact identities, resolves branches and loops whose outcome is known, and
// removes ops that become unused. Results stay the same to the bit: nothing is reassociated, x + 0.0 stays (it turns
// -0.0 into 0.0), and a division by a constant zero is not folded.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> canonicalize(Module &module, Diagnostics &diagnostics);

} // namespace xt
