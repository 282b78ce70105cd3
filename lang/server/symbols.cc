#include "ir/base/text.h"
#include "lang/server/features.h"

#include <algorithm>

namespace xt::lsp {
namespace {

// SymbolKind of the protocol.
enum class SymbolKind : uint8_t { Module = 2, Method = 6, Function = 12, Constant = 14, Key = 20, TypeParameter = 26 };

struct Symbol {
  std::string name, detail;
  SymbolKind kind;
  SourceRange whole, selection;
};

std::vector<Symbol> symbolsOf(const Piece &piece) {
  std::vector<Symbol> all;
  auto add = [&](std::string name, std::string detail, SymbolKind kind, SourceRange whole, SourceRange selection) {
    if (!selection.file) selection = whole.startPoint();
    whole.end = std::min(std::max(whole.end, selection.end), piece.size);
    whole.begin = std::min(whole.begin, selection.begin);
    all.push_back({std::move(name), std::move(detail), kind, whole, selection});
  };
  for (const ast::ImportDecl &d : piece.parsed.tree.imports)
    add(str("import ", d.path), "", SymbolKind::Module, d.range, d.pathRange);
  for (const ast::ParamDecl &d : piece.parsed.tree.params)
    if (d.name) add("$" + d.name.text, d.type.name.text, SymbolKind::Constant, d.range, d.name.range);
  for (const ast::AttrAlias &d : piece.parsed.tree.attrAliases)
    if (d.name) add("#" + d.name.text, d.value.name.text, SymbolKind::Key, d.range, d.name.range);
  for (const ast::TypeAlias &d : piece.parsed.tree.typeAliases)
    if (d.name) add("!" + d.name.text, d.value.name.text, SymbolKind::TypeParameter, d.range, d.name.range);
  for (const ast::KernelDecl &d : piece.parsed.tree.kernels)
    if (d.name) add("@" + d.name.text, d.isFunction ? "func" : "kernel", SymbolKind::Function, d.range, d.name.range);
  for (const ast::TestDecl &d : piece.parsed.tree.tests)
    add(str("test \"", d.name, "\""), "", SymbolKind::Method, d.range, d.nameRange);
  std::sort(all.begin(), all.end(), [](const Symbol &a, const Symbol &b) { return a.selection.begin < b.selection.begin; });
  return all;
}

} // namespace

Json documentSymbols(const Query &query) {
  Json list = Json::array();
  for (size_t i = 0; i < query.document.pieceCount(); ++i)
    for (Symbol &symbol : symbolsOf(query.document.piece(i)))
      list.push_back({{"name", symbol.name},
                      {"detail", symbol.detail},
                      {"kind", static_cast<int>(symbol.kind)},
                      {"range", query.range(query.span(symbol.whole))},
                      {"selectionRange", query.range(query.span(symbol.selection))}});
  return list;
}

Json workspaceSymbols(Workspace &workspace, Encoding encoding, const std::string &text) {
  constexpr size_t kMost = 500;
  auto lower = [](std::string s) {
    for (char &c : s) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return s;
  };
  std::string wanted = lower(text);
  Json list = Json::array();
  for (const Document *document : workspace.allFiles())
    for (size_t i = 0; i < document->pieceCount(); ++i)
      for (const Symbol &symbol : symbolsOf(document->piece(i))) {
        if (list.size() >= kMost || lower(symbol.name).find(wanted) == std::string::npos) continue;
        Place place = workspace.locate(symbol.selection);
        if (!place.document) continue;
        list.push_back({{"name", symbol.name},
                        {"kind", static_cast<int>(symbol.kind)},
                        {"location", {{"uri", document->uri()}, {"range", document->text().range(place.span, encoding)}}}});
      }
  return list;
}

} // namespace xt::lsp
