// Classifies the next tokens of the lexer with a bounded look-ahead.
#pragma once
#include "ir/op_info.h"
#include "lang/parse/syntax_token.h"

#include <string_view>

namespace xt {

// Bounds the look-ahead: a statement that binds more results is treated as one that binds none.
inline constexpr size_t kMostResults = 64;

class TokenScan {
public:
  TokenScan(const std::vector<SyntaxToken> &tokens, std::string_view text) : tokens_(tokens), text_(text) {}

  // The type of token i; beyond the end, that of the end of file.
  size_t type(size_t i) const { return i < tokens_.size() ? tokens_[i].type : tokens_.back().type; }
  const SyntaxToken &at(size_t i) const { return tokens_[i < tokens_.size() ? i : tokens_.size() - 1]; }
  std::string_view text(size_t i) const {
    const SyntaxToken &t = at(i);
    return text_.substr(t.begin, t.end - t.begin);
  }
  std::string_view text(size_t i, uint32_t end) const { return text_.substr(at(i).begin, end - at(i).begin); }
  bool sameLine(size_t i, size_t j) const { return at(i).line == at(j).line; }

  bool isWord(size_t i) const;     // a plain or soft word
  bool isHardWord(size_t i) const; // for, if, to, mod …
  bool startsOperand(size_t i) const;
  // The index of the '=' of `%a, %b:2 = …`, which starts at i; 0 if there are no results at i.
  size_t resultsEnd(size_t i) const;
  // Whether a statement certainly starts at i, the first token of its line: it cannot be the middle of another statement.
  bool startsStatement(size_t i) const;
  // Whether an item starts at i, the first token of its line: kernel @…, test "…", #a = … Inside open braces, a misspelt
  // keyword starts an item only if its line opens or contains a block.
  bool startsItem(size_t i, bool insideBraces = false) const;
  // Whether token i is a brace that ends its line and is followed by a statement on the next line.
  bool opensBody(size_t i) const;
  bool lineOpensBlock(size_t i) const; // the last token of the line of i opens a body
  bool lineHoldsBlock(size_t i) const; // the line of i contains an opening brace and ends in a closing one
  // Whether the word at i, in the position of an op, is an op's name and not the callee of a call. clauseOf() returns the
  // clause shape of the op.
  bool isOpName(size_t i) const;
  Clause clauseOf(size_t i) const;
  // The index after the bracket that closes the one at i, or of the first token of the next line if it is not closed. Adds to
  // `commas` the number of commas directly inside it.
  size_t afterBracket(size_t i, size_t &commas) const;

private:
  const std::vector<SyntaxToken> &tokens_;
  std::string_view text_;
};

// Finds the tokens at which items start. next() must be called for each token in order.
class ItemStarts {
public:
  explicit ItemStarts(const TokenScan &scan) : scan_(scan) {}
  bool next(size_t i);

private:
  const TokenScan &scan_;
  size_t depth_ = 0; // open braces in the item
};

// Whether a token type is a binary operator: arithmetic, mod, and, or, comparisons.
bool isBinaryOperator(size_t type);
// The token type of an op's name.
size_t opToken(Clause clause);
// The token type of a word that begins a statement about ranks, such as `mesh` or `all_reduce`; 0 for other words.
size_t rankToken(std::string_view word);
const OpInfo *findOpLoosely(std::string_view spelled); // ignores a wrong dialect prefix

} // namespace xt
