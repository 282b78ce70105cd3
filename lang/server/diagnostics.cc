#include "lang/server/features.h"

#include "ir/base/reports.h"
#include "ir/base/text.h"
#include "ir/base/uri.h"

#include <algorithm>
#include <unistd.h>

namespace xt::lsp {
namespace {

int severityOf(Severity severity) {
  switch (severity) {
  case Severity::Error: return 1;
  case Severity::Warning: return 2;
  case Severity::Remark: return 3;
  }
  return 1;
}

// Address of a code's heading in the reference next to the standard library. The anchor is the heading in lower case, with
// '-' for spaces, as Markdown renderers name it. Empty if the reference cannot be read.
std::string pageOf(const Workspace &workspace, DiagCode code) {
  const std::string &folder = workspace.stdlib();
  size_t slash = folder.rfind('/');
  if (slash == std::string::npos) return {};
  std::string page = folder.substr(0, slash) + "/ir/base/diagnostics/REFERENCE.md";
  if (::access(page.c_str(), R_OK) != 0) return {};
  std::string anchor;
  for (char c : str(codeText(code), "-", diagInfo(code).title)) {
    auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(byte));
    else if (c == ' ')
      anchor += '-';
  }
  return uriOfPath(page) + "#" + anchor;
}

Json related(const Query &query, SourceRange range, const std::string &text) {
  Json location = query.location(range);
  return location.is_null() ? Json() : Json{{"location", location}, {"message", text}};
}

// The import declaration through which a document includes a file.
std::optional<Span> importOf(const Query &query, const Document &imported) {
  for (size_t i = 0; i < query.document.pieceCount(); ++i)
    for (const ast::ImportDecl &decl : query.document.piece(i).parsed.tree.imports)
      for (const std::string &path : importCandidates(decl.path, query.document.path(), query.workspace.stdlib()))
        if (path == imported.path()) return query.span(decl.pathRange);
  for (size_t i = 0; i < query.document.pieceCount(); ++i) // indirectly, through another imported file
    for (const ast::ImportDecl &decl : query.document.piece(i).parsed.tree.imports) return query.span(decl.pathRange);
  return std::nullopt;
}

Json diagnosticJson(const Query &query, const Diagnostic &diagnostic) {
  Json json, list = Json::array();
  Place place = query.workspace.locate(diagnostic.range);
  if (place.document == &query.document || !place.document) {
    json["range"] = query.range(place.document ? place.span : Span{});
  } else {
    std::optional<Span> import = importOf(query, *place.document);
    json["range"] = query.range(import.value_or(Span{}));
    list.push_back(related(query, diagnostic.range, cutText(diagnostic.message)));
  }
  json["severity"] = severityOf(diagnostic.severity);
  json["code"] = codeText(diagnostic.code);
  if (std::string page = pageOf(query.workspace, diagnostic.code); !page.empty()) json["codeDescription"] = {{"href", page}};
  json["source"] = "xt";
  json["message"] = diagnosticText(diagnostic);
  for (const Label &label : diagnostic.labels)
    if (Json item = related(query, label.range, cutText(label.text)); !item.is_null()) list.push_back(std::move(item));
  if (!list.empty()) json["relatedInformation"] = std::move(list);
  return json;
}

} // namespace

std::string diagnosticText(const Diagnostic &diagnostic) {
  std::string text = cutText(diagnostic.message);
  if (!diagnostic.label.empty()) text += "\nhere: " + cutText(diagnostic.label);
  for (const std::string &note : diagnostic.notes) text += "\nnote: " + cutText(note);
  if (!diagnostic.picture.empty()) text += "\n" + diagnostic.picture;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

Json diagnostics(const Query &query) {
  ShownDiagnostics shown = shownOf(query.analysis.diagnostics, kMostShownToPrograms);
  std::vector<std::pair<Span, const Diagnostic *>> order;
  for (const Diagnostic *diagnostic : shown.list) {
    Place place = query.workspace.locate(diagnostic->range);
    order.emplace_back(place.document == &query.document ? place.span : Span{}, diagnostic);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) { return a.first.begin < b.first.begin; });
  Json list = Json::array();
  for (const auto &[span, diagnostic] : order) list.push_back(diagnosticJson(query, *diagnostic));
  if (!shown.rest.empty())
    list.push_back({{"range", query.range(Span{})},
                    {"severity", severityOf(Severity::Remark)},
                    {"source", "xt"},
                    {"message", shown.rest}});
  return list;
}

} // namespace xt::lsp
