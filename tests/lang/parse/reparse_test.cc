// Tests that incremental parsing gives the same tree and messages as parsing the text from scratch.
#include "tests/golden.h"

#include "ir/base/text.h"
#include "lang/ast_ranges.h"
#include "lang/parse/like_lines.h"
#include "lang/parse/reparse.h"
#include "lang/parse/shape_tokens.h"

#include <random>

namespace xt {
namespace {

std::string spelled(SourceRange r) { return str(r.begin, "-", r.end); }

std::string messages(const Diagnostics &diagnostics) {
  std::vector<std::string> all;
  for (const Diagnostic &d : diagnostics.all()) {
    std::string text = str(codeText(d.code), " ", spelled(d.range), " in ", d.range.file, ": ", d.message);
    for (const Label &label : d.labels) text += str("\n  ", spelled(label.range), " in ", label.range.file, " ", label.text);
    for (const FixIt &fix : d.fixits)
      for (const TextEdit &edit : fix.edits)
        text += str("\n  ", fix.title, " ", spelled(edit.range), " in ", edit.range.file, " ", edit.replacement);
    all.push_back(std::move(text));
  }
  std::sort(all.begin(), all.end());
  return join(all, "\n");
}

// Returns the dump of the tree, and every range in it.
std::string wholeTree(ast::File &tree, const SourceFile &source) {
  std::string text = ast::dump(tree, source);
  auto place = [&](SourceRange &r) { text += str(' ', spelled(r), r.file == tree.file ? "" : " elsewhere"); };
  for (ast::KernelDecl &kernel : tree.kernels) ast::RangeVisitor(place).visit(kernel.body);
  return text;
}

class Parses {
public:
  Parses() { sources_.add("none.xt", ""); } // file 0, to which ranges without a position refer
  // Parses a text incrementally from the preceding one and compares the result with a full parse.
  void next(const std::string &text, const std::string &what) {
    uint32_t index = sources_.add("t.xt", text);
    auto size = static_cast<uint32_t>(text.size());
    auto now = std::make_unique<ParsedText>(parseText(sources_, index, size, before_.get()));
    ParsedText fresh = parseText(sources_, index, size, nullptr);
    ASSERT_EQ(messages(now->diagnostics), messages(fresh.diagnostics)) << what << '\n' << text;
    ASSERT_EQ(wholeTree(now->tree, sources_.file(index)), wholeTree(fresh.tree, sources_.file(index))) << what << '\n' << text;
    kept_ += now->kept;
    statements_ += now->tree.kernels.empty() ? 0 : now->tree.kernels[0].body.stmts.size();
    before_ = std::move(now);
  }
  size_t kept() const { return kept_; }
  size_t statements() const { return statements_; }

private:
  SourceManager sources_;
  std::unique_ptr<ParsedText> before_;
  size_t kept_ = 0, statements_ = 0; // statements kept, and all statements, of the first kernels
};

std::string firstKernel(const std::string &text) {
  size_t begin = std::min(text.find("kernel @"), text.size());
  return text.substr(begin, text.find("\n}\n", begin) + 3 - begin);
}

// Breaks each line of the examples' kernels in typical ways, and restores it.
TEST(Reparse, EachLineBrokenAndMended) {
  const std::string kWith[] = {"",     "(",  "}",  "{", "\n", "%x", ", ", "\n  barrier\n", "kernel @z() {\n",
                               "for ", "//", "\"", ";", "<"};
  std::mt19937 random(1);
  size_t kept = 0, statements = 0;
  for (const auto &path : test::filesIn("../examples", ".xt")) {
    std::string text = firstKernel(test::readText(path));
    Parses parses;
    parses.next(text, path);
    for (size_t at = 0; at != std::string::npos && at < text.size(); at = text.find('\n', at + 1)) {
      size_t place = std::min(text.size(), at + random() % 40), length = std::min<size_t>(text.size() - place, random() % 6);
      std::string broken = text;
      broken.replace(place, length, kWith[random() % std::size(kWith)]);
      parses.next(broken, str(path.string(), " at ", place));
      if (HasFatalFailure()) return;
      if (random() % 2) parses.next(text, str(path.string(), " after ", place));
      if (HasFatalFailure()) return;
    }
    kept += parses.kept(), statements += parses.statements();
  }
  EXPECT_GT(kept, statements / 4); // most kernels are short
}

TEST(Reparse, LinesThatNestAndThatMove) {
  const std::string head = "kernel @k(%A: memref<?x?xf32>) {\n",
                    a = "  %a = load_tile %t {order = [0, 1]} : tile<8x8xf32, #m> -> vector<8x8xf32>\n",
                    loop = "  for %i = 0 to 8 step 2 iter_args(%s = %a) -> (vector<8x8xf32>) {\n    %x = %s + %a\n    if %c "
                           "{\n      barrier\n    } else {\n      fence\n    }\n  }\n";
  Parses parses;
  for (const std::string &text :
       {head + a + a + loop + a + "}\n", head + a + loop + a + "}\n", head + a + a + a + loop + a + "}\n",
        head + a + "  %b = \n" + a + loop + a + "}\n", head + a + "  if %c {\n" + a + loop + a + "}\n", head + a + a + loop + a,
        head + a + a + loop + a + "}\n}\n", "func @k() {\n" + a + a + loop + a + "}\n",
        head + a + a + "  %b = 1\n  barrier\n%A}\n", head + a + "  %b = 2\n  barrier\n%A}\n", head + "}\n",
        head + a + a + loop + a + "}\n"}) {
    parses.next(text, "");
    if (HasFatalFailure()) return;
  }
}

// Returns the dump of the tree of all items except the last.
std::string treeBefore(const std::string &text, const std::string &last, size_t &like) {
  SourceManager sources;
  sources.add("none.xt", ""); // file 0, to which ranges without a position refer
  uint32_t index = sources.add("t.xt", text + last);
  Diagnostics unused;
  like +=
      distinctLines(
          shapeTokens(lex(sources.file(index)), sources.file(index), index, static_cast<uint32_t>(text.size()), unused).tokens)
          .like.size();
  ast::File tree = parseText(sources, index, static_cast<uint32_t>(text.size() + last.size()), nullptr).tree;
  EXPECT_FALSE(tree.kernels.empty());
  if (!tree.kernels.empty()) tree.kernels.pop_back();
  return wholeTree(tree, sources.file(index));
}

// An error in a text disables the reuse of equal lines. The trees of a text must therefore be equal whether the item that is
// appended to it has an error or not.
TEST(LikeLines, HaveTheTreesThatParsingThemGives) {
  size_t like = 0;
  for (const char *folder : {"../examples", "../stdlib", "lang/parse/samples", "lang/lower"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      std::string text = test::readText(path);
      if (findInvalidUtf8(text) || !text.ends_with('\n')) continue;
      ASSERT_EQ(treeBefore(text, "kernel @zz() {\n}\n", like), treeBefore(text, "kernel @zz( {\n}\n", like)) << path;
    }
  EXPECT_GT(like, 300u);
}

TEST(LikeLines, AreBuiltInTheBlockThatTheyStandIn) {
  const std::string a = "  %x = exp(%y) + 1.0\n", b = "  %t = update_tile_offset %t, 0, 1\n";
  const std::string text = "kernel @k(%A: memref<?x?xf32>) {\n  form layouts_known\n" + a + b + a + "  for %i = 0 to 8 {\n" +
                           a + "    if %c {\n" + b + b + "    } else {\n" + a + "    }\n" + b + "  }\n" + b +
                           "}\nfunc @f(%x: f32) -> f32 {\n" + a + a + "  return %x\n}\ntest \"t\" {\n" + a + a + "}\n";
  size_t like = 0;
  EXPECT_EQ(treeBefore(text, "kernel @zz() {\n}\n", like), treeBefore(text, "kernel @zz( {\n}\n", like));
  EXPECT_EQ(like, 2 * 9u);
}

} // namespace
} // namespace xt
