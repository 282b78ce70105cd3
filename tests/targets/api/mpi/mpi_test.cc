// Tests the component `mpi` of libxt as a program uses it: built outside of the tree against an installation, and run by mpirun.
#include "tests/mpirun.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

namespace xt::test {
namespace {

namespace fs = std::filesystem;

// The installation and the built programs are shared by all tests.
class MpiComponent : public testing::Test {
protected:
  static void SetUpTestSuite() {
    if (!whyNoRanks(XT_TEST_MPI).empty()) return;
    folder_.emplace();
    const std::string install = "cmake --install " XT_BINARY_DIR " --prefix " + prefix() + " --component ";
    built_ = run(install + "libxt && " + install + "mpi");
    if (built_.status == 0) built_ = configure(XT_SOURCE_DIR "/tests/targets/api/mpi/outside", "build");
    if (built_.status == 0) built_ = run("cmake --build " + (*folder_ / "build").string());
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override {
    if (std::string why = whyNoRanks(XT_TEST_MPI); !why.empty()) GTEST_SKIP() << why;
    ASSERT_EQ(built_.status, 0) << built_.output;
  }

  static std::string prefix() { return (*folder_ / "prefix").string(); }
  static ShellRun run(const std::string &command) { return runShell("( " + command + " ) 2>&1 </dev/null"); }
  static ShellRun configure(const std::string &source, const std::string &build) {
    return run("cmake -S " + source + " -B " + (*folder_ / build).string() + " -DCMAKE_PREFIX_PATH=" + prefix() +
               " -DCMAKE_CXX_COMPILER=" XT_TEST_CXX " -DCMAKE_C_COMPILER=" XT_TEST_CC);
  }
  // Writes a project with one line, and configures it.
  static ShellRun configureLine(const std::string &line) {
    run("mkdir -p " + (*folder_ / "line").string() + " && rm -rf " + (*folder_ / "line/build").string() + " && printf '" +
        "cmake_minimum_required(VERSION 3.25)\\nproject(line CXX)\\n%s\\n' '" + line + "' > " +
        (*folder_ / "line/CMakeLists.txt").string());
    return configure((*folder_ / "line").string(), "line/build");
  }
  // Runs a built program on ranks.
  static ShellRun ranks(int count, const std::string &program) {
    return run("cd / && unset XT_STDLIB; export XT_CACHE_DIR= && " + onRanks(count, (*folder_ / "build" / program).string()));
  }

  // Runs a built program that prints "right on N" on N ranks.
  static void expectRight(std::initializer_list<int> counts, const std::string &program) {
    for (int count : counts) {
      ShellRun ran = ranks(count, program);
      EXPECT_EQ(ran.status, 0) << ran.output;
      EXPECT_EQ(ran.output, "right on " + std::to_string(count) + "\n");
    }
  }

  static inline std::optional<TemporaryFolder> folder_;
  static inline ShellRun built_;
};

TEST_F(MpiComponent, CarriesOutEachOperation) { expectRight({1, 2, 3, 4}, "operations"); }

TEST_F(MpiComponent, AddsTheProductsOfKernels) { expectRight({1, 3}, "product " + prefix() + "/share/xt/stdlib/gemm.xt"); }

TEST_F(MpiComponent, RefusesMisuseOnAllRanks) { expectRight({1, 2, 3, 4}, "misuse"); }

TEST_F(MpiComponent, TakesACommunicator) {
  expectRight({1, 4}, "communicator");
  EXPECT_EQ(ranks(1, "communicator single").output, "refused\n");
}

TEST_F(MpiComponent, FailsOnAllRanksAndGoesOn) { expectRight({2, 3, 4}, "failures agree"); }

TEST_F(MpiComponent, FailsIfARankHasLeft) {
  ShellRun ran = ranks(3, "failures leave");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_EQ(ran.output, "right\n");
}

// mpirun ends the ranks when the first of those that gave up ends.
TEST_F(MpiComponent, FailsIfARankIsSilent) {
  ShellRun ran = ranks(3, "failures silent");
  EXPECT_NE(ran.status, 124) << ran.output;
  EXPECT_EQ(ran.output.rfind("right\n", 0), 0u) << ran.output;
}

TEST_F(MpiComponent, EndsIfARankDies) {
  ShellRun ran = ranks(4, "failures abort");
  EXPECT_NE(ran.status, 0);
  EXPECT_NE(ran.status, 124) << "the other ranks hang\n" << ran.output;
  EXPECT_NE(ran.output.find("signal 6"), std::string::npos) << ran.output;
}

TEST_F(MpiComponent, RunsWithoutMpirun) {
  for (const char *program : {"operations", "misuse"}) {
    ShellRun ran = run(std::string(kMpiEnvironment) + "timeout 60 " + (*folder_ / "build" / program).string());
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, "right on 1\n");
  }
}

TEST_F(MpiComponent, IsFoundByPkgConfig) {
  if (run("pkg-config --version").status != 0) GTEST_SKIP() << "pkg-config is not installed";
  const std::string program = (*folder_ / "misuse").string();
  ShellRun built =
      run("export PKG_CONFIG_PATH=" + prefix() +
          "/lib/pkgconfig && " XT_TEST_CC " -std=c11 " XT_SOURCE_DIR "/tests/targets/api/mpi/outside/misuse.c -o " + program +
          " $(pkg-config --cflags --libs xt-mpi) -Wl,-rpath,$(pkg-config --variable=libdir xt-mpi)");
  ASSERT_EQ(built.status, 0) << built.output;
  EXPECT_EQ(run(onRanks(2, program)).output, "right on 2\n");
}

TEST_F(MpiComponent, OtherComponentsAreRefused) {
  ShellRun unknown = configureLine("find_package(xt REQUIRED COMPONENTS mpi cuda)");
  EXPECT_NE(unknown.status, 0);
  EXPECT_NE(unknown.output.find("xt has no component \"cuda\", only mpi"), std::string::npos) << unknown.output;
  EXPECT_EQ(configureLine("find_package(xt REQUIRED COMPONENTS mpi OPTIONAL_COMPONENTS cuda)\n"
                          "if(NOT xt_mpi_FOUND OR xt_cuda_FOUND)\nmessage(FATAL_ERROR found)\nendif()")
                .status,
            0);
  EXPECT_EQ(configureLine("find_package(xt REQUIRED)\nif(TARGET xt::mpi)\nmessage(FATAL_ERROR found)\nendif()").status, 0);
}

TEST_F(MpiComponent, IsAbsentWithoutMpi) {
  const std::string file = prefix() + "/lib/cmake/xt/xt-mpi-targets.cmake"; // as an installation of a build without MPI
  fs::rename(file, file + ".away");
  ShellRun missing = configureLine("find_package(xt REQUIRED COMPONENTS mpi)");
  EXPECT_NE(missing.status, 0);
  EXPECT_NE(missing.output.find("this installation of xt was built without MPI"), std::string::npos) << missing.output;
  EXPECT_EQ(configureLine("find_package(xt REQUIRED)").status, 0);
  fs::rename(file + ".away", file);
}

TEST_F(MpiComponent, ExportsWhatItsHeaderDeclares) {
  ShellRun declared = run("sed -n \"s/^XT_API .*[ *]\\(xt_[a-z_]*\\)(.*/\\1/p\" " + prefix() +
                          "/include/xt/mpi.h | (cat; echo xt_mpi_open) | sort");
  ShellRun exported = run("nm -D --defined-only " + prefix() + "/lib/libxt_mpi.so | sed 's/.* //' | sort");
  EXPECT_EQ(exported.output, declared.output);
  ShellRun needed = run("ldd " + prefix() + "/lib/libxt_mpi.so");
  EXPECT_EQ(needed.output.find("LLVM"), std::string::npos) << needed.output;
  EXPECT_EQ(needed.output.find("libxt.so"), std::string::npos) << needed.output;
}

} // namespace
} // namespace xt::test
