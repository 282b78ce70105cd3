// Avoids parsing similar lines. The types of a statement's tokens determine its tree, so of the lines of a file that have the
// same sequence of token types only the first is parsed; the others are built from its tree.
#pragma once
#include "lang/parse/syntax_token.h"

namespace xt {

struct LikeLine {
  const SyntaxToken *first = nullptr; // points into the argument of distinctLines()
  size_t count = 0;
  uint32_t model = 0; // the byte at which the parsed line with the same token types begins
};

struct DistinctLines {
  std::vector<SyntaxToken> tokens; // the tokens given, without the lines in `like` and their NLs
  std::vector<LikeLine> like;      // the lines left out, ascending
};

// Splits shaped tokens that contain no errors. Lines that contain a block, and lines of tests, are always parsed.
DistinctLines distinctLines(const std::vector<SyntaxToken> &tokens);

} // namespace xt
