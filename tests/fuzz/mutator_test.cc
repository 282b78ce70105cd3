// The mutator and the dictionary of the fuzzers.
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/words.h"
#include "tests/golden.h"

#include "ir/op_info.h"
#include "lang/lower/lower.h"
#include "lang/parse/parse.h"

#include <set>

namespace xt {
namespace {

bool parses(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics;
  parse(sources, sources.add("a.xt", text), diagnostics);
  return !diagnostics.hasErrors();
}

bool compiles(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  return lowerFile(sources, sources.add("a.xt", text), context, {}, diagnostics).ok();
}

std::vector<std::string> programs() {
  std::vector<std::string> texts;
  for (const char *folder : {"../examples", "../stdlib"})
    for (const auto &path : test::filesIn(folder, ".xt")) texts.push_back(test::readText(path));
  return texts;
}

TEST(Mutator, MostOfWhatItMakesParsesAndSomeCompiles) {
  std::vector<std::string> texts = programs();
  size_t all = 0, parsed = 0, compiled = 0;
  std::set<std::string> different;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    fuzz::Mutator mutator(seed);
    const std::string &text = texts[seed % texts.size()];
    std::string made = mutator.mutate(text, texts[(seed / 3) % texts.size()]);
    ++all;
    parsed += parses(made);
    compiled += compiles(made);
    if (made != text) different.insert(made);
  }
  EXPECT_GT(parsed, all * 7 / 10);
  EXPECT_GT(compiled, all / 10);
  EXPECT_GT(different.size(), all * 9 / 10);
}

TEST(Mutator, TheSameSeedMakesTheSame) {
  std::string text = programs()[3];
  EXPECT_EQ(fuzz::Mutator(5).mutate(text, text), fuzz::Mutator(5).mutate(text, text));
}

TEST(Mutator, TakesAnyText) {
  for (const char *text : {"", "}", "kernel @k(", "\xff\xfe", "kernel @k() {}", "%a = 1", "test \"t\" {}"})
    for (uint64_t seed = 0; seed < 50; ++seed) fuzz::Mutator(seed).mutate(text, "kernel @k() {\n  barrier\n}\n");
}

TEST(Dictionary, HasEveryOpAndKeyword) {
  std::vector<std::string> table = fuzz::tableWords(),
                           grammar = fuzz::grammarWords(test::readText(XT_SOURCE_DIR "/grammar/XtLexer.g4"));
  std::set<std::string> words(table.begin(), table.end());
  words.insert(grammar.begin(), grammar.end());
  for (const OpInfo *op : fuzz::writtenOps()) {
    EXPECT_TRUE(words.contains(fullName(*op))) << op->name;
    for (const AttrSpec &attr : op->attrs) EXPECT_TRUE(words.contains(std::string(attr.name))) << attr.name;
  }
  for (const char *word : {"kernel", "iter_args", "scf.for", "->", "f8E4M3", "matmul", "maximumf", "tensor_desc"})
    EXPECT_TRUE(words.contains(word)) << word;
  EXPECT_EQ(fuzz::dictionaryText({"a\"b\\"}), "\"a\\\"b\\\\\"\n");
}

} // namespace
} // namespace xt
