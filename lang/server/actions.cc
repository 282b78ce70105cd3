// Code actions: the fixes of messages, and refactorings of correct code.
#include "ir/base/text.h"
#include "lang/server/features.h"
#include "lang/server/spell.h"
#include "lang/server/tree.h"

#include <algorithm>

namespace xt::lsp {
namespace {

class Actions {
public:
  Actions(const Query &query, Span span, const std::vector<std::string> &kinds)
      : query_(query), span_(span), kinds_(kinds), speller_(query) {}

  Json run() {
    if (wants("quickfix")) fixes();
    size_t index = query_.document.pieceAt(span_.begin);
    const Piece &piece = query_.document.piece(index);
    const ast::KernelDecl *kernel = kernelAt(piece, span_.begin - query_.document.pieceStart(index));
    if (kernel && wants("refactor.rewrite")) writeTypes(*kernel);
    if (kernel && wants("refactor.extract")) extractLayouts(piece, *kernel);
    return std::move(list_);
  }

private:
  bool wants(std::string_view kind) const {
    auto covers = [&](const std::string &wanted) { return kind == wanted || kind.starts_with(wanted + "."); };
    return kinds_.empty() || std::any_of(kinds_.begin(), kinds_.end(), covers);
  }
  bool touches(Span span) const { return span.begin <= span_.end && span_.begin <= span.end; }

  Json edit(Span span, const std::string &text) const { return {{"range", query_.range(span)}, {"newText", text}}; }
  Json action(const std::string &title, std::string_view kind, Json edits) const {
    Json changes = Json::object();
    changes[query_.document.uri()] = std::move(edits);
    return {{"title", title}, {"kind", kind}, {"edit", {{"changes", std::move(changes)}}}};
  }

  // Offers every fix of the messages that the selection touches. Fixes that are only candidates are tried first.
  void fixes() {
    bool any = false;
    for (const Diagnostic &d : query_.analysis.diagnostics.all()) {
      Place place = query_.workspace.locate(d.range);
      any |= !d.fixits.empty() && place.document == &query_.document && touches(place.span);
    }
    if (!any) return;
    query_.workspace.tryFixes(query_.document, query_.analysis);
    for (const Diagnostic &d : query_.analysis.diagnostics.all()) {
      Place place = query_.workspace.locate(d.range);
      if (place.document != &query_.document || !touches(place.span)) continue;
      for (const FixIt &fix : d.fixits) {
        Json changes = Json::object();
        for (const TextEdit &change : plainEdits(fix, query_.workspace.sources())) {
          Place at = query_.workspace.locate(change.range);
          if (at.document)
            changes[at.document->uri()].push_back(
                {{"range", at.document->text().range(at.span, query_.encoding)}, {"newText", change.replacement}});
        }
        Json json = {{"title", fix.title}, {"kind", "quickfix"}, {"edit", {{"changes", std::move(changes)}}}};
        if (&fix == &d.fixits.front()) json["isPreferred"] = true;
        json["diagnostics"] = Json::array({{{"range", query_.range(place.span)},
                                            {"message", diagnosticText(d)},
                                            {"code", codeText(d.code)},
                                            {"source", "xt"}}});
        list_.push_back(std::move(json));
      }
    }
  }

  // Returns the text that adds the inferred result type to a statement; nullopt if the statement has a type or cannot have one
  // there.
  std::optional<std::string> signatureOf(const ast::Stmt &stmt, Type type) {
    if (writtenType(stmt) || stmt.results.size() != 1 || stmt.results[0].count != 1) return std::nullopt;
    const std::string &spelled = speller_.type(type);
    if (stmt.kind == ast::Stmt::Kind::Assign)
      return stmt.attrs || stmt.signature ? std::nullopt : std::optional(" : " + spelled);
    if (stmt.kind != ast::Stmt::Kind::Op || stmt.op->signature || !(type.isVector() || type.isTile() || type.isTensorDesc()))
      return std::nullopt;
    return " -> " + spelled;
  }

  void writeTypes(const ast::KernelDecl &kernel) {
    Json all = Json::array();
    eachStmt(kernel.body, [&](const ast::Stmt &stmt) {
      if (stmt.results.size() != 1) return;
      const NameUse *use = query_.definitionAt(stmt.results[0].name.range);
      if (!use || !use->type) return;
      std::optional<std::string> text = signatureOf(stmt, use->type);
      if (!text) return;
      Span whole = query_.span(stmt.range);
      Json one = edit({whole.end, whole.end}, *text);
      if (touches(whole)) list_.push_back(action("write the inferred type", "refactor.rewrite", Json::array({one})));
      all.push_back(std::move(one));
    });
    if (all.size() > 1) list_.push_back(action("write the inferred types of this kernel", "refactor.rewrite", std::move(all)));
  }

  // Offers to replace a layout that is written out in the kernel by an alias declared above the kernel.
  void extractLayouts(const Piece &piece, const ast::KernelDecl &kernel) {
    for (size_t at = piece.text.find('#', kernel.body.range.begin); at < kernel.body.range.end && at != std::string_view::npos;
         at = piece.text.find('#', at + 1)) {
      size_t open = piece.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_.0123456789", at + 1);
      if (open == std::string_view::npos || piece.text[open] != '<') continue;
      size_t end = closing(piece.text, open);
      if (end == std::string_view::npos) continue;
      Span written = query_.span({piece.file, static_cast<uint32_t>(at), static_cast<uint32_t>(end)});
      if (!touches(written)) continue;
      std::string name = freeName(), layout(piece.text.substr(at, end - at));
      Json edits = Json::array();
      Span start = query_.span(kernel.range.startPoint());
      edits.push_back(edit(start, str("#", name, " = ", layout, "\n\n")));
      for (size_t same = piece.text.find(layout, kernel.body.range.begin);
           same < kernel.body.range.end && same != std::string_view::npos; same = piece.text.find(layout, same + layout.size()))
        edits.push_back(edit(
            query_.span({piece.file, static_cast<uint32_t>(same), static_cast<uint32_t>(same + layout.size())}), "#" + name));
      list_.push_back(action(str("extract the layout as `#", name, "`"), "refactor.extract", std::move(edits)));
      return;
    }
  }

  static size_t closing(std::string_view text, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i < text.size() && text[i] != '\n'; ++i) {
      depth += text[i] == '<';
      if (text[i] == '>' && --depth == 0) return i + 1;
    }
    return std::string_view::npos;
  }

  std::string freeName() const {
    auto taken = [&](const std::string &name) {
      for (const NameUse &use : query_.analysis.checked.names.uses())
        if (use.kind == NameKind::Alias && use.isDefinition && query_.written(use.target) == "#" + name) return true;
      return false;
    };
    std::string name = "map";
    for (int i = 2; taken(name); ++i) name = str("map", i);
    return name;
  }

  const Query &query_;
  Span span_;
  const std::vector<std::string> &kinds_;
  TypeSpeller speller_;
  Json list_ = Json::array();
};

} // namespace

Json codeActions(const Query &query, Span span, const std::vector<std::string> &kinds) {
  return Actions(query, span, kinds).run();
}

} // namespace xt::lsp
