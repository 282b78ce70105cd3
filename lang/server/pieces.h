// Divides a file into pieces of about one item each. A piece is parsed once and never changed, so an edit costs only the
// pieces that it touches. Ranges in a piece count from its start, so they stay valid when earlier pieces change.
#pragma once
#include "lang/lower/file_lowering.h"
#include "lang/parse/reparse.h"
#include "lang/parse/token_role.h"
#include "lang/server/text.h"

#include <map>
#include <memory>

namespace xt::lsp {

// Offsets at which pieces begin; the first is 0. A piece begins at each line that starts an item independently of the text
// before it. An item whose first line is ambiguous belongs to the preceding piece.
std::vector<uint32_t> cutPieces(std::string_view text);

struct Piece {
  uint32_t file = 0;    // the file index in the piece's ranges
  uint32_t size = 0;    // bytes; `text` also holds the first word of the next piece, which messages may name
  std::string_view text;
  ParsedText parsed;
  // Check results of the piece's kernels and functions by declaration and instance, most recently used first.
  std::map<std::pair<const ast::KernelDecl *, std::string>, std::vector<std::shared_ptr<KernelCheck>>> checks;
  std::vector<RoleToken> tokens;
};

// Parses the bytes of `text` at `place` as one piece of the file `name`. `before` is the earlier version of this piece, or
// null.
std::shared_ptr<Piece> makePiece(SourceManager &sources, const std::string &name, std::string_view text, Span place,
                                 const Piece *before);
// The bytes that determine a piece: those at `place`, followed by the first word of the next piece.
std::string_view pieceText(std::string_view text, Span place);
} // namespace xt::lsp
