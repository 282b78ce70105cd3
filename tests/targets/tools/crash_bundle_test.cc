// Tests the files that the tools leave when they crash.
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

class CrashBundle : public testing::Test {
protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizers tell of signals themselves";
#endif
    fs::create_directory(folder_ / "lib");
    std::ofstream(folder_ / "lib/tiles.xt") << "param $N : index = 16\n";
    std::ofstream(folder_ / "slow.xt")
        << "import \"lib/tiles.xt\"\n"
           "kernel @slow(%A: memref<16x16xi32>) {\n"
           "  %t = init_tile %A[0, 0] -> tile<16x16xi32>\n"
           "  %v = load_tile %t\n"
           "  print \"begun\"\n"
           "  for %i = 0 to 2000000000 step 1 { %v = %v + %v }\n"
           "  store_tile %v, %t\n"
           "}\n"
           "test \"t\" {\n  %A = out : memref<16x16xi32>\n  launch @slow(%A)\n  check %A == %A\n}\n";
  }
  // Sends a signal to xtrun once the kernel has printed something. Returns the messages and the status.
  ToolRun crash(const std::string &variables, const std::string &signal = "SEGV") const {
    return runTool("cd " + folder_.string() + " && export XT_CACHE_DIR= && bash -c '" + variables +
                   " %bin/xtrun --target=interp -D N=16 --test t slow.xt --json 2>said & while ! grep -qs begun said && kill "
                   "-0 $! 2>/dev/null; do sleep 0.1; done; kill -" +
                   signal + " $!; wait $!; status=$?; cat said; exit $status'");
  }
  static std::string text(const fs::path &file) {
    std::ostringstream out;
    out << std::ifstream(file).rdbuf();
    return out.str();
  }
  TemporaryFolder folder_;
};

TEST_F(CrashBundle, HoldsWhatRepeatsTheCrash) {
  ToolRun ran = crash("");
  EXPECT_EQ(ran.status, 70) << ran.output;
  EXPECT_NE(ran.output.find("xt: compiler bug: the program accessed an invalid address (SIGSEGV)"), std::string::npos)
      << ran.output;
  EXPECT_NE(ran.output.find("in the folder xt-crash-1: please send it"), std::string::npos) << ran.output;
  fs::path bundle = folder_ / "xt-crash-1";
  std::string readme = text(bundle / "README.txt");
  for (const char *part : {"version: xt ", "LLVM: 22.", "processor: ", "command: ",
                           "xtrun --target=interp -D N=16 --test t slow.xt", "variables: XT_CACHE_DIR="})
    EXPECT_NE(readme.find(part), std::string::npos) << part << '\n' << readme;
  std::string inside = folder_.string().substr(1);
  EXPECT_EQ(text(bundle / "files" / inside / "slow.xt"), text(folder_ / "slow.xt"));
  EXPECT_EQ(text(bundle / "files" / inside / "lib/tiles.xt"), text(folder_ / "lib/tiles.xt"));
  EXPECT_FALSE(fs::is_empty(bundle / "backtrace.txt"));
  // The module from which code was generated must compile with the command in its first line.
  std::string before = text(bundle / "before.xt");
  ASSERT_EQ(before.substr(0, 22), "// xt-reproducer: xtc ") << before;
  std::string command = before.substr(22, before.find('\n') - 22);
  EXPECT_EQ(command, "--run= --target=interp before.xt");
  ToolRun again = runTool("cd " + bundle.string() + " && %bin/xtc " + command);
  EXPECT_EQ(again.status, 0) << again.output;
  // The files of the bundle can be used instead of those that were read.
  EXPECT_EQ(runTool("cd " + (bundle / "files" / inside).string() + " && %bin/xtc -D N=16 slow.xt").status, 0);
}

TEST_F(CrashBundle, NothingIsOverwritten) {
  fs::create_directory(folder_ / "xt-crash-1");
  fs::create_symlink("/nowhere", folder_ / "xt-crash-2");
  EXPECT_EQ(crash("", "ABRT").status, 70);
  EXPECT_TRUE(fs::is_empty(folder_ / "xt-crash-1"));
  EXPECT_TRUE(fs::exists(folder_ / "xt-crash-3/README.txt"));
}

TEST_F(CrashBundle, TheFolderIsAVariable) {
  fs::create_directory(folder_ / "crashes");
  EXPECT_EQ(crash("XT_CRASH_DIR=crashes").status, 70);
  EXPECT_TRUE(fs::exists(folder_ / "crashes/xt-crash-1/before.xt"));
  ToolRun none = crash("XT_CRASH_DIR=");
  EXPECT_EQ(none.status, 128 + 11) << none.output;
  EXPECT_FALSE(fs::exists(folder_ / "xt-crash-1"));
}

// A bundle has space for a limited number of files. The files of the input at fault must be among them, however many inputs
// came before. A program that never ends replaces Intel's offline compiler, so that the last file is being compiled when the
// signal comes.
TEST_F(CrashBundle, ManyFilesBeforeLeaveRoomForTheLast) {
  fs::create_directory(folder_ / "bin");
  std::ofstream(folder_ / "bin/ocloc") << "#!/bin/sh\n: > \"$STARTED\"\nexec sleep 1000000\n";
  fs::permissions(folder_ / "bin/ocloc", fs::perms::owner_all);
  for (int i = 0; i < 600; ++i) std::ofstream(folder_ / ("a" + std::to_string(i) + ".xt")) << "kernel\n";
  std::ofstream(folder_ / "last.xt")
      << "kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<8x16xf32>\n"
         "  %tb = init_tile %B[0, 0] -> tile<8x16xf32>\n  %a = load_tile %ta\n  store_tile %a, %tb\n}\n";
  ToolRun ran = runTool("cd " + folder_.string() +
                        " && export STARTED=$PWD/started PATH=$PWD/bin:$PATH && bash -c '%bin/xtc --format=json "
                        "--target=xe-dg2 --emit=isa a*.xt last.xt >/dev/null & " +
                        "while [ ! -e started ] && kill -0 $! 2>/dev/null; do sleep 0.1; done; kill -SEGV $!; wait $!'");
  EXPECT_EQ(ran.status, 70) << ran.output;
  fs::path bundle = folder_ / "xt-crash-1";
  EXPECT_EQ(text(bundle / "files" / folder_.string().substr(1) / "last.xt"), text(folder_ / "last.xt"));
  EXPECT_TRUE(fs::exists(bundle / "before.xt"));
}

} // namespace
} // namespace xt::test
