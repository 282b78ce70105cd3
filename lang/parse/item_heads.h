// The first tokens of items and statements, which determine how the rest is shaped.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Starts the item or statement whose first token is i, and may take that token. False: the rest of the item is skipped.
bool startStatement(ItemState &state, size_t i);
// Starts what follows the names of results, at token i, and may take that token.
void startRightHandSide(ItemState &state, size_t i);

} // namespace xt
