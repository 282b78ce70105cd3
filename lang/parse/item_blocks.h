// Ends statements, and opens and closes blocks.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Ends the current statement, if there is one, before the token `next`. If the statement lacks its block, reports that and
// inserts a block.
void endStatement(ItemState &state, const SyntaxToken *next);

// Opens a block at a brace of the text, or after the token `brace` if no brace is written.
void openBlock(ItemState &state, const SyntaxToken &brace, bool written);
// Closes the innermost block. `brace` is null for a block without closing brace in the text.
void closeBlock(ItemState &state, const SyntaxToken *brace);
// Reports that a block is not closed.
void unclosedBlock(ItemState &state, const OpenBracket &block, const std::string &before);

// In mode FindMissing, closes blocks to which the statement at token i does not belong: it is indented no deeper than the line
// that opened the block, or it is an `else` in the block of its `if`.
void closeBlocksByIndent(ItemState &state, size_t i);
// Whether the closing brace at i does not belong to the innermost block, judging by the indentation.
bool superfluousByIndent(const ItemState &state, size_t i);

} // namespace xt
