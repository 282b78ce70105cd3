// The words of one statement, with the blanks and line breaks that may separate them.
#pragma once
#include "lang/parse/source_tokens.h"

#include <span>
#include <string_view>
#include <vector>

namespace xt {

struct Piece {
  std::string_view text;
  TokenRole role = TokenRole::Stray;
  bool space = false;                // a blank precedes the word unless a line break does
  bool ownLine = false;              // a comment alone on its line
  uint32_t breakCost = kNoBreak; // cost of a line break before the word; the cheapest breaks are chosen

  static constexpr uint32_t kHeaderClause = 0; // before grid, iter_args …
  static constexpr uint32_t kNoBreak = ~0u;    // no break: it would end the statement or read badly
};

// Turns the words of a statement into pieces one by one. `} else {` counts as a separate statement here.
class PieceMaker {
public:
  PieceMaker(const std::vector<SourceToken> &tokens, std::string_view text) : tokens_(tokens), text_(text) {}
  // Returns the piece of token i. Tokens must be taken in order.
  Piece take(size_t i);
  void startStatement();

private:
  struct Bracket {
    TokenRole role;
    bool spacedShape = false; // blanks separate the extents: $M x 32 x f16, unlike 8x32xf16
    bool tightInside = false; // no blanks around operators, as in 4:sg*8, a factor of a layout
    bool locationOrSlice = false; // loc(…), or brackets: no blanks around their colons
  };
  std::string_view textOf(size_t i) const { return text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin); }
  bool spaceBefore(size_t i);
  bool spaceBeforeBracket(size_t i) const;
  bool isPrefix(size_t i) const; // the token is a sign, not a subtraction
  uint32_t breakCost(size_t i) const;
  uint32_t costOfWord(size_t i) const;
  void enter(size_t i);
  bool inShape() const { return !open_.empty() && open_.back().role == TokenRole::OpenAngle; }

  const std::vector<SourceToken> &tokens_;
  std::string_view text_;
  std::vector<Bracket> open_;
  size_t first_ = 0, last_ = 0; // the statement's first token, and the last one taken that is not a comment
  bool any_ = false;            // a token of the statement has been taken
  bool dimsOp_ = false;         // a list after the operand gives dimensions and is not an index
  bool lastIsPrefix_ = false;
};

} // namespace xt
