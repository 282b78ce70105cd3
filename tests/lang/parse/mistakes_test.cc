// Tests that each fail_CODE_*.xt, which has one error, gives one message with the code in the file name and the text in the
// .txt file of the same name, and that the correct parts are still parsed.
#include "tests/golden.h"

#include "lang/parse/parse.h"

namespace xt {
namespace {

struct FileWithMistakes {
  SourceManager sources;
  uint32_t index;
  Diagnostics diagnostics;
  ast::File file;

  explicit FileWithMistakes(std::string text, const std::string &name = "t.xt")
      : index(sources.add(name, std::move(text))), file(parse(sources, index, diagnostics)) {}
  std::string messages() const { return renderText(diagnostics, sources, false); }
};

int codeInName(const std::string &name) { return std::stoi(name.substr(5, 4)); }

TEST(Mistakes, EachIsOneMessage) {
  for (const auto &path : test::filesIn("lang/parse/mistakes", ".xt")) {
    std::string name = path.filename();
    SCOPED_TRACE(name);
    FileWithMistakes parsed(test::readText(path), name);
    ASSERT_EQ(parsed.diagnostics.errorCount(), 1u) << parsed.messages();
    const Diagnostic &diagnostic = parsed.diagnostics.all()[0];
    EXPECT_EQ(static_cast<int>(diagnostic.code), codeInName(name));
    EXPECT_LE(diagnostic.fixits.size(), 2u);
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), parsed.messages());
  }
}

std::string applied(std::string text, const FixIt &fix) {
  std::vector<TextEdit> edits = fix.edits;
  std::sort(edits.begin(), edits.end(), [](const TextEdit &a, const TextEdit &b) { return a.range.begin > b.range.begin; });
  for (const TextEdit &edit : edits) text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.replacement);
  return text;
}

TEST(Mistakes, EachFixItMendsItsMistake) {
  size_t fixes = 0;
  for (const auto &path : test::filesIn("lang/parse/mistakes", ".xt")) {
    std::string text = test::readText(path);
    FileWithMistakes parsed(text);
    for (const FixIt &fix : parsed.diagnostics.all().at(0).fixits) {
      FileWithMistakes again(applied(text, fix));
      EXPECT_EQ(again.messages(), "") << path.filename() << ": " << fix.title << "\n" << applied(text, fix);
      ++fixes;
    }
  }
  EXPECT_GE(fixes, 40u);
}

// An error between two valid kernels does not affect these kernels nor the name of the item with the error.
TEST(Mistakes, TheNeighboursSurvive) {
  const std::string good = "kernel @before() {\n  barrier\n}\n", after = "kernel @after(%A: memref<8xf32>) {\n  barrier\n}\n";
  for (const auto &path : test::filesIn("lang/parse/mistakes", ".xt")) {
    std::string name = path.filename();
    if (codeInName(name) == 101) continue; // text that is not UTF-8 gives no tree
    SCOPED_TRACE(name);
    FileWithMistakes parsed(good + test::readText(path) + after);
    EXPECT_EQ(parsed.diagnostics.errorCount(), 1u) << parsed.messages();
    ASSERT_GE(parsed.file.kernels.size(), 2u);
    EXPECT_EQ(parsed.file.kernels.front().name.text, "before");
    EXPECT_EQ(parsed.file.kernels.back().name.text, "after");
    EXPECT_EQ(parsed.file.kernels.back().body.stmts.size(), 1u);
  }
}

TEST(Mistakes, TwoMistakesAreTwoMessages) {
  FileWithMistakes parsed(
      "kernel @k() {\n  %a = addf %x %y\n  %b = addf %x,\n  for %k = 0 too 8 {\n    %c load_tile %t\n  }\n}\n");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 4u) << parsed.messages();
  ASSERT_EQ(parsed.file.kernels.size(), 1u);
  const ast::Block &body = parsed.file.kernels[0].body;
  ASSERT_EQ(body.stmts.size(), 3u);
  EXPECT_EQ(body.stmts[0].op->operands.size(), 2u);
  ASSERT_EQ(body.stmts[2].body->stmts.size(), 1u);
  EXPECT_EQ(body.stmts[2].body->stmts[0].results.at(0).name.text, "c");
}

// The missing brace of the kernel is reported at the start of the alias; the alias has an independent error.
TEST(Mistakes, OneAtTheStartOfAnItemIsNotThatOfTheItemBefore) {
  FileWithMistakes parsed("kernel @a() {\n  barrier\n#m = = 3\n");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 2u) << parsed.messages();
}

} // namespace
} // namespace xt
