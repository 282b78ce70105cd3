// Brackets: determines their kinds, and repairs missing and superfluous ones.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Takes token i, which may be a bracket, an operator or any other token inside a statement. Reports an error and returns false
// if the item is nested too deeply.
bool takeBracket(ItemState &state, size_t i);

// Closes the open brackets from index `keep` of the stack on, and reports that they are not closed before `before`.
void closeBrackets(ItemState &state, size_t keep, const std::string &before);

// Ends the item: closes what is still open.
void finishItem(ItemState &state);

} // namespace xt
