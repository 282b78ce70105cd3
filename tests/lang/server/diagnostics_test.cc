// Checks that the editor gets the messages of xtc, with their ranges, notes and fixes, for every file of
// tests/lang/diagnostics.
#include "tests/lang/server/check_again.h"

#include "ir/base/uri.h"
#include "lang/server/features.h"

namespace xt {
namespace {

const std::string kFolder = std::string(XT_SOURCE_DIR) + "/tests/lang/diagnostics/";

ImportOptions imports() {
  return {[](const std::string &path) -> Result<std::string> {
            if (!std::filesystem::is_regular_file(path)) return noSuchFile();
            return test::readText(path);
          },
          ""};
}

TEST(ServerDiagnostics, AreThoseOfTheCompiler) {
  for (const char *folder : {"lang/diagnostics", "lang/parse/mistakes"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      lsp::Workspace workspace;
      lsp::Document &document = workspace.open(uriOfPath(path), 1, test::readText(path));
      EXPECT_EQ(test::fromServer(workspace, document, true), test::fromScratch(path, document.text().str(), imports(), true))
          << path;
    }
}

std::vector<std::filesystem::path> mistakes() {
  std::vector<std::filesystem::path> all = test::filesIn("lang/diagnostics", ".xt");
  for (const auto &path : test::filesIn("lang/parse/mistakes", ".xt")) all.push_back(path);
  return all;
}

// The editor gets every code of the front end with its range, its notes in the message, and its labels as related locations.
TEST(ServerDiagnostics, EachIsSentWithAllThatBelongsToIt) {
  std::set<DiagCode> seen;
  for (const auto &path : mistakes()) {
    SCOPED_TRACE(path);
    lsp::Workspace workspace;
    lsp::Document &document = workspace.open(uriOfPath(path), 1, test::readText(path));
    lsp::Analysis &analysis = workspace.analyse(document);
    lsp::Json list = lsp::diagnostics({workspace, document, analysis, lsp::Encoding::Utf8});
    ASSERT_EQ(list.size(), analysis.diagnostics.all().size());
    for (const Diagnostic &d : analysis.diagnostics.all()) {
      seen.insert(d.code);
      lsp::Place place = workspace.locate(d.range);
      bool here = place.document == &document;
      auto isThis = [&](const lsp::Json &json) {
        return json["code"] == codeText(d.code) &&
               (!here || json["range"] == document.text().range(place.span, lsp::Encoding::Utf8));
      };
      auto json = std::find_if(list.begin(), list.end(), isThis);
      ASSERT_NE(json, list.end()) << codeText(d.code);
      std::string message = lsp::textOf((*json)["message"]);
      EXPECT_TRUE(message.starts_with(d.message));
      for (const std::string &note : d.notes) EXPECT_NE(message.find(note), std::string::npos) << note;
      size_t places = !here && place.document ? 1 : 0;
      for (const Label &label : d.labels) places += workspace.locate(label.range).document != nullptr;
      EXPECT_EQ(lsp::member(*json, "relatedInformation").size(), places);
    }
  }
  std::set<int> expected;
  for (const auto &path : mistakes()) expected.insert(std::stoi(path.filename().string().substr(5, 4)));
  for (int code : expected) EXPECT_TRUE(seen.contains(static_cast<DiagCode>(code))) << code;
}

// Counts errors. The files of lang/parse/mistakes use undeclared names, so only syntax errors count for them.
size_t mistakesOf(const std::filesystem::path &path, const Diagnostics &diagnostics) {
  constexpr int kLastOfSyntax = 199;
  bool syntax = path.string().find("/parse/") != std::string::npos;
  size_t count = 0;
  for (const Diagnostic &d : diagnostics.all())
    count += d.severity == Severity::Error && (!syntax || static_cast<int>(d.code) <= kLastOfSyntax);
  return count;
}

// Each file has one error, so it compiles after each of its fixes.
TEST(ServerDiagnostics, EachFixIsAnActionAfterWhichTheFileCompiles) {
  size_t applied = 0;
  for (const auto &path : mistakes()) {
    lsp::Workspace workspace;
    lsp::Document &document = workspace.open(uriOfPath(path), 1, test::readText(path));
    lsp::Analysis &analysis = workspace.analyse(document);
    EXPECT_EQ(mistakesOf(path, analysis.diagnostics), 1u) << path;
    lsp::Json actions =
        lsp::codeActions({workspace, document, analysis, lsp::Encoding::Utf8}, {0, document.text().size()}, {"quickfix"});
    size_t fixes = 0;
    for (const Diagnostic &d : analysis.diagnostics.all())
      if (workspace.locate(d.range).document == &document) fixes += d.fixits.size();
    EXPECT_EQ(actions.size(), fixes) << path;
    for (const lsp::Json &action : actions) {
      lsp::Text text = document.text();
      for (const lsp::Json &edit : action["edit"]["changes"][document.uri()]) // the last edit of the text comes first
        text.replace(text.span(edit["range"], lsp::Encoding::Utf8), lsp::textOf(edit["newText"]));
      lsp::Workspace again;
      lsp::Document &fixed = again.open(document.uri(), 1, text.str());
      EXPECT_EQ(mistakesOf(path, again.analyse(fixed).diagnostics), 0u) << path << ": " << action["title"] << '\n'
                                                                        << text.str();
      ++applied;
    }
  }
  EXPECT_GE(applied, 60u);
}

} // namespace
} // namespace xt
