#include "lang/server/pieces.h"

#include <cstring>

namespace xt::lsp {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isWordByte(char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '.'; }

// Matches `word`, blanks, then `next`; a `next` that is a sigil must be followed by a letter.
bool startsWith(std::string_view line, std::string_view word, char next) {
  if (!line.starts_with(word)) return false;
  line.remove_prefix(word.size());
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string_view::npos || (at == 0 && next != '"') || line[at] != next) return false;
  return next == '"' || (at + 1 < line.size() && isLetter(line[at + 1]));
}

// Recognises only lines at which lang/parse starts an item independently of the text before (TokenScan::startsItem).
bool startsItem(std::string_view line) {
  if (line.size() < 2) return false;
  switch (line[0]) {
  case '#':
  case '!': return isLetter(line[1]);
  case 'k': return startsWith(line, "kernel", '@');
  case 'f': return startsWith(line, "func", '@') || startsWith(line, "func.func", '@');
  case 't': return startsWith(line, "test", '"');
  case 'i': return startsWith(line, "import", '"');
  case 'p': return startsWith(line, "param", '$');
  default: return false;
  }
}

} // namespace

std::vector<uint32_t> cutPieces(std::string_view text) {
  std::vector<uint32_t> starts = {0};
  for (size_t at = 0; at < text.size();) {
    if (at > 0 && startsItem(text.substr(at, 256))) starts.push_back(static_cast<uint32_t>(at));
    const void *end = std::memchr(text.data() + at, '\n', text.size() - at);
    if (!end) break;
    at = static_cast<size_t>(static_cast<const char *>(end) - text.data()) + 1;
  }
  return starts;
}

std::string_view pieceText(std::string_view text, Span place) {
  size_t end = place.end;
  if (end < text.size() && (text[end] == '#' || text[end] == '!')) ++end;
  while (end < text.size() && isWordByte(text[end])) ++end;
  return text.substr(place.begin, end - place.begin);
}

std::shared_ptr<Piece> makePiece(SourceManager &sources, const std::string &name, std::string_view text, Span place,
                                 const Piece *before) {
  auto piece = std::make_shared<Piece>();
  piece->file = sources.add(name, std::string(pieceText(text, place)));
  piece->size = place.end - place.begin;
  piece->text = sources.file(piece->file).text();
  piece->parsed = parseText(sources, piece->file, piece->size, before ? &before->parsed : nullptr);
  piece->tokens = tokenRoles(piece->parsed.lexed, piece->size);
  piece->parsed.lexed = {};
  return piece;
}

} // namespace xt::lsp
