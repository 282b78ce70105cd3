// A file in pieces of about one item each. A piece is parsed once and never changed, so that an edit costs the pieces that
// it touches; ranges in it count from its start, and stay true when the pieces before it change.
#pragma once
#include "lang/lower/file_lowering.h"
#include "lang/parse/token_role.h"
#include "lang/parse/reparse.h"
#include "lang/server/text.h"

#include <map>
#include <memory>

namespace xt::lsp {

// Where pieces begin, 0 first: lines that start an item whatever stands before them. What begins an item less plainly is
// part of the piece before.
std::vector<uint32_t> cutPieces(std::string_view text);

struct Piece {
  uint32_t file = 0;    // what ranges of it say
  uint32_t size = 0;    // bytes; `text` goes on with the first word of the next piece, which messages may name
  std::string_view text;
  ParsedText parsed;
  // Checks of its kernels and functions, the latest first.
  std::map<std::pair<const ast::KernelDecl *, std::string>, std::vector<std::shared_ptr<KernelCheck>>> checks;
  std::vector<RoleToken> tokens;
};

// Parses `text` at `place` as one piece of the file `name`. `before`: the piece that this one was, or null.
std::shared_ptr<Piece> makePiece(SourceManager &sources, const std::string &name, std::string_view text, Span place, const Piece *before);
// The bytes that make a piece what it is: those of its place, and what it looks at behind.
std::string_view pieceText(std::string_view text, Span place);
} // namespace xt::lsp
