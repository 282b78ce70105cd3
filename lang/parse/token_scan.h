// What the next tokens look like: questions with a bounded look-ahead over the lexer's tokens.
#pragma once
#include "ir/op_info.h"
#include "lang/parse/syntax_token.h"

#include <string_view>

namespace xt {

// A statement that binds more results is read as one that binds none; the limit keeps the look-ahead short.
inline constexpr size_t kMostResults = 64;

class TokenScan {
public:
  TokenScan(const std::vector<SyntaxToken> &tokens, std::string_view text) : tokens_(tokens), text_(text) {}

  // The type of a token; the end of file's beyond the end.
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
  // %a, %b:2 = …: the index of the '=', or 0.
  size_t resultsEnd(size_t i) const;
  // At i, the first token of its line, something starts that cannot be the middle of another statement.
  bool startsStatement(size_t i) const;
  // At i, the first token of its line, an item starts: kernel @…, test "…", #a = … In braces that are open, a word that is
  // no keyword starts one only if a block stands on its line.
  bool startsItem(size_t i, bool insideBraces = false) const;
  // The brace at i ends its line, and a statement starts on the next one.
  bool opensBody(size_t i) const;
  bool lineOpensBlock(size_t i) const; // the brace that ends the line of i does
  bool lineHoldsBlock(size_t i) const; // a brace opens on it, and another one ends it
  // The word at i, in op position, is an op's name: its clause shape. None if it is the callee of a call, or no op.
  bool isOpName(size_t i) const;
  Clause clauseOf(size_t i) const;
  // The index after the bracket that closes the one at i, or of the end of the line if none does. `commas` counts those
  // that stand directly in it.
  size_t afterBracket(size_t i, size_t &commas) const;

private:
  const std::vector<SyntaxToken> &tokens_;
  std::string_view text_;
};

// Where items start, asked of each token in order.
class ItemStarts {
public:
  explicit ItemStarts(const TokenScan &scan) : scan_(scan) {}
  bool next(size_t i);

private:
  const TokenScan &scan_;
  size_t depth_ = 0; // braces that are open in the item
};

// The token type of an op's name.
size_t opToken(Clause clause);
const OpInfo *findOpLoosely(std::string_view spelled); // also under a wrong prefix

} // namespace xt
