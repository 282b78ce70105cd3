#include "ir/base/text.h"
#include "lang/server/features.h"
#include "lang/server/spell.h"

namespace xt::lsp {
namespace {

// Whether `name` is a valid name without sigil: letters, digits, '_' and '.', with neither a digit nor '.' first.
bool isName(std::string_view name) {
  if (name.empty()) return false;
  for (char c : name) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && !std::isalnum(byte) && c != '_' && c != '.') return false;
  }
  return !std::isdigit(static_cast<unsigned char>(name[0])) && name[0] != '.';
}

bool hasSigil(char c) { return c == '%' || c == '#' || c == '!' || c == '$' || c == '@'; }

// The span of the name without its sigil, and without the suffixes of `%x:2` and `%x#1`.
Span bare(const Place &place) {
  std::string_view text = place.document->slice(place.span);
  size_t end = text.starts_with('%') ? text.find_first_of(":#") : std::string_view::npos;
  return {place.span.begin + (!text.empty() && hasSigil(text[0]) ? 1u : 0u),
          end == std::string_view::npos ? place.span.end : place.span.begin + static_cast<uint32_t>(end)};
}

bool isNamed(const NameUse *use) { return use && use->kind != NameKind::Op && use->kind != NameKind::HostFn; }

} // namespace

Json definition(const Query &query, uint32_t offset) {
  // The definition of an import is the imported file.
  const Piece &piece = query.document.piece(query.document.pieceAt(offset));
  SourceRange at = query.document.at(offset);
  for (const ast::ImportDecl &decl : piece.parsed.tree.imports)
    if (decl.range.begin <= at.begin && at.begin <= decl.range.end)
      for (const std::string &path : importCandidates(decl.path, query.document.path(), query.workspace.stdlib()))
        if (const Document *file = query.workspace.findPath(path))
          return {{"uri", file->uri()}, {"range", file->text().range({}, query.encoding)}};
  const NameUse *use = query.useAt(offset);
  return isNamed(use) ? query.location(use->target) : Json();
}

Json typeDefinition(const Query &query, uint32_t offset) {
  const NameUse *use = query.useAt(offset);
  if (!use || !use->type) return nullptr;
  TypeSpeller speller(query);
  const std::string &layout = speller.layout(use->type);
  for (const NameUse &declared : query.analysis.checked.names.uses())
    if (declared.kind == NameKind::Alias && declared.isDefinition && query.written(declared.target) == layout)
      return query.location(declared.target);
  return nullptr;
}

Json references(const Query &query, uint32_t offset, bool withDefinition) {
  const NameUse *use = query.useAt(offset);
  if (!isNamed(use)) return nullptr;
  Json list = Json::array();
  for (const Occurrence &occurrence : occurrences(query, *use))
    if (withDefinition || !occurrence.isDefinition)
      list.push_back({{"uri", occurrence.place.document->uri()},
                      {"range", occurrence.place.document->text().range(occurrence.place.span, query.encoding)}});
  return list;
}

Json highlights(const Query &query, uint32_t offset) {
  constexpr int kRead = 2, kWrite = 3;
  const NameUse *use = query.useAt(offset);
  if (!isNamed(use)) return nullptr;
  Json list = Json::array();
  for (const Occurrence &occurrence : occurrences(query, *use))
    if (occurrence.place.document == &query.document)
      list.push_back({{"range", query.range(occurrence.place.span)}, {"kind", occurrence.isDefinition ? kWrite : kRead}});
  return list;
}

Json prepareRename(const Query &query, uint32_t offset) {
  const NameUse *use = query.useAt(offset);
  if (!isNamed(use)) return nullptr;
  Place place = query.workspace.locate(use->range);
  if (place.document != &query.document) return nullptr;
  Span span = bare(place);
  return {{"range", query.range(span)}, {"placeholder", query.document.slice(span)}};
}

RenameResult rename(const Query &query, uint32_t offset, const std::string &newName) {
  const NameUse *use = query.useAt(offset);
  if (!isNamed(use)) return {nullptr, "there is no name here to rename"};
  std::string name = !newName.empty() && hasSigil(newName[0]) ? newName.substr(1) : newName;
  if (!isName(name))
    return {nullptr, str("`", newName, "` is not a valid name: use letters, digits, `_` and `.`, and begin with a letter")};
  std::vector<Occurrence> all = occurrences(query, *use);
  // Refuse to rename in files of the standard library that are not open in the client.
  for (const Occurrence &occurrence : all)
    if (!query.workspace.stdlib().empty() && occurrence.place.document->path().starts_with(query.workspace.stdlib() + "/") &&
        !occurrence.place.document->isOpen())
      return {nullptr, "the name belongs to the standard library"};
  if (use->kind == NameKind::Value) {
    Piece &piece = query.document.piece(query.document.pieceAt(query.workspace.locate(use->range).span.begin));
    for (const RoleToken &token : piece.tokens)
      if (token.role == TokenRole::Value && piece.text.substr(token.begin + 1, token.end - token.begin - 1) == name &&
          name != query.written(use->range).substr(1))
        return {nullptr, str("`%", name, "` is already a name in this kernel")};
  } else {
    for (const NameUse &other : query.analysis.checked.names.uses())
      if (other.isDefinition && other.kind == use->kind && other.target != use->target &&
          query.written(other.target).substr(1) == name)
        return {nullptr, str("`", query.written(other.target), "` is already defined")};
  }
  Json changes = Json::object();
  for (const Occurrence &occurrence : all) {
    const Document &document = *occurrence.place.document;
    Span span = bare(occurrence.place);
    // Replace the name only: the suffixes of `%x:2` and `%x#0` stay.
    changes[document.uri()].push_back({{"range", document.text().range(span, query.encoding)}, {"newText", name}});
  }
  return {{{"changes", std::move(changes)}}, {}};
}

} // namespace xt::lsp
