// Reduces texts while a predicate holds, and checks the results.
#include "tests/golden.h"

#include "lang/lower/lower.h"
#include "lang/parse/parse.h"
#include "lang/parse/source_parts.h"
#include "lang/reduce/reduce.h"

#include <algorithm>
#include <set>

namespace xt {
namespace {

// Returns the codes of the messages that lowering reports for a text.
std::set<DiagCode> codesOf(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  (void)lowerFile(sources, sources.add("reduced.xt", text), context, {}, diagnostics);
  std::set<DiagCode> codes;
  for (const Diagnostic &d : diagnostics.all()) codes.insert(d.code);
  return codes;
}

std::string reduced(const std::string &text, std::function<bool(const std::string &)> keeps) {
  ReduceHooks hooks;
  hooks.isInteresting = std::move(keeps);
  return reduceText(text, hooks);
}

bool has(const std::string &text, std::string_view what) { return text.find(what) != std::string::npos; }

const char *const kKernel = R"(// A comment.
#l = #wg_map<sg_layout = [2, 2], sg_data = [16, 16]>
param $N : index = 64 in [32, 64]

func @twice(%x: f32) -> f32 {
  return %x + %x
}

kernel @k(%A: memref<?x?xf16>, %B: memref<?x?xf32>) grid (%i = 0 to dim(%A, 0) step 32) {
  %ta = init_tile %A[%i, 0] : memref<?x?xf16> -> tile<32x32xf16, #l>
  %a = load_tile %ta {padding = 1.5} : tile<32x32xf16, #l> -> vector<32x32xf16>
  if %i == 0 {
    for %j = 0 to 48 step 16 {
      %b = math.exp %a : vector<32x32xf16>
      print "values", %b
    }
  }
  %tb = init_tile %B[%i, 0] -> tile<32x32xf32, #l>
  %c = extf %a : vector<32x32xf16> -> vector<32x32xf32>
  store_tile %c, %tb
}

test "t" {M = 64} {
  %A = random(seed = 1) : memref<$M x 32 x f16>
  %B = out : memref<$M x 32 x f32>
  launch @k(%A, %B)
  check %B == cast(%A, f32)
}
)";

TEST(Reduce, KeepsAWordAndNothingElse) {
  EXPECT_EQ(reduced(kKernel, [](const std::string &text) { return has(text, "exp"); }).find_first_not_of("math.exp \n"),
            std::string::npos);
}

TEST(Reduce, KeepsWhatCompiles) {
  ASSERT_TRUE(codesOf(kKernel).empty());
  std::string left = reduced(kKernel, [](const std::string &text) { return has(text, "exp") && codesOf(text).empty(); });
  EXPECT_TRUE(codesOf(left).empty());
  // What is left is one kernel without parameters that contains only the op and its operands.
  EXPECT_FALSE(has(left, "for") || has(left, "if") || has(left, "test") || has(left, "load_tile") || has(left, "//") ||
               has(left, "#l") || has(left, "grid"))
      << left;
  EXPECT_LT(left.size(), 60u) << left;
}

TEST(Reduce, MakesNumbersSmaller) {
  std::string left = reduced(kKernel, [](const std::string &text) { return has(text, "load_tile") && codesOf(text).empty(); });
  EXPECT_TRUE(has(left, "load_tile"));
  EXPECT_EQ(left, "kernel @k(%A: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<1xf32>\n  %a  = load_tile %ta\n}\n");
}

size_t sizeWithoutBlanks(const std::string &text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](char c) { return c != ' ' && c != '\n'; }));
}

// Reduces the failing texts of the front end. The result must give the same code.
TEST(Reduce, FindsTheMistakeOfAFile) {
  size_t seen = 0;
  for (const auto &path : test::filesIn("lang/diagnostics", ".xt")) {
    if (++seen % 12 != 0) continue; // a few of each kind
    if (path.stem().string().starts_with("fail_0213")) continue; // each check of these works up to a limit of the compiler
    std::string text = test::readText(path);
    std::set<DiagCode> codes = codesOf(text);
    if (codes.size() != 1) continue;
    std::string left = reduced(text, [&](const std::string &candidate) { return codesOf(candidate) == codes; });
    EXPECT_EQ(codesOf(left), codes) << path << '\n' << left;
    constexpr size_t kSmallest = 60; // shorter texts may have nothing to cut
    // The formatter aligns what is left, so blanks do not count.
    EXPECT_TRUE(sizeWithoutBlanks(left) < sizeWithoutBlanks(text) || text.size() < kSmallest) << path << '\n' << left;
  }
  EXPECT_GT(seen, 100u);
}

TEST(Reduce, TakesBrokenTextAndBytes) {
  EXPECT_EQ(reduced("kernel @k(((( {\n  %a = = \xff\xfe 12\n", [](const std::string &text) { return has(text, "\xff"); }),
            "\xff");
  EXPECT_EQ(reduced("}}}}\n%%%\nkernel", [](const std::string &text) { return has(text, "%%"); }), "%%");
}

TEST(Reduce, TriesEachTextOnce) {
  std::set<std::string> tried;
  reduced(kKernel, [&](const std::string &text) {
    EXPECT_TRUE(tried.insert(text).second) << text;
    return has(text, "store_tile");
  });
  EXPECT_GT(tried.size(), 20u);
}

TEST(Reduce, KeepsWhatItHasWhenItIsStopped) {
  size_t tried = 0;
  std::string smallest = kKernel;
  ReduceHooks hooks;
  hooks.isInteresting = [&](const std::string &text) {
    ++tried;
    bool keeps = has(text, "exp");
    if (keeps) smallest = text;
    return keeps;
  };
  hooks.isStopped = [&] { return tried == 10; };
  EXPECT_EQ(reduceText(kKernel, hooks), smallest);
  EXPECT_EQ(tried, 10u);
}

// Parts are inside their parents, and the text without any one of them can be parsed again.
TEST(SourceParts, NestAndCanBeCutOut) {
  for (const char *folder : {"../examples", "../stdlib", "lang/diagnostics", "lang/parse/mistakes"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      std::string text = test::readText(path);
      SourceManager sources;
      Diagnostics diagnostics;
      std::vector<SourcePart> parts = sourceParts(parse(sources, sources.add("a.xt", text), diagnostics));
      for (size_t i = 0; i < parts.size(); ++i) {
        ASSERT_LT(parts[i].begin, parts[i].end) << path;
        ASSERT_LE(parts[i].end, text.size()) << path;
        ASSERT_LT(parts[i].parent, static_cast<int>(i)) << path;
        if (parts[i].parent < 0) continue;
        const SourcePart &outer = parts[static_cast<size_t>(parts[i].parent)];
        ASSERT_TRUE(outer.begin <= parts[i].begin && parts[i].end <= outer.end)
            << path << ' ' << text.substr(parts[i].begin, parts[i].end - parts[i].begin);
      }
    }
}

} // namespace
} // namespace xt
