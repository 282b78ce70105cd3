// Tests that the parser does not crash on text with errors in any place, and that it still parses the correct parts.
#include "tests/golden.h"

#include "lang/parse/parse.h"
#include "lang/parse/shape_tokens.h"

#include <random>

namespace xt {
namespace {

struct Survivors {
  size_t kernels = 0, statements = 0, errors = 0;
};

size_t count(const ast::Block &block) {
  size_t n = 0;
  for (const ast::Stmt &s : block.stmts) {
    ++n;
    if (s.body) n += count(*s.body);
    if (s.orElse) n += count(*s.orElse);
  }
  return n;
}

Survivors survivors(const std::string &text) {
  SourceManager sources;
  uint32_t index = sources.add("t.xt", text);
  Diagnostics diagnostics;
  ast::File file = parse(sources, index, diagnostics);
  for (const Diagnostic &d : diagnostics.all()) {
    EXPECT_LE(d.range.begin, d.range.end) << d.message;
    EXPECT_LE(d.range.end, text.size()) << d.message;
  }
  EXPECT_FALSE(renderText(diagnostics, sources, false).empty() && diagnostics.hasErrors());
  ast::dump(file, sources.file(index));
  Survivors out;
  out.errors = diagnostics.errorCount();
  for (const ast::KernelDecl &k : file.kernels) {
    out.kernels += !k.name.text.empty();
    out.statements += count(k.body);
  }
  return out;
}

const std::string kGood = "kernel @before(%A: memref<?x?xf16>) {\n  %a = load_tile %A : memref<?x?xf16>\n  return\n}\n";
const std::string kMiddle = "kernel @k(%A: memref<?x?xf16>, %B: memref<8x16xi8>) grid (%i = 0 to 8) {\n"
                            "  %c0 = constant 0 : index\n"
                            "  %t = init_tile %A[%c0, %c0] : memref<?x?xf16> -> tile<256x32xf16, #mp_a>\n"
                            "  %r = for %k = %c0 to %K step 32 iter_args(%acc = %z) -> (f32) {\n"
                            "    %a = load_tile %t {padding = 0.0, m = 1} : tile<256x32xf16> -> vector<256x32xf16>\n"
                            "    %d = tile_mma %a, %b, %acc : vector<8x8xf32>, vector<8x8xf32> -> vector<8x8xf32>\n"
                            "    yield %d\n"
                            "  }\n"
                            "  if %c0 < %M and not (%x == 3) {\n"
                            "    store_tile %r, %t : vector<8x8xf32>, tile<8x8xf32>\n"
                            "  } else {\n"
                            "    %e = exp(%x) + min(1, 2)\n"
                            "  }\n"
                            "  return\n"
                            "}\n";
const size_t kStatements = 2 + 10 + 2;

TEST(Survival, WholeText) {
  Survivors whole = survivors(kGood + kMiddle + kGood);
  EXPECT_EQ(whole.errors, 0u);
  EXPECT_EQ(whole.kernels, 3u);
  EXPECT_EQ(whole.statements, kStatements);
}

// Checks that the two neighbours of a damaged text are always parsed, and that on average nearly all kernels and statements
// are.
void expectSurvival(const std::vector<std::string> &broken, double leastKernels, double leastStatements, double mostErrors) {
  double kernels = 0, statements = 0, errors = 0;
  for (const std::string &middle : broken) {
    Survivors s = survivors(kGood + middle + kGood);
    EXPECT_GE(s.kernels, 2u) << middle;
    kernels += static_cast<double>(s.kernels);
    statements += static_cast<double>(s.statements);
    errors += static_cast<double>(s.errors);
  }
  double n = static_cast<double>(broken.size());
  EXPECT_GE(kernels / n, leastKernels);
  EXPECT_GE(statements / n, leastStatements);
  EXPECT_LE(errors / n, mostErrors);
}

TEST(Survival, EachTokenDeleted) {
  SourceFile source("t.xt", kMiddle);
  std::vector<std::string> broken;
  for (const SyntaxToken &token : lex(source))
    broken.push_back(std::string(kMiddle).erase(token.begin, token.end - token.begin));
  expectSurvival(broken, 2.99, 13.8, 1.05);
}

TEST(Survival, EachCharacterDeleted) {
  std::vector<std::string> broken;
  for (size_t i = 0; i < kMiddle.size(); ++i) broken.push_back(std::string(kMiddle).erase(i, 1));
  expectSurvival(broken, 2.99, 13.9, 0.6);
}

TEST(Survival, EachTokenDoubled) {
  SourceFile source("t.xt", kMiddle);
  std::vector<std::string> broken;
  for (const SyntaxToken &token : lex(source))
    broken.push_back(std::string(kMiddle).insert(token.begin, kMiddle.substr(token.begin, token.end - token.begin) + " "));
  expectSurvival(broken, 2.99, 13.8, 1.05);
}

TEST(Survival, TextCutOffAnywhere) {
  for (size_t i = 0; i <= kMiddle.size(); ++i) {
    Survivors s = survivors(kGood + kMiddle.substr(0, i));
    EXPECT_GE(s.kernels, 1u);
    EXPECT_LE(s.errors, 2u) << kMiddle.substr(0, i);
  }
}

TEST(Survival, RandomSplices) {
  std::string text = kMiddle + kGood;
  for (const auto &path : test::filesIn("lang/parse/samples", ".xt")) text += test::readText(path);
  std::mt19937 random(1);
  for (int round = 0; round < XT_FUZZ_ROUNDS; ++round) {
    // Half of the texts are whole items before they are damaged, the other half arbitrary excerpts.
    std::string s = round % 2 ? kMiddle + kGood : text.substr(random() % text.size(), 200 + random() % 1500);
    for (size_t edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = random() % s.size(), length = random() % 40, from = random() % text.size();
      if (random() % 2)
        s.erase(at, length);
      else
        s.insert(at, text.substr(from, length));
      if (s.empty()) s = " ";
    }
    survivors(s);
  }
}

TEST(Survival, RandomTokens) {
  const char *const kPieces[] = {"kernel ", "@k",  "(",          ")",          "{",      "}\n",   "[",      "]",      "<",
                                 ">",       ",",   ":",          "->",         "=",      "%x ",   "\n",     "for ",   "if ",
                                 "else ",   "to ", "load_tile ", "constant ",  "1 ",     "2.5 ",  "\"t\" ", "memref", "x",
                                 "f32 ",    "?",   "#a ",        "!t ",        "$p ",    "test ", "check ", "==",     "-",
                                 "not ",    "+ ",  "init_tile ", "reduction ", "yield ", "~",     "\"",     "//",     "grid "};
  std::mt19937 random(2);
  for (int round = 0; round < XT_FUZZ_ROUNDS; ++round) {
    std::string s = round % 2 ? "kernel @k() {\n" : round % 3 ? "test \"t\" {\n" : "";
    for (size_t n = random() % 60; n > 0; --n) s += kPieces[random() % std::size(kPieces)];
    survivors(s);
  }
}

TEST(Survival, RandomBytes) {
  std::mt19937 random(3);
  for (int round = 0; round < XT_FUZZ_ROUNDS / 4; ++round) {
    std::string s = "kernel @k() {\n";
    for (size_t n = random() % 100; n > 0; --n) s += static_cast<char>(random() % 128);
    survivors(s);
  }
}

} // namespace
} // namespace xt
