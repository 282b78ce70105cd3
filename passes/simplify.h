// Inside of canonicalize: what one op becomes. Each function looks at one op only and changes nothing but that op's
// place; the driver repeats them until nothing changes.
#pragma once
#include "ir/builder.h"

namespace xt {

// The value that `op`'s one result is equal to, made in front of `op` where it is a new constant; null if none is
// known. Its type is the result's.
Value *simplifiedValue(Op &op, Context &context);

// Loops and branches.
// Results that are known without the op: a carried value that no step changes, a branch that gives the same either way.
// Returns true if something changed.
bool forwardKnownResults(Op &op);
// Replaces a loop of no or one step, or a branch with a constant condition, by what it does, and erases it. `next` is
// then the first op that took its place, or the op behind it. Says what was known, for a remark; "" if nothing changed.
std::string_view resolveStructure(Op &op, Op *&next);

} // namespace xt
