// The canonical form: samples with what becomes of them, and what holds for every text of the tree.
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

// Every .xt file of the tree, by its path.
std::vector<fs::path> allFiles() {
  std::vector<fs::path> files;
  for (const char *folder : {"examples", "stdlib", "tests"})
    for (const auto &entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".xt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// What the text compiles to, without places: the module as text, or the codes and texts of what is wrong.
std::string meaningOf(const fs::path &path, const std::string &text) {
  SourceManager sources;
  uint32_t index = sources.add(path.string(), text);
  Diagnostics diagnostics;
  Context context;
  LowerOptions options;
  options.imports = {[](const std::string &name) -> std::optional<std::string> {
                       return fs::exists(name) ? std::optional(test::readText(name)) : std::nullopt;
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

// Also files that do not compile, as long as their syntax is right: same words, same meaning, and nothing changes the
// second time.
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

} // namespace
} // namespace xt
