// The first tokens of items and statements, which determine how the rest is shaped.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Starts the item or statement whose first token is i, and may take that token. Returns false if the rest of the item must be
// skipped.
bool startStatement(ItemState &state, size_t i);
// Takes token i, the communication after `start`. Returns false if it is none.
bool takeStarted(ItemState &state, size_t i);
// Starts the part of a statement after the names of its results. Token i is its first token, and may be taken.
void startRightHandSide(ItemState &state, size_t i);

} // namespace xt
