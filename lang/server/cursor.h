// What the tokens before the cursor tell about its place in the text. Completion decides by this what it offers.
#pragma once
#include "ir/op_info.h"
#include "lang/server/query.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace xt::lsp {

// The syntactic context of the cursor, derived from the tokens of its piece that precede it. No tree is needed, so that the
// context is known in text with syntax errors too.
struct Cursor {
  Piece *piece = nullptr;
  uint32_t at = 0;               // byte offset in the piece
  std::string_view prefix;       // the part of the name that has been typed, with its sigil
  std::vector<RoleToken> before; // the preceding tokens, without the prefix
  size_t lineFirst = 0;          // index in `before` of the first token on the statement's line
  bool inKernel = false, inTest = false, inText = false;
  std::string_view bracket;      // the innermost open bracket: "{", "(", "[", "<" or ""
  size_t bracketAt = 0;
  const OpInfo *op = nullptr;    // the statement's op

  std::string_view spelled(const RoleToken &token) const { return piece->text.substr(token.begin, token.end - token.begin); }
  std::string_view last(size_t n = 1) const {
    return before.size() < n ? std::string_view() : spelled(before[before.size() - n]);
  }
};

// The context of a byte of the document.
Cursor cursorAt(const Query &query, uint32_t offset);

} // namespace xt::lsp
