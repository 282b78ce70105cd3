// A statement's tree follows from the types of its tokens. So of a kernel's lines whose tokens have the same types in the
// same order only the first is parsed: the others are built from its tree.
#pragma once
#include "lang/parse/syntax_token.h"

namespace xt {

struct LikeLine {
  const SyntaxToken *first = nullptr; // of the list that was given
  size_t count = 0;
  uint32_t model = 0; // the byte where the line begins that it is like
};

struct DistinctLines {
  std::vector<SyntaxToken> tokens; // those given, without the lines that are like one before them, and their NLs
  std::vector<LikeLine> like;      // these, ascending
};

// Of shaped tokens in which nothing was wrong. Lines that hold a block, and those of tests, are all distinct.
DistinctLines distinctLines(const std::vector<SyntaxToken> &tokens);

} // namespace xt
