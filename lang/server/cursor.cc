#include "lang/server/cursor.h"

#include <cctype>

namespace xt::lsp {
namespace {

bool isNamePart(char c) {
  auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) || c == '_' || c == '.' || byte >= 0x80;
}

bool isOpening(std::string_view text) { return text == "(" || text == "[" || text == "{" || text == "<"; }
bool isClosing(std::string_view text) { return text == ")" || text == "]" || text == "}" || text == ">"; }

void findBracket(Cursor &place) {
  size_t depth = 0;
  for (size_t i = place.before.size(); i-- > 0;) {
    std::string_view text = place.spelled(place.before[i]);
    if (isClosing(text)) ++depth;
    if (!isOpening(text)) continue;
    if (depth > 0) {
      --depth;
      continue;
    }
    // A brace that ends its line opens a block.
    bool block =
        text == "{" && (i + 1 == place.before.size()
                            ? place.piece->text.substr(place.before[i].end, place.at - place.before[i].end).find('\n') !=
                                  std::string_view::npos
                            : place.before[i + 1].firstOnLine);
    if (block) return;
    if (text == "<" && i > 0 && place.before[i - 1].role != TokenRole::Constructor &&
        place.before[i - 1].role != TokenRole::Alias && place.before[i - 1].role != TokenRole::Word &&
        place.before[i - 1].role != TokenRole::TypeAlias)
      continue; // the `<` is a comparison
    place.bracket = text;
    place.bracketAt = i;
    return;
  }
}

void findItem(Cursor &place) {
  for (size_t i = place.before.size(); i-- > 0;) {
    std::string_view text = place.spelled(place.before[i]);
    if (!place.before[i].firstOnLine) continue;
    if (text == "kernel" || text == "func" || text == "func.func")
      place.inKernel = true;
    else if (text == "test")
      place.inTest = true;
    else
      continue;
    // After the item's closing brace the cursor is outside of it.
    int depth = 0;
    bool opened = false;
    for (size_t k = i; k < place.before.size(); ++k) {
      std::string_view t = place.spelled(place.before[k]);
      depth += t == "{" ? 1 : t == "}" ? -1 : 0;
      opened |= t == "{";
      if (opened && depth == 0 && t == "}")
        opened = false, place.inKernel = place.inTest = k + 1 < place.before.size() && !place.before[k + 1].firstOnLine;
    }
    if (!opened && depth <= 0) place.inKernel = place.inTest = false;
    return;
  }
}

void findStatement(Cursor &place) {
  place.lineFirst = place.before.size();
  while (place.lineFirst > 0) {
    if (place.before[--place.lineFirst].firstOnLine) break;
  }
  // If a line break follows the last token, there is no token on the cursor's line yet.
  uint32_t from = place.before.empty() ? 0 : place.before.back().end;
  if (place.piece->text.substr(from, place.at - from).find('\n') != std::string_view::npos)
    place.lineFirst = place.before.size();
  for (size_t i = place.lineFirst; i < place.before.size() && !place.op; ++i)
    if (place.before[i].role == TokenRole::Word && (i == place.lineFirst || place.spelled(place.before[i - 1]) == "="))
      place.op = findOp(place.spelled(place.before[i]));
}

} // namespace

Cursor cursorAt(const Query &query, uint32_t offset) {
  Cursor place;
  size_t index = query.document.pieceAt(offset);
  place.piece = &query.document.piece(index);
  place.at = offset - query.document.pieceStart(index);
  uint32_t begin = place.at;
  while (begin > 0 && isNamePart(place.piece->text[begin - 1])) --begin;
  if (begin > 0 && std::string_view("%#!$@").find(place.piece->text[begin - 1]) != std::string_view::npos) --begin;
  place.prefix = place.piece->text.substr(begin, place.at - begin);
  for (const RoleToken &token : place.piece->tokens) {
    if (token.begin >= begin) break;
    std::string_view text = place.spelled(token);
    bool closed = text.size() > 1 && text.ends_with('"');
    place.inText |=
        token.role == TokenRole::Text && token.begin < place.at && (token.end > place.at || (token.end == place.at && !closed));
    place.before.push_back(token);
  }
  findStatement(place);
  findItem(place);
  findBracket(place);
  return place;
}

} // namespace xt::lsp
