// Tests that a syntax error gives one message in the whole front end: parts that could not be parsed cause no further errors.
#include "tests/golden.h"

#include "lang/lower/lower.h"
#include "lang/parse/shape_tokens.h"

namespace xt {
namespace {

TEST(Cascade, ASyntaxErrorIsTheOnlyError) {
  for (const auto &path : test::filesIn("../examples", ".xt")) {
    std::string text = test::readText(path);
    SourceFile source("t.xt", text);
    size_t broken = 0, alone = 0;
    LowerOptions options;
    options.imports.stdlib = std::string(XT_SOURCE_DIR) + "/stdlib";
    options.imports.read = [](const std::string &file) { return Result<std::string>(test::readText(file)); };
    std::vector<SyntaxToken> tokens = lex(source);
    constexpr size_t kStride = 11; // every eleventh token is enough
    for (size_t t = 0; t < tokens.size(); t += kStride) {
      const SyntaxToken &token = tokens[t];
      SourceManager sources;
      uint32_t index = sources.add("t.xt", std::string(text).erase(token.begin, token.end - token.begin));
      Diagnostics diagnostics;
      Context context;
      (void)lowerFile(sources, index, context, options, diagnostics);
      size_t syntax = 0, errors = 0;
      for (const Diagnostic &d : diagnostics.all()) {
        if (d.severity != Severity::Error) continue;
        ++errors;
        syntax += static_cast<int>(d.code) < 200;
      }
      if (syntax == 0) continue;
      ++broken;
      alone += errors == 1;
    }
    EXPECT_GT(broken, 0u) << path.filename();
    // The exceptions are deleted names of aliases and kernels, whose uses are reported as unknown.
    EXPECT_GE(static_cast<double>(alone), 0.9 * static_cast<double>(broken)) << path.filename();
  }
}

} // namespace
} // namespace xt
