// Tests the driver with the real Level Zero loader, in separate programs, because the loader reads the environment only once.
#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"
#include "tests/temporary_folder.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

namespace xt::soft::test {
namespace {

const std::string kDriver = XT_BINARY_DIR "/lib/libze_xt_soft.so", kPrograms = XT_BINARY_DIR "/bin/";

std::string contents(const std::string &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Returns the missing package, or "" if the driver, the loader and the programs exist.
std::string whatIsMissing() {
  if (access(kDriver.c_str(), R_OK) != 0) return "libze-dev, when this was built";
  if (!dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL)) return "libze1";
  return missingPackage();
}

#define NEEDS_DRIVER()                                                                                                         \
  if (std::string package = whatIsMissing(); !package.empty())                                                                 \
  GTEST_SKIP() << "Debian's package " << package << " is not installed"

class SoftDriver : public testing::Test {
protected:
  struct Ran {
    int status = -1;
    std::string text;
  };
  std::string file(const char *name) const { return folder_ / name; }
  bool write(const std::string &source) {
    std::vector<uint8_t> spirv = spirvOf(source);
    std::ofstream(file("k.spv"), std::ios::binary)
        .write(reinterpret_cast<const char *>(spirv.data()), static_cast<std::streamsize>(spirv.size()));
    return !spirv.empty();
  }
  // Runs a program of these tests on the SPIR-V, with additional environment variables.
  Ran run(const std::string &program, const std::string &arguments = "", const std::string &environment = "") {
    // The programs end without destroying their objects. This is not a leak of the driver.
    std::string command = str("env ASAN_OPTIONS=detect_leaks=0 ZE_ENABLE_ALT_DRIVERS=", kDriver, " ", environment, " ",
                              kPrograms, program, " ", file("k.spv"), " ", arguments, " > ", file("log"), " 2>&1");
    int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents(file("log"))};
  }
  xt::test::TemporaryFolder folder_;
};

bool says(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST_F(SoftDriver, runsAProgramInPlainC) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write(contents(XT_SOURCE_DIR "/tests/targets/soft/example/vector_add.cl")));
  for (auto [device, rules] : {std::pair("pvc", "PVC"), {"bmg", "BMG"}, {"dg2", "DG2"}}) {
    Ran ran = run("xt_soft_vector_add", "", str("XT_SOFT_DEVICE=", device));
    EXPECT_EQ(ran.status, 0) << ran.text;
    EXPECT_TRUE(says(ran.text, str("device: xt software device (", rules, " rules)"))) << ran.text;
    EXPECT_TRUE(says(ran.text, "0 wrong of 4352")) << ran.text;
  }
}

TEST_F(SoftDriver, runsUnderTheValidationLayer) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write(contents(XT_SOURCE_DIR "/tests/targets/soft/example/vector_add.cl")));
  Ran ran = run("xt_soft_vector_add", "", "ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1");
  EXPECT_EQ(ran.status, 0) << ran.text;
}

TEST_F(SoftDriver, namesThePackageOfAToolThatIsMissing) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write("kernel void k(global int *o) { o[0] = 1; }"));
  Ran ran = run("xt_soft_probe", "module", "PATH=");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_TRUE(says(ran.text, "module: 0x70020000")) << ran.text; // ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE
  EXPECT_TRUE(says(ran.text, "build log: the software Xe device needs the command llvm-spirv-15 to read SPIR-V, and it "
                             "is not in PATH; install Debian's "
                             "package llvm-spirv-15"))
      << ran.text;
}

TEST_F(SoftDriver, putsWhatIsWrongWithAModuleIntoItsLog) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write("int what(int);\nkernel void k(global int *o) { o[0] = what(1); }"));
  Ran ran = run("xt_soft_probe", "module");
  EXPECT_TRUE(says(ran.text, "module: 0x70000004")) << ran.text; // ZE_RESULT_ERROR_MODULE_BUILD_FAILURE
  EXPECT_TRUE(says(ran.text, "build log: the software Xe device (xe-pvc) does not know the device function what")) << ran.text;
  std::ofstream(file("k.spv")) << "this is no SPIR-V at all, but text";
  ran = run("xt_soft_probe", "module");
  EXPECT_TRUE(says(ran.text, "module: 0x70000004") && says(ran.text, "this is not SPIR-V")) << ran.text;
}

TEST_F(SoftDriver, losesTheDeviceWhereAKernelDoesWhatItMustNot) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write("__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *o) { o[1 << 20] = 1; }"));
  for (const char *way : {"queue", "fence", "event", "immediate"}) {
    Ran ran = run("xt_soft_probe", way, "XT_SOFT_REPORT=" + file("report"));
    EXPECT_TRUE(says(ran.text, str(way, ": 0x70000001"))) << ran.text; // ZE_RESULT_ERROR_DEVICE_LOST
    EXPECT_TRUE(says(ran.text, "xt software device: kernel k, workgroup (0, 0, 0), lane 0 of subgroup 0: store of 4 bytes"))
        << ran.text;
    EXPECT_TRUE(says(ran.text, "last error: kernel k, workgroup (0, 0, 0)")) << ran.text;
  }
  EXPECT_TRUE(says(contents(file("report")), "kernel k, workgroup (0, 0, 0), lane 0 of subgroup 0: store of 4 bytes"));
}

TEST_F(SoftDriver, timesOutOnAnEndlessKernelAndEnds) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write("__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *o) { while "
                    "(atomic_add(o, 0) == 0) {} }"));
  Ran ran = run("xt_soft_probe", "timeout");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_TRUE(says(ran.text, "timeout: 0x1")) << ran.text; // ZE_RESULT_NOT_READY
}

// Current programs initialise by zeInitDrivers, which needs a current loader: the machine's, or one in the folder that
// XT_ZE_LOADER_DIR names.
TEST_F(SoftDriver, isInitialisedByZeInitDrivers) {
  NEEDS_DRIVER();
  const char *folder = std::getenv("XT_ZE_LOADER_DIR");
  std::string loader = str(folder ? folder : "", folder ? "/" : "", "libze_loader.so.1");
  void *library = dlopen(loader.c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_TRUE(library) << loader;
  if (!dlsym(library, "zeInitDrivers")) GTEST_SKIP() << "the Level Zero loader is older than zeInitDrivers";
  ASSERT_TRUE(write("__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *o) { o[0] = 1; }"));
  std::string environment = folder ? str("LD_LIBRARY_PATH=", folder) : "";
  Ran ran = run("xt_soft_probe", "drivers", environment);
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_TRUE(says(ran.text, "drivers: 0x0")) << ran.text;
  ran = run("xt_soft_probe", "queue", environment); // the older way to initialise, with the same loader
  EXPECT_TRUE(says(ran.text, "queue: 0x0")) << ran.text;
}

TEST_F(SoftDriver, copiesFillsAndTellsTheTime) {
  NEEDS_DRIVER();
  ASSERT_TRUE(
      write("__attribute__((intel_reqd_sub_group_size(16))) kernel void k(global int *o) { o[get_global_id(0)] += 1; }"));
  Ran ran = run("xt_soft_probe", "commands");
  EXPECT_EQ(ran.status, 0) << ran.text;
  EXPECT_TRUE(says(ran.text, "commands: 0x0")) << ran.text;
  EXPECT_TRUE(says(ran.text, "sum: 32768")) << ran.text; // the sum of 4096 elements of 7 + 1
  EXPECT_TRUE(says(ran.text, "time: forward")) << ran.text;
}

TEST_F(SoftDriver, isNotThereForADeviceThatDoesNotExist) {
  NEEDS_DRIVER();
  ASSERT_TRUE(write("kernel void k(global int *o) { o[0] = 1; }"));
  Ran ran = run("xt_soft_probe", "module", "XT_SOFT_DEVICE=nonesuch");
  EXPECT_NE(ran.status, 0);
  EXPECT_TRUE(says(ran.text, "XT_SOFT_DEVICE is `nonesuch`; the software device can be pvc, bmg, dg2")) << ran.text;
}

} // namespace
} // namespace xt::soft::test
