// Superclass of the generated lexer: what XtLexer.g4 cannot say without target code.
//  - A '<' directly after tile, vector, memref, tensor_desc or their prefixed forms enters SHAPE, where 4096x?xf16 is
//    seven tokens; the element type, or anything that cannot stand in a shape, leaves it.
//  - Blanks and comments are skipped by hand: they are half of a text, and ANTLR's lexer caches only ASCII edges.
//  - Tokens come as SyntaxToken: those of ANTLR take longer to make than to match.
#pragma once
#include "lang/parse/syntax_token.h"

#include "antlr4-runtime.h"

#include <vector>

namespace xtg {

class LexerBase : public antlr4::Lexer {
public:
  explicit LexerBase(antlr4::CharStream *input) : Lexer(input) {}
  // The next one; the end of file again and again. Its bytes are code points of the input.
  xt::SyntaxToken next();

private:
  // Skips blanks and comments; true if a line break was among them.
  bool skipBlanks();
  xt::SyntaxToken match();
  bool opensShape(const xt::SyntaxToken &token) const;
  bool canStandInShape(size_t character, bool newLine) const;

  bool lastOpensShape_ = false; // the last token is a word after which '<' opens a shape
  // One entry per '[' opened inside a shape: how many '[' are open within it. Its end returns to the shape.
  std::vector<int> extents_;
  bool resumeShape_ = false;
};

} // namespace xtg
