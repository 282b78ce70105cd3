// The words of one statement with what may stand between them.
#pragma once
#include "lang/parse/source_tokens.h"

#include <span>
#include <string_view>
#include <vector>

namespace xt {

struct Piece {
  std::string_view text;
  TokenRole role = TokenRole::Stray;
  bool space = false;                // a blank before it where no line breaks
  bool ownLine = false;              // a comment that stands alone on its line
  uint32_t breakCost = kNoBreak; // of a line break before it: the cheapest are taken

  static constexpr uint32_t kHeaderClause = 0; // before grid, iter_args …
  static constexpr uint32_t kNoBreak = ~0u;    // the statement would end there, or it reads badly
};

// Takes the words of a statement one by one. What follows a block (`} else {`) is a statement of its own here.
class PieceMaker {
public:
  PieceMaker(const std::vector<SourceToken> &tokens, std::string_view text) : tokens_(tokens), text_(text) {}
  // The piece of token i, which follows the one that was taken last.
  Piece take(size_t i);
  void startStatement();

private:
  struct Bracket {
    TokenRole role;
    bool spacedShape = false; // $M x 32 x f16, not 8x32xf16
    bool tightInside = false; // 4:subgroup*8: a factor of a layout
    bool locationOrSlice = false; // its colons take no blanks
  };
  std::string_view textOf(size_t i) const { return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin); }
  bool spaceBefore(size_t i);
  bool spaceBeforeBracket(size_t i) const;
  bool isPrefix(size_t i) const; // a '-' that is no subtraction
  uint32_t breakCost(size_t i) const;
  uint32_t costOfWord(size_t i) const;
  void enter(size_t i);
  bool inShape() const { return !open_.empty() && open_.back().role == TokenRole::OpenAngle; }

  const std::vector<SourceToken> &tokens_;
  std::string_view text_;
  std::vector<Bracket> open_;
  size_t first_ = 0, last_ = 0; // tokens of this statement; last_ is the one before the current, comments left out
  bool any_ = false;            // the statement has a token
  bool dimsOp_ = false;         // a list behind its operand is one of dimensions, no index
  bool lastIsPrefix_ = false;
};

} // namespace xt
