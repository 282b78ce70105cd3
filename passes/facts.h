// Questions about ops and values that several passes ask. All follow from the op table and the structure of the IR.
#pragma once
#include "ir/constants.h"
#include "ir/module.h"

namespace xt {

// Computes its results from its operands and nothing else, so that it may be moved, merged and left out. All such ops
// are total: none traps.
bool isPure(const Op &op);
// May be left out when no result is used: it has results and changes nothing. A load is; a prefetch is not.
bool isRemovable(const Op &op);
bool isLoop(const Op &op);
// Gives a vector that it reads from memory and changes nothing, so that only what is written in between keeps it from
// being moved or merged.
bool isLoad(const Op &op);
// The first op from `first` to before `end` (null: to the end of the block), nested ones included, that writes memory or
// lets others write; null: none does.
const Op *firstWrite(const Op *first, const Op *end);
// Gives a vector that is computed or loaded, so that a user wants to hear what becomes of it; a constant is neither.
bool costsWork(const Op &op);
// Whether `value` is defined in `block` or in a block inside it.
bool definedInside(const Value &value, const Block &block);
bool sameAttributes(const Op &a, const Op &b);
size_t countOps(const Module &module);

} // namespace xt
