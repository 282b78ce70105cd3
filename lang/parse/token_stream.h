// Feeds shaped tokens to ANTLR's parser. Start and stop indices of the tokens are byte offsets.
#pragma once
#include "lang/parse/syntax_token.h"

#include "antlr4-runtime.h"

namespace xt {

// A stream whose tokens the error strategy may repair in place before the parser uses them.
class RepairTokenStream : public antlr4::CommonTokenStream {
public:
  explicit RepairTokenStream(const std::vector<SyntaxToken> &tokens); // the end of file last
  antlr4::Token *LT(ssize_t k) override;
  size_t LA(ssize_t k) override { return LT(k)->getType(); }
  // Inserts a token without text before the current one.
  void insertHere(size_t type);
  // Gives `count` tokens from index `first` on the positions of the tokens at `to`, which must have the same types.
  void move(size_t first, const SyntaxToken *to, size_t count);
  void retype(antlr4::Token *token, size_t type) { static_cast<antlr4::CommonToken *>(token)->setType(type); }

protected:
  ssize_t adjustSeekIndex(size_t i) override { return static_cast<ssize_t>(i); } // all tokens are on one channel
};

} // namespace xt
