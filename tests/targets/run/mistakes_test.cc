// Tests errors of a test that are found when it runs (XT0520 to XT0529). Each file of mistakes/ gives the messages in the .txt
// file of the same name, the first of which has the code in the file name, and the exit status of a file that does not compile.
#include "run_helper.h"
#include "tests/golden.h"

namespace xt {
namespace {

TEST(Mistakes, EachFileGivesItsMessages) {
  size_t seen = 0;
  for (const auto &path : test::filesIn("targets/run/mistakes", ".xt")) {
    std::string name = path.filename();
    int code = std::stoi(name.substr(5, 4));
    if (code < 520 || code > 529) continue;
    ++seen;
    SCOPED_TRACE(name);
    TestedProgram program(test::readText(path));
    ASSERT_TRUE(program.module);
    FakeExecutable executable;
    executable.kernels["copy"] = [](const auto &) { return Result<void>(); };
    RunOptions options;
    options.budget = &program.budget;
    TestReport report =
        runTest(program.module->tests[0], {{"fake", program.module.get(), &executable, false}}, options, program.diagnostics);
    EXPECT_EQ(report.status, TestStatus::FileError) << renderText(report, program.sources, false);
    ASSERT_EQ(program.diagnostics.errorCount(), 1u) << program.messages();
    EXPECT_EQ(static_cast<int>(program.diagnostics.all()[0].code), code);
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), program.messages());
  }
  EXPECT_GE(seen, 13u);
}

} // namespace
} // namespace xt
