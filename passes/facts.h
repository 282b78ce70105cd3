// Facts about ops and values that several passes need. All follow from the op table and the structure of the IR.
#pragma once
#include "ir/constants.h"
#include "ir/module.h"

namespace xt {

// Whether the op computes its results from its operands alone, so that it may be moved, merged and removed. All such
// ops are total: none traps.
bool isPure(const Op &op);
// Whether the op may be removed when no result is used: it has results and no side effect. True for a load, false for
// a prefetch.
bool isRemovable(const Op &op);
bool isLoop(const Op &op);
// Whether each element of the result is computed from the elements at the same position of the operands.
bool isElementwise(const Op &op);
// Whether the op reads a vector from memory and has no side effect. Then only a write in between prevents moving or
// merging it.
bool isLoad(const Op &op);
// The first op between `first` and `end` (exclusive; null: the end of the block), nested ops included, that writes
// memory or lets others write; null if there is no such op.
const Op *firstWrite(const Op *first, const Op *end);
// Whether the op computes or loads a vector, so that a remark about its removal is useful to a user. False for constants.
bool costsWork(const Op &op);
// Whether `value` is defined in `block` or in a block inside it.
bool definedInside(const Value &value, const Block &block);
bool sameAttributes(const Op &a, const Op &b);
size_t countOps(const Module &module);

} // namespace xt
