// The stage between the lexer and the parser. Converts the flat token list to one that a context-free LL(2) grammar can
// parse, and in which an error in one place has no effect elsewhere:
//  - A line end that ends a statement (lang/reference/lexical.md) becomes NL, and every statement ends in NL.
//  - Braces of blocks (LBLOCK, RBLOCK) are distinguished from those of attributes and sizes (LBRACE, RBRACE), and angle
//    brackets from comparisons; the ':' of %x:2 becomes SPLICE.
//  - An op's name becomes the token of its clause shape, according to the op table.
//  - Brackets in the result balance: a missing or superfluous bracket is reported and repaired here. An item never extends
//    into the next one, and a statement never into the next line that starts a statement.
//  - A misspelt keyword at the start of an item or statement is reported and replaced by the intended one.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/parse/syntax_token.h"

namespace xt {

// Maximum nesting of brackets, blocks, chained `else if` and prefix operators. Bounds the recursion over the text.
inline constexpr size_t kMaxNesting = 200;
// Maximum number of infix operators in one statement: the tree of a chain of operators is as deep as the chain is long.
inline constexpr size_t kMaxOperators = 1000;

struct ShapedTokens {
  std::vector<SyntaxToken> tokens; // the end of file last
  // Offsets of the reported errors; the parser reports no further errors in the statements that contain them.
  std::vector<uint32_t> reported;
  std::vector<uint32_t> items; // offsets at which items begin, ascending
};

// Shapes the tokens before byte `limit`. The tokens after it serve as look-ahead, but are not part of the result.
ShapedTokens shapeTokens(std::vector<SyntaxToken> tokens, const SourceFile &source, uint32_t file, uint32_t limit,
                         Diagnostics &diagnostics);

} // namespace xt
