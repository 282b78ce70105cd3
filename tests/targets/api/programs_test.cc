// Builds and runs the programs of the README's section on use from programs, from an installation in an empty folder.
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/mpirun.h"
#include "tests/shell.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace xt::test {
namespace {

class Programs : public testing::Test {
protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "the programs are built as a user builds them, without a sanitizer";
    ShellRun installed = in("cmake --install " XT_BINARY_DIR " --prefix " + (folder_ / "prefix").string());
    ASSERT_EQ(installed.status, 0) << installed.output;
    const std::string page = readText(XT_SOURCE_DIR "/README.md");
    section_ = page.substr(page.find("\n## Use it from a program"));
    section_.resize(section_.find("\n## ", 1));
  }
  // Runs a command in the folder; $prefix is the installation.
  ShellRun in(const std::string &command) {
    return runShell("( cd " + folder_.string() + " && unset XT_STDLIB PYTHONPATH XT_LIBRARY; export XT_CACHE_DIR= prefix=" +
                    (folder_ / "prefix").string() + "; " + command + " ) 2>&1 </dev/null");
  }
  // Writes the section's program in a language to a file: the one that begins with `first`.
  void writeProgram(const std::string &language, const char *name, const std::string &first = "") {
    size_t begin = section_.find("```" + language + "\n" + first);
    ASSERT_NE(begin, std::string::npos) << language;
    begin += language.size() + 4;
    const std::string text = section_.substr(begin, section_.find("```", begin) - begin);
    EXPECT_LE(std::ranges::count(text, '\n'), 15) << "a program of the README has at most 15 lines";
    std::ofstream(folder_ / name) << text;
  }

  TemporaryFolder folder_;
  std::string section_;
};

TEST_F(Programs, CppCompilesAndLaunchesFromEightThreads) {
  writeProgram("cpp", "main.cpp");
  ShellRun run = in("c++ -std=c++20 -Wall -Wextra -Werror main.cpp -I$prefix/include -L$prefix/lib -lxt -Wl,-rpath,$prefix/lib "
                    "-o main && ./main $prefix/share/xt/stdlib/gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "right\nright\nright\nright\nright\nright\nright\nright\n");
}

TEST_F(Programs, CppMultipliesOnFourRanks) {
  if (std::string why = whyNoRanks(XT_TEST_MPI); !why.empty()) GTEST_SKIP() << why;
  writeProgram("cpp", "main.cpp", "#include <cstdio>\n#include <xt/mpi");
  ShellRun run = in("c++ -std=c++20 -Wall -Wextra -Werror main.cpp -I$prefix/include -L$prefix/lib -lxt -lxt_mpi "
                    "-Wl,-rpath,$prefix/lib -o main && " +
                    onRanks(4, "./main $prefix/share/xt/stdlib/gemm.xt"));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "right\nright\nright\nright\n");
}

TEST_F(Programs, CNeedsNeitherCompilerNorLibrary) {
  writeProgram("c", "main.c");
  ShellRun run = in("$prefix/bin/xtc --emit=lib -D GEMM_T=f32 -o gemm $prefix/share/xt/stdlib/gemm.xt && rm -r $prefix && "
                    "cc -Wall -Wextra -Werror main.c libgemm.a -lm -lpthread -o main && ./main");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "right\n");
}

TEST_F(Programs, CInALevelZeroContextOfItsOwn) {
  if (in("ldconfig -p | grep -q libze_loader.so.1 && llvm-spirv-15 --version").status != 0)
    GTEST_SKIP() << "the Level Zero loader or llvm-spirv-15 is not installed";
  writeProgram("c", "main.c", "#include \"gemm.h\"\n#include <level_zero");
  ShellRun run = in("$prefix/bin/xtc --emit=lib --target=xe-pvc -D GEMM_T=f32 -o gemm $prefix/share/xt/stdlib/gemm.xt && "
                    "cc -Wall -Wextra -Werror main.c libgemm.a -lm -lpthread -l:libze_loader.so.1 -o main && "
                    "ZE_ENABLE_ALT_DRIVERS=$prefix/lib/libze_xt_soft.so ./main");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output, "right\n");
}

TEST_F(Programs, PythonWithNumpy) {
  std::string python;
  for (const char *candidate : {XT_SOURCE_DIR "/build/python/bin/python3", "/usr/bin/python3"})
    if (python.empty() && in(std::string(candidate) + " -c 'import numpy'").status == 0) python = candidate;
  if (python.empty()) GTEST_SKIP() << "no python3 with numpy is installed";
  writeProgram("python", "main.py");
  ShellRun run =
      in("XT_LIBRARY=$prefix/lib/libxt.so.0 PYTHONPATH=" XT_SOURCE_DIR "/targets/api/python PYTHONDONTWRITEBYTECODE=1 " +
         python + " main.py $prefix/share/xt/stdlib/gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.output.rfind("right\n", 0), 0u) << run.output;
  EXPECT_NE(run.output.find(" ms ("), std::string::npos) << run.output;
}

} // namespace
} // namespace xt::test
