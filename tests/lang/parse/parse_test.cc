// Parses valid texts: golden trees, and variants of the encoding and line ends.
#include "tests/golden.h"

#include "lang/parse/parse.h"
#include "lang/parse/shape_tokens.h"

#include <functional>

namespace xt {
namespace {

struct ParsedFile {
  SourceManager sources;
  uint32_t index;
  Diagnostics diagnostics;
  ast::File file;

  explicit ParsedFile(std::string text)
      : index(sources.add("t.xt", std::move(text))), file(parse(sources, index, diagnostics)) {}
  std::string messages() const { return renderText(diagnostics, sources, false); }
  std::string dump() const { return ast::dump(file, sources.file(index)); }
};

std::string kernel(const std::string &statements) { return "kernel @k() {\n" + statements + "\n}\n"; }

const ast::Stmt &only(const ParsedFile &parsed) { return parsed.file.kernels.at(0).body.stmts.at(0); }

TEST(Parse, SamplesGiveTheirTrees) {
  for (const auto &path : test::filesIn("lang/parse/samples", ".xt")) {
    SCOPED_TRACE(path.filename());
    ParsedFile parsed(test::readText(path));
    EXPECT_EQ(parsed.messages(), "");
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".ast"), parsed.dump());
  }
}

TEST(Parse, TheTreeDoesNotDependOnHowLinesEnd) {
  for (const auto &path : test::filesIn("lang/parse/samples", ".xt")) {
    SCOPED_TRACE(path.filename());
    std::string text = test::readText(path), crlf;
    for (char c : text) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    ParsedFile plain(text), windows(crlf), marked("\xEF\xBB\xBF" + crlf);
    EXPECT_EQ(windows.messages(), "");
    EXPECT_EQ(marked.messages(), "");
    EXPECT_EQ(plain.dump(), windows.dump());
    // The text with a byte order mark is not compared in full, because the mark shifts the columns of the first line.
    EXPECT_EQ(plain.file.kernels.size(), marked.file.kernels.size());
    while (!text.empty() && text.back() == '\n') text.pop_back();
    EXPECT_EQ(plain.dump(), ParsedFile(text).dump());
  }
}

TEST(Parse, FilesWithNothingInThem) {
  for (const char *text : {"", "\n", "  \n\t\n", "// only a comment", "\xEF\xBB\xBF", "\r\n\r\n"}) {
    ParsedFile parsed(text);
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.dump(), "");
  }
}

TEST(Parse, TextThatIsNotUtf8IsOneErrorAtTheByte) {
  for (const char *text : {"kernel @k() {}\n\xFF", "\xC0\x80", "// \xED\xA0\x80", "a\xE2\x82"}) {
    ParsedFile parsed(text);
    ASSERT_EQ(parsed.diagnostics.errorCount(), 1u);
    const Diagnostic &d = parsed.diagnostics.all()[0];
    EXPECT_EQ(d.code, DiagCode::NotUtf8);
    EXPECT_EQ(d.range.begin, *findInvalidUtf8(text));
    EXPECT_EQ(d.range.end, d.range.begin + 1);
    EXPECT_TRUE(parsed.file.kernels.empty());
  }
}

TEST(Parse, RangesAreBytesWhereTheTextIsNotAscii) {
  ParsedFile parsed("// ein gro\xC3\x9F"
                    "es W\xF0\x9F\x98\x80rt\n" +
                    kernel("  %gr\xC3\xB6\xC3\x9F"
                           "e = addf %\xCE\xB1, %b"));
  EXPECT_EQ(parsed.messages(), "");
  const ast::Stmt &stmt = only(parsed);
  const SourceFile &source = parsed.sources.file(parsed.index);
  EXPECT_EQ(source.slice(stmt.range), "%gr\xC3\xB6\xC3\x9F"
                                      "e = addf %\xCE\xB1, %b");
  EXPECT_EQ(stmt.results.at(0).name.text, "gr\xC3\xB6\xC3\x9F"
                                          "e");
  EXPECT_EQ(source.slice(stmt.op->operands.at(0).range), "%\xCE\xB1");
  EXPECT_EQ(source.slice(stmt.op->operands.at(1).range), "%b");
}

TEST(Parse, IntegersBeyond64BitsAreFlagged) {
  auto literal = [](const std::string &text) { return ParsedFile(kernel("%x = " + text)); };
  auto child = [](const ParsedFile &p) {
    const ast::Expr &e = *only(p).expr;
    return e.is(ast::Expr::Kind::Unary) ? e.children.at(0) : e;
  };
  EXPECT_FALSE(child(literal("9223372036854775807")).overflows);
  // Literals may use all 64 bits of a u64. Values that do not fit their type are reported by the checker.
  EXPECT_FALSE(child(literal("9223372036854775808")).overflows);
  EXPECT_FALSE(child(literal("-9223372036854775808")).overflows);
  EXPECT_EQ(child(literal("18446744073709551615")).integer, -1);
  EXPECT_FALSE(child(literal("18446744073709551615")).overflows);
  EXPECT_TRUE(child(literal("18446744073709551616")).overflows);
  EXPECT_FALSE(child(literal("0xFFFFFFFFFFFFFFFF")).overflows);
  EXPECT_TRUE(child(literal("0x10000000000000000")).overflows);
  EXPECT_TRUE(child(literal("123456789012345678901234567890")).overflows);
  ParsedFile extent("!t = memref<99999999999999999999xf32>\n");
  EXPECT_TRUE(extent.file.typeAliases.at(0).value.extents.at(0).value->overflows);
}

std::string repeated(const std::string &text, size_t n) {
  std::string out;
  for (size_t i = 0; i < n; ++i) out += text;
  return out;
}

// One nesting level more than allowed gives one message, and the other kernel is still parsed. Far deeper nesting must not
// overflow the stack.
TEST(Parse, NestingIsLimited) {
  struct Shape {
    const char *name;
    std::function<std::string(size_t)> text;
    size_t outside; // nesting levels that the rest of the text uses
  };
  const Shape shapes[] = {
      {"parentheses", [](size_t n) { return kernel("%x = " + repeated("(", n) + "1" + repeated(")", n)); }, 1},
      {"calls", [](size_t n) { return kernel("%x = " + repeated("f(", n) + "1" + repeated(")", n)); }, 1},
      {"lists", [](size_t n) { return kernel("%x = f(" + repeated("[", n) + "1" + repeated("]", n) + ")"); }, 2},
      {"blocks", [](size_t n) { return kernel(repeated("if %c {\n", n) + repeated("}\n", n)); }, 1},
      {"attributes", [](size_t n) { return kernel("load_tile %t " + repeated("{a = ", n) + "1" + repeated("}", n)); }, 1},
      {"negations", [](size_t n) { return kernel("%x = " + repeated("-", n) + "1"); }, 0},
      {"nots", [](size_t n) { return kernel("%x = " + repeated("not ", n) + "%c"); }, 0},
      {"else ifs", [](size_t n) { return kernel("if %c {\n}" + repeated(" else if %c {\n}", n)); }, 0},
      {"types", [](size_t n) { return "!t = " + repeated("tile<8xf32, a = ", n) + "1" + repeated(">", n) + "\n"; }, 0},
  };
  for (const Shape &shape : shapes) {
    SCOPED_TRACE(shape.name);
    ParsedFile deepest(shape.text(kMaxNesting - shape.outside));
    EXPECT_EQ(deepest.messages(), "");
    EXPECT_FALSE(deepest.dump().empty());
    for (size_t n : {kMaxNesting + 1, size_t{100000}}) {
      ParsedFile parsed(shape.text(n) + "kernel @next() {\n}\n");
      ASSERT_EQ(parsed.diagnostics.errorCount(), 1u) << parsed.messages().substr(0, 2000);
      EXPECT_EQ(parsed.diagnostics.all()[0].code, DiagCode::NestingTooDeep);
      ASSERT_EQ(parsed.file.kernels.size(), 1u);
      EXPECT_EQ(parsed.file.kernels[0].name.text, "next");
    }
  }
}

TEST(Parse, ChainsOfOperatorsAreLimited) {
  ParsedFile longest(kernel("%x = 1" + repeated(" + 1", kMaxOperators)));
  EXPECT_EQ(longest.messages(), "");
  ParsedFile parsed(kernel("%x = 1" + repeated(" + 1", 200000)));
  ASSERT_EQ(parsed.diagnostics.errorCount(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].code, DiagCode::NestingTooDeep);
}

TEST(Parse, ATestsCheckSplitsAtItsEquality) {
  ParsedFile parsed("test \"t\" {\n  check (%A == %B) == %C\n}\n");
  EXPECT_EQ(parsed.messages(), "");
  const ast::Stmt &check = parsed.file.tests.at(0).body.stmts.at(0);
  ASSERT_EQ(check.kind, ast::Stmt::Kind::Check);
  EXPECT_TRUE(check.left->is(ast::Expr::Kind::Binary));
  EXPECT_TRUE(check.right->is(ast::Expr::Kind::Value));
}

TEST(Parse, ColonAfterAValueIsACountInKernelsAndASliceInTests) {
  ParsedFile inKernel(kernel("%t = init_tile %A, [%o:2] : memref<8x8xf32> -> tile<8x8xf32>"));
  EXPECT_EQ(inKernel.messages(), "");
  EXPECT_TRUE(only(inKernel).op->offsets->children.at(0).is(ast::Expr::Kind::Values));
  ParsedFile inTest("test \"t\" {\n  %x = %A[%o:2]\n}\n");
  EXPECT_EQ(inTest.messages(), "");
  EXPECT_TRUE(inTest.file.tests.at(0).body.stmts.at(0).expr->children.at(1).is(ast::Expr::Kind::Slice));
}

// Braces determine where a line belongs, not the column in which it starts.
TEST(Parse, AStatementAtTheMarginIsNoItem) {
  ParsedFile parsed(
      "kernel @k(%A: memref<?x?xf32>) {\n%z = 1\nprint \"z\", %z\nassert %c, \"text\"\n}\ntest \"t\" {\nlaunch @k(%A)\n}\n");
  EXPECT_EQ(parsed.messages(), "");
  ASSERT_EQ(parsed.file.kernels.size(), 1u);
  EXPECT_EQ(parsed.file.kernels[0].body.stmts.size(), 3u);
  EXPECT_EQ(parsed.file.tests.size(), 1u);
}

TEST(Parse, AWordThatIsNoOpAtTheMarginStaysInItsKernel) {
  for (const char *line : {"prnt \"z\", %z", "adi $N, %z", "foo @f(%z)"}) {
    ParsedFile parsed("kernel @k() {\n%z = 1\n" + std::string(line) + "\n%y = 2\n}\nkernel @next() {\n}\n");
    ASSERT_EQ(parsed.file.kernels.size(), 2u) << line << '\n' << parsed.messages();
    EXPECT_EQ(parsed.file.tests.size(), 0u) << line;
    EXPECT_EQ(parsed.file.params.size(), 0u) << line;
    EXPECT_EQ(parsed.file.kernels[0].body.stmts.size(), 3u) << line;
  }
}

// A misspelt keyword starts an item even after a block whose closing brace is missing.
TEST(Parse, AMisspeltItemEndsWhatIsNotClosed) {
  ParsedFile parsed("kernel @k() {\n  %z = 1\nkernl @next() {\n  %y = 2\n}\ntset \"t\" {\n}\n");
  ASSERT_EQ(parsed.file.kernels.size(), 2u) << parsed.messages();
  EXPECT_EQ(parsed.file.kernels[1].name.text, "next");
  EXPECT_EQ(parsed.file.tests.size(), 1u);
}

} // namespace
} // namespace xt
