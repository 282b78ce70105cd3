// Superclass of the generated lexer; does what XtLexer.g4 cannot express without target code.
//  - A '<' directly after tile, vector, memref, tensor_desc or their prefixed forms enters the mode SHAPE, in which
//    4096x?xf16 is five tokens. The element type, or anything that cannot be part of a shape, leaves the mode.
//  - Blanks and comments are skipped by hand, since they are half of a text and ANTLR's lexer caches only ASCII edges.
//  - Tokens are returned as SyntaxToken, since creating an ANTLR token takes longer than matching it.
#pragma once
#include "lang/parse/syntax_token.h"

#include "antlr4-runtime.h"

#include <vector>

namespace xtg {

class LexerBase : public antlr4::Lexer {
public:
  explicit LexerBase(antlr4::CharStream *input) : Lexer(input) {}
  // Returns the next token; at the end of the input it is always the end of file. `begin` and `end` count code points, not
  // bytes.
  xt::SyntaxToken next();

private:
  // Skips blanks and comments. Returns true if they contained a line break.
  bool skipBlanks();
  xt::SyntaxToken match();
  bool opensShape(const xt::SyntaxToken &token) const;
  bool canStandInShape(size_t character, bool newLine) const;

  bool lastOpensShape_ = false; // a '<' after the last token opens a shape
  // One entry per '[' that was opened inside a shape: the number of '[' open since then. At 0 the lexer returns to SHAPE.
  std::vector<int> extents_;
  bool resumeShape_ = false;
};

} // namespace xtg
