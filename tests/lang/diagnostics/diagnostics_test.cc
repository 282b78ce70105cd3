// Tests every diagnostic of the front end: each fail_CODE_*.xt gives the messages in the .txt file of the same name, and the
// first message has the code in the file name.
#include "tests/golden.h"

#include "lang/lower/lower.h"

#include <set>

namespace xt {
namespace {

struct Checked {
  SourceManager sources;
  Diagnostics diagnostics;
  bool good = false;
};

void check(const std::string &name, std::string text, Checked &out) {
  uint32_t index = out.sources.add(name, std::move(text));
  Context context;
  LowerOptions options;
  options.imports.read = [](const std::string &file) -> Result<std::string> {
    std::filesystem::path path = std::filesystem::path(XT_SOURCE_DIR) / "tests/lang/diagnostics" / file;
    if (!std::filesystem::is_regular_file(path)) return noSuchFile();
    return test::readText(path);
  };
  out.good = lowerFile(out.sources, index, context, options, out.diagnostics).ok();
}

int codeInName(const std::string &name) { return std::stoi(name.substr(5, 4)); }

TEST(Diagnostics, EachFileGivesItsMessages) {
  for (const auto &path : test::filesIn("lang/diagnostics", ".xt")) {
    SCOPED_TRACE(path.filename());
    Checked checked;
    check(path.filename(), test::readText(path), checked);
    EXPECT_FALSE(checked.good);
    ASSERT_FALSE(checked.diagnostics.all().empty());
    EXPECT_EQ(static_cast<int>(checked.diagnostics.sorted().front()->code), codeInName(path.filename()));
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), renderText(checked.diagnostics, checked.sources, false));
  }
}

TEST(Diagnostics, OneMistakeGivesOneMessage) {
  for (const auto &path : test::filesIn("lang/diagnostics", ".xt")) {
    Checked checked;
    check(path.filename(), test::readText(path), checked);
    EXPECT_EQ(checked.diagnostics.errorCount(), 1u) << path.filename() << '\n'
                                                    << renderText(checked.diagnostics, checked.sources, false);
  }
}

TEST(Diagnostics, EveryFixItRemovesItsError) {
  size_t applied = 0;
  for (const auto &path : test::filesIn("lang/diagnostics", ".xt")) {
    std::string text = test::readText(path);
    Checked checked;
    check(path.filename(), text, checked);
    for (const Diagnostic &diagnostic : checked.diagnostics.all())
      for (const FixIt &fix : diagnostic.fixits) {
        std::string fixed = text;
        for (const TextEdit &edit : plainEdits(fix, checked.sources))
          fixed.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
        Checked again;
        check(path.filename(), fixed, again);
        EXPECT_LT(again.diagnostics.errorCount(), checked.diagnostics.errorCount())
            << path.filename() << ": " << fix.title << '\n'
            << renderText(again.diagnostics, again.sources, false);
        ++applied;
      }
  }
  EXPECT_GE(applied, 8u);
}

TEST(Diagnostics, ABufferOfNoMemrefIsReportedBesideAnotherError) {
  Checked checked;
  check("t.xt",
        "param $N : i1 = 2\n!number = f32\n"
        "test \"t\" {\n  %A = fill(0.0) : !number\n  check %A == 0.0 exactly\n}\n",
        checked);
  EXPECT_EQ(checked.diagnostics.errorCount(), 2u) << renderText(checked.diagnostics, checked.sources, false);
}

// Every code has a file in a test folder that produces it, except remarks and the code for a compiler bug.
TEST(Diagnostics, EveryCodeHasAFile) {
  std::set<int> covered;
  for (const auto &path : test::filesIn("lang/diagnostics", ".xt")) covered.insert(codeInName(path.filename()));
  for (const auto &path : test::filesIn("lang/parse/mistakes", ".xt")) covered.insert(codeInName(path.filename()));
  for (const auto &path : test::filesIn("targets/run/mistakes", ".xt")) covered.insert(codeInName(path.filename()));
  for (const auto &path : test::filesIn("targets/interp/checks", ".xt")) covered.insert(codeInName(path.filename()));
  for (const auto &path : test::filesIn("targets/tools/warnings", ".xt")) covered.insert(codeInName(path.filename()));
  for (const auto &path : test::filesIn("targets/tools/failing", ".xt")) covered.insert(codeInName(path.filename()));
  for (const char *folder : {"targets/tools/limits", "targets/tools/commands/files"})
    for (const auto &path : test::filesIn(folder, ".xt"))
      if (path.filename().string().starts_with("fail_")) covered.insert(codeInName(path.filename()));
  for (const DiagInfo &info : allDiagnostics()) {
    if (info.severity == Severity::Remark) continue; // tests/targets/tools tests remarks
    bool internal = info.name == "InvalidIr"; // reported by the verifier for a compiler bug; tested in tests/ir/verify
    EXPECT_TRUE(internal || covered.count(static_cast<int>(info.code))) << codeText(info.code) << ' ' << info.title;
    EXPECT_FALSE(info.explanation.empty()) << codeText(info.code);
  }
}

} // namespace
} // namespace xt
