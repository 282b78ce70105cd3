// Internal to canonicalize: simplifies one op. Each function looks at one op only and changes nothing else; the
// driver repeats them until nothing changes.
#pragma once
#include "ir/builder.h"

namespace xt {

// A value equal to the single result of `op`, of the same type; a new constant is inserted in front of `op`. Null if
// no such value is known.
Value *simplifiedValue(Op &op, Context &context);

// Loops and branches.
// Replaces results that are known without the op: a carried value that no iteration changes, and a branch result that
// is the same on both sides. Returns whether something changed.
bool forwardKnownResults(Op &op);
// Replaces a loop of zero or one iterations, or a branch with a constant condition, by its body, and erases it.
// `next` is then the first op of the replacement, or the op after it. Returns what was known, for a remark; "" if
// nothing changed.
std::string_view resolveStructure(Op &op, Op *&next);

} // namespace xt
