// Compiles the examples of the RFCs, both as printed, with golden messages, and corrected.
#include "tests/golden.h"

#include "ir/verify/verify.h"
#include "lang/lower/lower.h"

namespace xt {
namespace {

struct Checked {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;

  Checked(const std::string &name, std::string text) {
    auto result = lowerFile(sources, sources.add(name, std::move(text)), context, {}, diagnostics);
    if (result) module = std::move(*result);
  }
  std::string messages() const { return renderText(diagnostics, sources, false); }
};

// Wraps the statements of an example in a kernel. Moves aliases, which the RFCs print between statements, before the kernel.
std::string inKernel(const std::string &printed) {
  if (printed.find("func.func") != std::string::npos) return printed;
  std::string aliases, statements, line;
  std::istringstream lines(printed);
  while (std::getline(lines, line)) {
    size_t first = line.find_first_not_of(" \t");
    bool alias = first != std::string::npos && line[first] == '#';
    (alias ? aliases : statements) += (alias ? line.substr(first) : line) + "\n";
  }
  return aliases + "kernel @printed() {\n" + statements + "}\n";
}

TEST(Rfc, PrintedExamplesGiveTheirMessages) {
  size_t files = 0;
  for (const auto &path : test::filesIn("rfc/printed", ".xt")) {
    SCOPED_TRACE(path.filename());
    Checked checked(path.filename(), inKernel(test::readText(path)));
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), checked.messages());
    ++files;
  }
  EXPECT_GE(files, 82u);
}

TEST(Rfc, MendedExamplesCompile) {
  size_t files = 0;
  for (const auto &path : test::filesIn("rfc/mended", ".xt")) {
    SCOPED_TRACE(path.filename());
    Checked checked(path.filename(), test::readText(path));
    ASSERT_TRUE(checked.module) << checked.messages();
    EXPECT_TRUE(verify(*checked.module, checked.diagnostics).ok()) << checked.messages();
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(XT_SOURCE_DIR) / "tests/rfc/printed" / path.filename()));
    ++files;
  }
  EXPECT_GE(files, 70u);
}

// Appendix 1 lists the orders that are valid for the memory layout of the base.
TEST(Rfc, IncorrectOrdersAreErrors) {
  const char *columnMajor = "memref<1024x1024xf16, affine_map=<(d0, d1)->(d1, d0)>>", *rowMajor = "memref<1024x1024xf16>";
  struct Case {
    const char *memref, *attribute;
  } cases[] = {{columnMajor, ", order=[1, 0]"}, {columnMajor, ""}, {rowMajor, ", order=[0, 1]"}};
  for (const Case &c : cases) {
    std::string text = std::string("kernel @k(%0: ") + c.memref + ") {\n  %t = init_tile %0[0, 0]: " + c.memref +
                       " -> tile<64x32xf16" + c.attribute + ">\n}\n";
    Checked checked("order.xt", text);
    ASSERT_EQ(checked.diagnostics.errorCount(), 1u) << text << checked.messages();
    EXPECT_EQ(checked.diagnostics.all()[0].code, DiagCode::OrderMismatch);
  }
}

} // namespace
} // namespace xt
