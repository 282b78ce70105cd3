// Every mistake of tests/lang/diagnostics in the editor: the message of xtc with its range, notes and fixes.
#include "tests/lang/server/check_again.h"

#include "ir/base/uri.h"
#include "lang/server/features.h"

namespace xt {
namespace {

const std::string kFolder = std::string(XT_SOURCE_DIR) + "/tests/lang/diagnostics/";

ImportOptions imports() {
  return {[](const std::string &path) -> std::optional<std::string> {
            if (!std::filesystem::is_regular_file(path)) return std::nullopt;
            return test::readText(path);
          },
          ""};
}

TEST(ServerDiagnostics, AreThoseOfTheCompiler) {
  for (const char *folder : {"lang/diagnostics", "lang/parse/mistakes"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      lsp::Workspace workspace;
      lsp::Document &document = workspace.open(uriOfPath(path), 1, test::readText(path));
      EXPECT_EQ(test::fromServer(workspace, document, true), test::fromScratch(path, document.text().str(), imports(), true)) << path;
    }
}

TEST(ServerDiagnostics, EachFixIsAnActionThatHelps) {
  size_t applied = 0;
  for (const auto &path : test::filesIn("lang/diagnostics", ".xt")) {
    lsp::Workspace workspace;
    lsp::Document &document = workspace.open(uriOfPath(path), 1, test::readText(path));
    lsp::Analysis &analysis = workspace.analyse(document);
    size_t errors = analysis.diagnostics.errorCount();
    lsp::Json actions = lsp::codeActions({workspace, document, analysis, lsp::Encoding::Utf8}, {0, document.text().size()}, {"quickfix"});
    size_t fixes = 0;
    for (const Diagnostic &d : analysis.diagnostics.all())
      if (workspace.locate(d.range).document == &document) fixes += d.fixits.size();
    EXPECT_EQ(actions.size(), fixes) << path;
    for (const lsp::Json &action : actions) {
      lsp::Text text = document.text();
      for (const lsp::Json &edit : action["edit"]["changes"][document.uri()]) // the last place first
        text.replace(text.span(edit["range"], lsp::Encoding::Utf8), lsp::textOf(edit["newText"]));
      lsp::Workspace again;
      lsp::Document &fixed = again.open(document.uri(), 1, text.str());
      EXPECT_LT(again.analyse(fixed).diagnostics.errorCount(), errors) << path << ": " << action["title"] << '\n' << text.str();
      ++applied;
    }
  }
  EXPECT_GE(applied, 8u);
}

} // namespace
} // namespace xt
