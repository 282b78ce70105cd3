// The layouts in braces after an op, as in `{#a}` or `{#a, #b}`.
#pragma once
#include "lang/lower/op_draft.h"

namespace xt {

// Gives the layouts of the draft to its operands and results. Returns false after reporting an error.
bool applyLayouts(KernelState &state, OpDraft &draft, std::vector<Type> &results);

} // namespace xt
