// Questions about ops and values that several passes ask. All follow from the op table and the structure of the IR.
#pragma once
#include "ir/module.h"

namespace xt {

// Computes its results from its operands and nothing else, so that it may be moved, merged and left out. All such ops
// are total: none traps.
bool isPure(const Op &op);
// May be left out when no result is used: it has results and changes nothing. A load is; a prefetch is not.
bool isRemovable(const Op &op);
bool isLoop(const Op &op);
// Gives a vector that is computed or loaded, so that a user wants to hear what becomes of it; a constant is neither.
bool costsWork(const Op &op);
// Whether `value` is defined in `block` or in a block inside it.
bool definedInside(const Value &value, const Block &block);
// The value of a constant, scalar or the same in all elements; null otherwise.
const AttrValue *constantValue(const Value &value);
bool sameAttributes(const Op &a, const Op &b);
size_t countOps(const Module &module);

} // namespace xt
