// Tests libxt as installed: projects outside of the tree find it by find_package and by pkg-config, in C and in C++.
#include "tests/shell.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class InstalledLibrary : public testing::Test {
protected:
  void SetUp() override {
    ShellRun installed = run("cmake --install " XT_BINARY_DIR " --component libxt --prefix " + prefix_.string());
    ASSERT_EQ(installed.status, 0) << installed.output;
    environment_ = "cd / && unset XT_STDLIB && export XT_CACHE_DIR= ASAN_OPTIONS=verify_asan_link_order=0 && ";
  }
  static ShellRun run(const std::string &command) { return runShell("( " + command + " ) 2>&1 </dev/null"); }
  // Runs a built program of the outside project.
  void expectRuns(const std::string &program) {
    ShellRun ran = run(environment_ + (folder_ / program).string() + " " + (prefix_ / "share/xt/stdlib/gemm.xt").string());
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, "0 wrong\n");
  }
  // The flags that a program needs besides, as the library was built with a sanitizer.
  static std::string sanitizer() { return std::string(XT_TEST_SANITIZE).empty() ? "" : " -fsanitize=" XT_TEST_SANITIZE; }

  TemporaryFolder folder_;
  fs::path prefix_ = folder_ / "prefix";
  std::string environment_;
};

TEST_F(InstalledLibrary, IsFoundByCMake) {
  std::string build = (folder_ / "build").string();
  ShellRun built =
      run("cmake -S " XT_SOURCE_DIR "/tests/targets/api/outside -B " + build + " -DCMAKE_PREFIX_PATH=" + prefix_.string() +
          " -DCMAKE_CXX_COMPILER=" XT_TEST_CXX " -DCMAKE_C_COMPILER=" XT_TEST_CC " '-DCMAKE_CXX_FLAGS=" + sanitizer() +
          "' '-DCMAKE_C_FLAGS=" + sanitizer() + "' && cmake --build " + build);
  ASSERT_EQ(built.status, 0) << built.output;
  expectRuns("build/use_c");
  expectRuns("build/use_cpp");
}

TEST_F(InstalledLibrary, IsFoundByPkgConfig) {
  if (run("pkg-config --version").status != 0) GTEST_SKIP() << "pkg-config is not installed";
  std::string flags = "$(pkg-config --cflags --libs xt) -Wl,-rpath,$(pkg-config --variable=libdir xt)" + sanitizer();
  ShellRun built =
      run("export PKG_CONFIG_PATH=" + (prefix_ / "lib/pkgconfig").string() +
          " && cd " XT_SOURCE_DIR "/tests/targets/api/outside && " XT_TEST_CC " -std=c11 use.c -o " +
          (folder_ / "use_c").string() + " " + flags + " && " XT_TEST_CXX " -std=c++20 -fno-exceptions -fno-rtti use.cpp -o " +
          (folder_ / "use_cpp").string() + " " + flags);
  ASSERT_EQ(built.status, 0) << built.output;
  expectRuns("use_c");
  expectRuns("use_cpp");
}

TEST_F(InstalledLibrary, NamesNoFolderOfTheBuild) {
  for (const char *file : {"lib/pkgconfig/xt.pc", "lib/cmake/xt/xt-targets.cmake", "lib/cmake/xt/xt-config.cmake"}) {
    ShellRun found = run("grep -n " XT_BINARY_DIR " " + (prefix_ / file).string());
    EXPECT_EQ(found.status, 1) << file << ": " << found.output;
  }
}

} // namespace
} // namespace xt::test
