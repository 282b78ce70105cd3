// The stage between the lexer and the parser. It makes of a flat token list one that a context-free, LL(2) grammar can
// read, and that no mistake in one place spoils elsewhere:
//  - line ends become NL where they end a statement (language.md, section 2), and every statement ends in one;
//  - braces are told apart: blocks (LBLOCK, RBLOCK) and attributes or sizes (LBRACE, RBRACE); so are comparisons and
//    angle brackets, and the ':' of %x:2 becomes SPLICE;
//  - an op's name becomes the token of its clause shape, by the op table;
//  - brackets balance in what comes out: a missing or superfluous one is reported here and mended. An item never
//  reaches
//    into the next one, a statement never into the next line that starts one;
//  - a misspelt word at the start of an item or statement is reported and taken as what was meant.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/parse/syntax_token.h"

namespace xt {

// Brackets, blocks, chained `else if` and prefix operators may nest this deep, so that recursion over the text is
// bounded.
inline constexpr size_t kMaxNesting = 200;
// Infix operators in one statement: the trees of a chain are as deep as it is long.
inline constexpr size_t kMaxOperators = 1000;

struct ShapedTokens {
  std::vector<SyntaxToken> tokens; // the end of file last
  // Where mistakes have been reported; the parser keeps quiet about their statements.
  std::vector<uint32_t> reported;
  std::vector<uint32_t> items; // where each begins, ascending
};

// Tokens from byte `limit` on are looked at, but not among the result.
ShapedTokens shapeTokens(std::vector<SyntaxToken> tokens, const SourceFile &source, uint32_t file, uint32_t limit,
                         Diagnostics &diagnostics);

} // namespace xt
