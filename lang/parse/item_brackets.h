// Brackets: determines their kinds, and repairs missing and superfluous ones.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Takes token i, which may be a bracket, an operator or any other token inside a statement. False: the item is nested too
// deeply, which has been reported.
bool takeBracket(ItemState &state, size_t i);

// Closes the open brackets above index `keep` of the stack; reports them as missing before `before`.
void closeBrackets(ItemState &state, size_t keep, const std::string &before);

// Ends the item: closes what is still open.
void finishItem(ItemState &state);

} // namespace xt
