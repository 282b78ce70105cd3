// Tests lowering from source text to IR: each .xt gives the module in the .lowered file of the same name, and parsing that text
// gives the same module.
#include "tests/golden.h"

#include "ir/equal.h"
#include "ir/verify/verify.h"
#include "lang/lower/lower.h"

namespace xt {
namespace {

struct Lowered {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;

  explicit Lowered(std::string text, const LowerOptions &options = {}) {
    uint32_t index = sources.add("test.xt", std::move(text));
    auto result = lowerFile(sources, index, context, options, diagnostics);
    EXPECT_TRUE(result.ok()) << renderText(diagnostics, sources, false);
    if (result) module = std::move(*result);
  }
};

void expectReadsBack(const Module &module) {
  std::string text = print(module);
  Lowered again(text);
  ASSERT_TRUE(again.module) << text;
  std::optional<std::string> difference = firstDifference(module, *again.module);
  EXPECT_FALSE(difference) << *difference << '\n' << text;
  EXPECT_EQ(print(*again.module), text);
}

TEST(Lower, GoldenModules) {
  for (const auto &path : test::filesIn("lang/lower", ".xt")) {
    SCOPED_TRACE(path.filename());
    Lowered lowered(test::readText(path));
    ASSERT_TRUE(lowered.module);
    EXPECT_TRUE(verify(*lowered.module, lowered.diagnostics).ok()) << renderText(lowered.diagnostics, lowered.sources, false);
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".lowered"), print(*lowered.module));
    expectReadsBack(*lowered.module);
  }
}

TEST(Lower, ExamplesStdlibAndPeersReadBack) {
  size_t files = 0;
  for (const char *folder : {"../examples", "../stdlib", "peers"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      SCOPED_TRACE(path.filename());
      LowerOptions options;
      options.imports.stdlib = std::string(XT_SOURCE_DIR) + "/stdlib";
      options.imports.read = [](const std::string &file) { return Result<std::string>(test::readText(file)); };
      Lowered lowered(test::readText(path), options);
      ASSERT_TRUE(lowered.module) << renderText(lowered.diagnostics, lowered.sources, false);
      expectReadsBack(*lowered.module);
      ++files;
    }
  EXPECT_GE(files, 3u);
}

TEST(Lower, DefinesReplaceDefaults) {
  const char *text = "param $N : index = 16\nparam $M : index = $N * 2\n"
                     "kernel @k(%A: memref<?x?xf32>) {\n  %t = init_tile %A[0, 0] -> tile<$N x $M x f32>\n"
                     "  %v = load_tile %t\n  store_tile %v, %t\n}\n";
  LowerOptions options;
  options.defines = {{"N", "24"}};
  Lowered lowered(text, options);
  ASSERT_TRUE(lowered.module);
  EXPECT_NE(print(*lowered.module).find("tile<24x48xf32>"), std::string::npos) << print(*lowered.module);
}

TEST(Lower, SameOverridesShareOneKernel) {
  const char *text = "param $N : index = 16\n"
                     "kernel @k(%A: memref<?x?xf32>) {\n  %t = init_tile %A[0, 0] -> tile<$N x 16 x f32>\n"
                     "  %v = load_tile %t\n  store_tile %v, %t\n}\n"
                     "test \"t\" {\n  %A = fill(1.0) : memref<64x64xf32>\n  launch @k(%A) {N = 32}\n  launch @k(%A) {N = 32}\n"
                     "  launch @k(%A) {N = 16}\n}\n";
  Lowered lowered(text);
  ASSERT_TRUE(lowered.module);
  ASSERT_EQ(lowered.module->kernels.size(), 2u);
  EXPECT_EQ(lowered.module->kernels[0]->name, "k");
  EXPECT_EQ(lowered.module->kernels[1]->name, "k$N=32");
}

} // namespace
} // namespace xt
