#include "ir/base/reports.h"

#include <nlohmann/json.hpp>

namespace xt {

namespace {
using Json = nlohmann::ordered_json;

Json rangeJson(SourceRange range, const SourceManager &sources) {
  const SourceFile &file = sources.file(range.file < sources.count() ? range.file : 0);
  LineColumn begin = file.lineColumn(range.begin), end = file.lineColumn(std::max(range.begin, range.end));
  Json json;
  json["file"] = file.name();
  json["line"] = begin.line;
  json["column"] = begin.column;
  json["endLine"] = end.line;
  json["endColumn"] = end.column;
  json["begin"] = range.begin;
  json["end"] = range.end;
  return json;
}

Json diagnosticJson(const Diagnostic &diagnostic, const SourceManager &sources) {
  Json json;
  json["code"] = codeText(diagnostic.code);
  json["severity"] = severityName(diagnostic.severity);
  json["message"] = cutText(diagnostic.message);
  json["range"] = rangeJson(diagnostic.range, sources);
  json["label"] = cutText(diagnostic.label);
  json["labels"] = Json::array();
  for (const Label &label : diagnostic.labels) {
    Json item;
    item["range"] = rangeJson(label.range, sources);
    item["text"] = cutText(label.text);
    json["labels"].push_back(std::move(item));
  }
  json["notes"] = Json::array();
  for (const std::string &note : diagnostic.notes) json["notes"].push_back(cutText(note));
  json["picture"] = diagnostic.picture;
  json["fixits"] = Json::array();
  for (const FixIt &fixit : diagnostic.fixits) {
    Json item;
    item["title"] = cutText(fixit.title);
    item["edits"] = Json::array();
    for (const TextEdit &edit : plainEdits(fixit, sources)) {
      Json change;
      change["range"] = rangeJson(edit.range, sources);
      change["replacement"] = edit.replacement;
      item["edits"].push_back(std::move(change));
    }
    json["fixits"].push_back(std::move(item));
  }
  return json;
}
} // namespace

std::string renderJson(const Diagnostics &diagnostics, const SourceManager &sources) {
  const DiagnosedSources all[] = {{&diagnostics, &sources}};
  return renderJson(all);
}

std::string renderJson(std::span<const DiagnosedSources> all) {
  Json list = Json::array();
  for (const DiagnosedSources &of : all) {
    ShownDiagnostics shown = shownOf(*of.diagnostics, kMostShownToPrograms);
    for (const Diagnostic *diagnostic : shown.list) list.push_back(diagnosticJson(*diagnostic, *of.sources));
    if (shown.rest.empty()) continue;
    Diagnostic rest{};
    rest.severity = Severity::Remark;
    rest.message = shown.rest;
    list.push_back(diagnosticJson(rest, *of.sources));
    list.back()["code"] = ""; // this message has no row in diagnostics.def
  }
  // Source text may hold bytes that are not UTF-8, and messages quote it.
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace xt
