// Tests the canonical format: golden samples, and properties that hold for every .xt file of the source tree.
#include "tests/golden.h"

#include "ir/print.h"
#include "lang/format/format.h"
#include "lang/lower/lower.h"

namespace xt {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = XT_SOURCE_DIR;

std::optional<std::string> formatted(const std::string &text, const FormatOptions &options = {}) {
  SourceManager sources;
  uint32_t index = sources.add("t.xt", text);
  Diagnostics diagnostics;
  Result<std::string> out = formatSource(sources, index, diagnostics, options);
  EXPECT_EQ(out.ok(), !diagnostics.hasErrors());
  return out ? std::optional(*out) : std::nullopt;
}

// Returns every .xt file of the source tree, sorted by path.
std::vector<fs::path> allFiles() {
  std::vector<fs::path> files;
  for (const char *folder : {"examples", "stdlib", "tests"})
    for (const auto &entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".xt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the result of compiling a text, without ranges: the module as text, or the codes and texts of the messages.
std::string meaningOf(const fs::path &path, const std::string &text) {
  SourceManager sources;
  uint32_t index = sources.add(path.string(), text);
  Diagnostics diagnostics;
  Context context;
  LowerOptions options;
  options.imports = {[](const std::string &name) -> Result<std::string> {
                       return fs::exists(name) ? Result<std::string>(test::readText(name)) : noSuchFile();
                     },
                     (kRoot / "stdlib").string()};
  Result<std::unique_ptr<Module>> module = lowerFile(sources, index, context, options, diagnostics);
  std::string out = module ? print(**module) : "";
  for (const Diagnostic *d : diagnostics.sorted()) out += codeText(d->code) + "\n";
  return out;
}

std::string wordsOf(const std::string &text) {
  std::string out;
  for (char c : text)
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') out += c;
  return out;
}

TEST(Format, Samples) {
  size_t seen = 0;
  for (const fs::path &path : test::filesIn("lang/format/samples", ".xt")) {
    SCOPED_TRACE(path.filename());
    std::optional<std::string> out = formatted(test::readText(path));
    ASSERT_TRUE(out.has_value());
    fs::path golden = path;
    test::expectGolden(golden.replace_extension(".formatted"), *out);
    ++seen;
  }
  EXPECT_GE(seen, 3u);
}

// Formatting keeps the words and the meaning of every file with valid syntax, even if it does not compile, and formatting
// again changes nothing.
TEST(Format, EveryFileOfTheTreeKeepsItsMeaning) {
  size_t seen = 0;
  for (const fs::path &path : allFiles()) {
    SCOPED_TRACE(path.string());
    std::string text = test::readText(path);
    SourceManager sources;
    uint32_t index = sources.add("t.xt", text);
    Diagnostics diagnostics;
    Result<std::string> out = formatSource(sources, index, diagnostics);
    if (!out) continue;
    EXPECT_EQ(wordsOf(*out), wordsOf(text));
    EXPECT_EQ(formatted(*out).value_or("?"), *out);
    EXPECT_EQ(meaningOf(path, *out), meaningOf(path, text));
    ++seen;
  }
  EXPECT_GE(seen, 600u);
}

TEST(Format, WhatIsShownToUsersIsFormatted) {
  for (const char *folder : {"examples", "stdlib"})
    for (const auto &entry : fs::directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".xt") continue;
      std::string text = test::readText(entry.path());
      EXPECT_EQ(formatted(text).value_or("?"), text) << entry.path() << ": xtc --format mends it";
    }
}

std::vector<TextEdit> editsOf(const std::string &text, std::optional<SourceRange> range = std::nullopt,
                              bool keepBroken = false) {
  SourceManager sources;
  uint32_t index = sources.add("t.xt", text);
  Diagnostics diagnostics;
  if (range) range->file = index;
  Result<std::vector<TextEdit>> edits = formatEdits(sources, index, diagnostics, range, {.keepBroken = keepBroken});
  EXPECT_TRUE(edits.ok());
  return edits ? *edits : std::vector<TextEdit>{};
}

std::string applied(std::string text, const std::vector<TextEdit> &edits) {
  for (size_t i = edits.size(); i-- > 0;) {
    EXPECT_LE(i ? edits[i - 1].range.end : 0, edits[i].range.begin);
    text.replace(edits[i].range.begin, edits[i].range.end - edits[i].range.begin, edits[i].replacement);
  }
  return text;
}

// The edits produce the formatted text and change only blanks. A formatted text gives no edits.
TEST(Format, EditsMakeTheFormattedText) {
  for (const fs::path &path : test::filesIn("lang/format/samples", ".xt")) {
    SCOPED_TRACE(path.filename());
    std::string text = test::readText(path), out = formatted(text).value_or("?");
    std::vector<TextEdit> edits = editsOf(text);
    EXPECT_EQ(applied(text, edits), out);
    for (const TextEdit &edit : edits) EXPECT_EQ(wordsOf(text.substr(edit.range.begin, edit.range.end - edit.range.begin)), "");
    EXPECT_TRUE(editsOf(out).empty());
  }
}

// Formatting a range changes only the statements that it touches.
TEST(Format, ARangeIsFormattedByItself) {
  std::string text = "kernel @k( %A:memref<8xf32> ){\n %a=1\n     %b=2\n  %c=3\n}\n";
  auto at = [&](std::string_view first, std::string_view last) {
    return SourceRange{0, static_cast<uint32_t>(text.find(first)), static_cast<uint32_t>(text.find(last) + last.size())};
  };
  auto ranged = [&](SourceRange range) { return applied(text, editsOf(text, range)); };
  EXPECT_EQ(ranged(at("%b", "%b")), "kernel @k( %A:memref<8xf32> ){\n %a=1\n  %b = 2\n  %c=3\n}\n");
  EXPECT_EQ(ranged(at("     %b", "=2\n")), "kernel @k( %A:memref<8xf32> ){\n %a=1\n  %b = 2\n  %c=3\n}\n");
  EXPECT_EQ(ranged(at("%a", "%b")), "kernel @k( %A:memref<8xf32> ){\n  %a = 1\n  %b = 2\n  %c=3\n}\n");
  EXPECT_EQ(ranged(at("kernel", "@k")), "kernel @k(%A: memref<8xf32>) {\n %a=1\n     %b=2\n  %c=3\n}\n");
  EXPECT_EQ(ranged({0, 0, static_cast<uint32_t>(text.size())}), formatted(text));
}

TEST(Format, SyntaxErrorsAreReportedOrKept) {
  std::string broken = "#a=1\n\nkernel @bad( {\n   %x=(1\n}\n\n// next\nkernel @good(){\n%y=2\n}\n";
  SourceManager sources;
  uint32_t index = sources.add("t.xt", broken);
  Diagnostics diagnostics;
  EXPECT_FALSE(formatSource(sources, index, diagnostics).ok());
  EXPECT_TRUE(diagnostics.hasErrors());
  Diagnostics none;
  Result<std::string> kept = formatSource(sources, index, none, {.keepBroken = true});
  ASSERT_TRUE(kept.ok());
  EXPECT_FALSE(none.hasErrors());
  EXPECT_EQ(*kept, "#a = 1\n\nkernel @bad( {\n   %x=(1\n}\n\n// next\nkernel @good() {\n  %y = 2\n}\n");
  EXPECT_EQ(applied(broken, editsOf(broken, std::nullopt, true)), *kept);
}

TEST(Format, LineEndsAndEmptyFiles) {
  EXPECT_EQ(formatted(""), "");
  EXPECT_EQ(formatted("\n\n  \n"), "");
  EXPECT_EQ(formatted("// c"), "// c\n");
  EXPECT_EQ(formatted("#a=1\r\n\r\n\r\n#b=2"), "#a = 1\r\n\r\n#b = 2\r\n");
  EXPECT_EQ(formatted("\xEF\xBB\xBF#a=1"), "#a = 1\n");
  EXPECT_EQ(formatted("\n#a=1\n"), "#a = 1\n");
}

// Line breaks in the source do not affect the result; only comments keep lines separate.
TEST(Format, HowLinesWereBrokenDoesNotCount) {
  EXPECT_EQ(formatted("kernel @k(\n  %A:\n memref<8xf32>\n)\n{\n %a =\n  1 +\n 2\n}"),
            formatted("kernel @k(%A: memref<8xf32>) { %a = 1 + 2\n}"));
}

// The words are the same for every line width.
TEST(Format, NarrowLines) {
  for (const fs::path &path : test::filesIn("../examples", ".xt"))
    for (uint32_t width : {1u, 20u, 40u, 60u}) {
      SCOPED_TRACE(path.filename().string() + " in " + std::to_string(width));
      std::string text = test::readText(path);
      std::optional<std::string> narrow = formatted(text, {.width = width});
      ASSERT_TRUE(narrow.has_value());
      EXPECT_EQ(wordsOf(*narrow), wordsOf(text));
      EXPECT_EQ(formatted(*narrow).value_or("?"), text);
    }
}

} // namespace
} // namespace xt
