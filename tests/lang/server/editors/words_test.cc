// Compares the word lists in the editors' syntax colouring with the grammar and the tables of ops, element types and host
// functions, from which they are generated.
#include "tests/golden.h"

#include "ir/elem.h"
#include "ir/elem_kinds.h"
#include "ir/host.h"
#include "ir/op_info.h"
#include "lang/parse/rank_words.h"

#include <nlohmann/json.hpp>

#include <regex>
#include <set>

namespace xt {
namespace {

const std::filesystem::path kRoot = XT_SOURCE_DIR, kEditors = kRoot / "lang/server/editors";

// The words are in descending order, so that a regular expression of alternatives matches the longer of two words if one is a
// prefix of the other.
using Words = std::set<std::string, std::greater<>>;

// Returns the spellings of the keywords in XtLexer.g4, without types and constants, which have their own colours, and the words
// that begin statements about ranks, without those that ops have, too.
Words keywords() {
  Words words;
  std::istringstream grammar(test::readText(kRoot / "grammar/XtLexer.g4"));
  const std::regex rule("^(KW_[A-Z_]+):(.*);$"), spelling("'([a-z_.]+)'");
  const std::set<std::string> others = {"KW_TRUE",   "KW_FALSE",  "KW_NAN",          "KW_INF",        "KW_TILE",
                                        "KW_VECTOR", "KW_MEMREF", "KW_JOINT_MATRIX", "KW_TENSOR_DESC"};
  for (std::string line; std::getline(grammar, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, rule) || others.contains(found[1])) continue;
    std::string spellings = found[2];
    for (std::sregex_iterator it(spellings.begin(), spellings.end(), spelling), end; it != end; ++it) words.insert((*it)[1]);
  }
  for (std::string_view word : rankWordNames(true))
    if (!findOp(word)) words.emplace(word);
  return words;
}

Words ops() {
  Words words;
  for (std::span<const OpInfo> table : {allOps(), allComposites()})
    for (const OpInfo &op : table) {
      words.emplace(op.name);
      for (std::string_view other : op.spellings) words.emplace(other);
    }
  for (const std::string &keyword : keywords()) words.erase(keyword);
  return words;
}

Words dialects() {
  Words words;
  for (const OpInfo &op : allOps()) {
    std::string name(fullName(op.kind));
    if (size_t dot = name.find('.'); dot != std::string::npos) words.insert(name.substr(0, dot));
  }
  return words;
}

Words elements() {
  Words words;
  for (const TypeWord &word : kTypeWords) words.emplace(word.text);
  for (int i = 0; i < kElemCount; ++i) words.emplace(elemName(static_cast<Elem>(i)));
  return words;
}

Words hostFunctions() {
  Words words;
  for (const HostFnInfo &fn : allHostFns())
    if (!fn.name.empty()) words.emplace(fn.name);
  for (const std::string &word : keywords()) words.erase(word);
  return words;
}

// A word list in an editor's file: it begins with `before`, has the words separated by `bar`, and ends with `after`. A '.' in a
// word is written as `dot`.
struct Place {
  const char *file, *before, *after;
  Words words;
  const char *bar, *dot;
};

std::vector<Place> places() {
  const char *vscode = "vscode/syntaxes/xt.tmLanguage.json", *nvim = "nvim/syntax/xt.vim", *emacs = "emacs/xt-mode.el";
  return {
      {vscode, R"("keyword.control.xt", "match": "\\b(?:)", R"()\\b")", keywords(), "|", "\\\\."},
      {vscode, R"("storage.type.xt", "match": "\\b(?:)", R"()\\b")", elements(), "|", "\\\\."},
      {vscode, R"("support.function.op.xt", "match": "\\b(?:(?:)", R"()\\.)?(?:)", dialects(), "|", "\\\\."},
      {vscode, R"()\\.)?(?:)", R"()\\b")", ops(), "|", "\\\\."},
      {vscode, R"("support.function.host.xt", "match": "\\b(?:)", R"()\\b)", hostFunctions(), "|", "\\\\."},
      {nvim, R"(xtKeyword /\v<%()", ")>/", keywords(), "|", "\\."},
      {nvim, R"(xtType /\v<%()", ")>/", elements(), "|", "\\."},
      {nvim, R"(xtOp /\v<%(%()", R"()\.)?)", dialects(), "|", "\\."},
      {nvim, R"()\.)?%()", ")>/", ops(), "|", "\\."},
      {nvim, R"(xtHost /\v<%()", ")>", hostFunctions(), "|", "\\."},
      {emacs, R"(xt-keyword-regexp "\\_<\\(?:)", R"(\\)\\_>")", keywords(), "\\\\|", "\\\\."},
      {emacs, R"(xt-type-regexp "\\_<\\(?:)", R"(\\|\\(?:xetile)", elements(), "\\\\|", "\\\\."},
      {emacs, R"(xt-op-regexp "\\_<\\(?:\\(?:)", R"(\\)\\.\\)?)", dialects(), "\\\\|", "\\\\."},
      {emacs, R"(\\.\\)?\\(?:)", R"(\\)\\_>")", ops(), "\\\\|", "\\\\."},
      {emacs, R"(xt-host-regexp "\\_<\\()", R"(\\)\\_>)", hostFunctions(), "\\\\|", "\\\\."},
  };
}

std::string alternation(const Place &place) {
  std::string out;
  for (const std::string &word : place.words) {
    if (!out.empty()) out += place.bar;
    out += std::regex_replace(word, std::regex("\\."), place.dot);
  }
  return out;
}

TEST(Editors, WordsAreThoseOfTheTables) {
  for (const Place &place : places()) {
    SCOPED_TRACE(std::string(place.file) + " " + place.before);
    std::string text = test::readText(kEditors / place.file);
    size_t begin = text.find(place.before);
    ASSERT_NE(begin, std::string::npos);
    begin += std::string_view(place.before).size();
    size_t end = text.find(place.after, begin);
    ASSERT_NE(end, std::string::npos);
    ASSERT_GE(place.words.size(), 5u);
    test::expectGolden(kEditors / place.file, text.replace(begin, end - begin, alternation(place)));
  }
}

// The files that VS Code reads must be valid JSON, and the files that they name must exist.
TEST(Editors, ExtensionIsWhole) {
  using Json = nlohmann::json;
  auto read = [](const std::string &file) { return Json::parse(test::readText(kEditors / "vscode" / file), nullptr, false); };
  Json package = read("package.json");
  ASSERT_FALSE(package.is_discarded());
  std::vector<std::string> named = {package["main"]};
  for (const char *kind : {"grammars", "snippets"})
    for (const Json &part : package["contributes"][kind]) named.push_back(part["path"]);
  named.push_back(package["contributes"]["languages"][0]["configuration"]);
  for (const std::string &file : named) {
    EXPECT_TRUE(std::filesystem::exists(kEditors / "vscode" / file)) << file;
    EXPECT_FALSE(file.ends_with(".json") && read(file).is_discarded()) << file;
  }
  EXPECT_EQ(package["contributes"]["languages"][0]["extensions"], Json::array({".xt"}));
}

} // namespace
} // namespace xt
