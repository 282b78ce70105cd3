// Ends of statements and blocks.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Ends the current statement, if there is one, before the token `next`. A statement that lacks its block gets one, which is
// reported.
void endStatement(ItemState &state, const SyntaxToken *next);

// Opens a block at a brace of the text, or behind the token `brace` if it is not written.
void openBlock(ItemState &state, const SyntaxToken &brace, bool written);
// Closes the innermost block. `brace` is null for a block without closing brace in the text.
void closeBlock(ItemState &state, const SyntaxToken *brace);
// Reports that a block is not closed.
void unclosedBlock(ItemState &state, const OpenBracket &block, const std::string &before);

// Closes blocks that the statement at i is outside of: it is indented no deeper than the line that opened the block, or it
// is an `else` in the block of its `if`.
void closeBlocksByIndent(ItemState &state, size_t i);
// Whether the closing brace at i does not belong to the innermost block, judging by the indentation.
bool superfluousByIndent(const ItemState &state, size_t i);

} // namespace xt
