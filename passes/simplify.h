// Internal to canonicalize: simplifies one op. The driver repeats these functions until nothing changes.
#pragma once
#include "ir/builder.h"

namespace xt {

// Returns a value equal to the single result of `op`, of the same type, or null if none is known. A new constant is inserted
// before `op`.
Value *simplifiedValue(Op &op, Context &context);

// Replaces results of a loop or a branch that are known without it: a carried value that no iteration changes, and a branch
// result that is the same in both branches. Returns whether something changed.
bool forwardKnownResults(Op &op);
// Replaces a loop of zero or one iterations, or a branch with a constant condition, by its body, and erases it. `next` is then
// the first op of the replacement, or the op after it. Returns a text for a remark; "" if nothing changed.
std::string_view resolveStructure(Op &op, Op *&next);

} // namespace xt
