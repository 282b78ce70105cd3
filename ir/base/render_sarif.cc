#include "ir/base/reports.h"
#include "ir/base/text.h"
#include "ir/base/uri.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace xt {

namespace {
using Json = nlohmann::ordered_json;

std::string_view levelText(Severity severity) {
  switch (severity) {
  case Severity::Error: return "error";
  case Severity::Warning: return "warning";
  case Severity::Remark: return "note";
  }
  return "";
}

Json artifact(SourceRange range, const SourceManager &sources) {
  return {{"uri", uriReferenceOfPath(sources.file(range.file < sources.count() ? range.file : 0).name())}};
}

Json region(SourceRange range, const SourceManager &sources) {
  const SourceFile &file = sources.file(range.file < sources.count() ? range.file : 0);
  uint32_t stop = std::max(range.begin, range.end);
  LineColumn begin = file.lineColumn(range.begin), end = file.lineColumn(stop);
  return {{"startLine", begin.line}, {"startColumn", begin.column}, {"endLine", end.line},
          {"endColumn", end.column}, {"byteOffset", range.begin},   {"byteLength", stop - range.begin}};
}

Json location(SourceRange range, const SourceManager &sources) {
  return {{"physicalLocation", {{"artifactLocation", artifact(range, sources)}, {"region", region(range, sources)}}}};
}

std::string textOf(const Diagnostic &diagnostic) {
  std::string text = cutText(diagnostic.message);
  if (!diagnostic.label.empty()) text += "\n" + cutText(diagnostic.label);
  for (const std::string &note : diagnostic.notes) text += "\nnote: " + cutText(note);
  if (!diagnostic.picture.empty()) text += "\n" + diagnostic.picture;
  return text;
}

// A SARIF `fix`, with one `artifactChange` per file that it edits.
Json fixOf(const FixIt &fix, const SourceManager &sources) {
  Json changes = Json::array();
  std::vector<uint32_t> files;
  for (const TextEdit &edit : plainEdits(fix, sources)) {
    auto at = std::find(files.begin(), files.end(), edit.range.file);
    auto index = static_cast<size_t>(at - files.begin());
    if (at == files.end()) {
      files.push_back(edit.range.file);
      changes.push_back({{"artifactLocation", artifact(edit.range, sources)}, {"replacements", Json::array()}});
    }
    changes[index]["replacements"].push_back(
        {{"deletedRegion", region(edit.range, sources)}, {"insertedContent", {{"text", edit.replacement}}}});
  }
  return {{"description", {{"text", cutText(fix.title)}}}, {"artifactChanges", std::move(changes)}};
}

Json resultOf(const Diagnostic &diagnostic, size_t rule, const SourceManager &sources) {
  Json result;
  result["ruleId"] = codeText(diagnostic.code);
  result["ruleIndex"] = rule;
  result["level"] = levelText(diagnostic.severity);
  result["message"]["text"] = textOf(diagnostic);
  result["locations"] = Json::array({location(diagnostic.range, sources)});
  for (const Label &label : diagnostic.labels) {
    Json place = location(label.range, sources);
    place["message"]["text"] = cutText(label.text);
    result["relatedLocations"].push_back(std::move(place));
  }
  for (const FixIt &fix : diagnostic.fixits) result["fixes"].push_back(fixOf(fix, sources));
  return result;
}

Json ruleOf(DiagCode code) {
  const DiagInfo &info = diagInfo(code);
  return {{"id", codeText(code)},
          {"name", info.name},
          {"shortDescription", {{"text", info.title}}},
          {"help", {{"text", info.explanation}}},
          {"defaultConfiguration", {{"level", levelText(info.severity)}}}};
}
} // namespace

std::string renderSarif(std::span<const DiagnosedSources> all) {
  std::vector<DiagCode> rules; // the codes that occur, in numerical order
  std::vector<std::pair<const Diagnostic *, const SourceManager *>> shown;
  std::vector<std::string> rest; // per compilation with messages that are not shown: the note about them
  for (const DiagnosedSources &of : all) {
    ShownDiagnostics own = shownOf(*of.diagnostics, kMostShownToPrograms);
    for (const Diagnostic *diagnostic : own.list) shown.emplace_back(diagnostic, of.sources);
    if (!own.rest.empty()) rest.push_back(std::move(own.rest));
  }
  for (const auto &[diagnostic, sources] : shown) rules.push_back(diagnostic->code);
  std::sort(rules.begin(), rules.end());
  rules.erase(std::unique(rules.begin(), rules.end()), rules.end());
  Json run;
  run["tool"]["driver"] = {{"name", "xtc"}, {"rules", Json::array()}};
  for (DiagCode code : rules) run["tool"]["driver"]["rules"].push_back(ruleOf(code));
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = Json::array();
  for (const auto &[diagnostic, sources] : shown) {
    auto rule = std::lower_bound(rules.begin(), rules.end(), diagnostic->code) - rules.begin();
    run["results"].push_back(resultOf(*diagnostic, static_cast<size_t>(rule), *sources));
  }
  for (const std::string &text : rest) run["results"].push_back({{"level", "note"}, {"message", {{"text", text}}}});
  Json log;
  log["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = Json::array({std::move(run)});
  // Source text may hold bytes that are not UTF-8, and messages quote it.
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace xt
