// Tests `xtrun` on NVIDIA's driver by a driver in software without a GPU (tests/targets/nv/fake): what is asked of it, and what users see
// when something is missing or fails.
#include "ir/base/text.h"
#include "tests/targets/tools/folder_test.h"

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

constexpr const char *kCopies = R"(kernel @copies(%A: memref<64xf32>, %B: memref<64xf32>) lanes(32) {
  %lane = lane_id()
  for %i = 0 to 64 step 32 {
    %at = %i + %lane
    %x = memref.load %A[%at]
    memref.store %x, %B[%at]
  }
}

test "copies" {
  %A = random(seed = 1) : memref<64xf32>
  %B = out : memref<64xf32>
  launch @copies(%A, %B)
  check %B == %A
}
)";

class NvDriver : public test::FolderTest {
protected:
  void SetUp() override { ASSERT_EQ(runTool("[ -e %bin/../fake_cuda/libcuda.so.1 ]").status, 0) << "there is no fake driver"; }
  // Runs a program with the fake driver in the way that `settings` say (XT_FAKE_CUDA).
  ToolRun run(const std::string &command, const std::string &settings = "") {
    return runTool(str("LD_LIBRARY_PATH=%bin/../fake_cuda XT_FAKE_CUDA=", settings,
                       " XT_FAKE_CUDA_CALLS=", (folder / "calls").string(), " %bin/xtrun ", command));
  }
  ToolRun copies(const std::string &settings = "", const std::string &options = "--target=nv") {
    return run(str(options, " ", file(kCopies)), settings);
  }
  size_t calls(const std::string &function) {
    std::ifstream in(folder / "calls");
    size_t count = 0;
    for (std::string line; std::getline(in, line);) count += line == function;
    return count;
  }
};

TEST_F(NvDriver, RunsOnTheGpu) {
  for (const char *target : {"nv", "nv-sm80", "nv-sm90"}) {
    ToolRun ran = copies("", str("--remarks --target=", target));
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_TRUE(has(ran, "1 test: 1 passed")) << ran.output;
    EXPECT_FALSE(has(ran, "software")) << ran.output;
    EXPECT_TRUE(has(ran, "@copies: 40 registers; 5 workgroups run on each of 132 multiprocessors at the same time"))
        << ran.output;
  }
  EXPECT_EQ(copies("", "--target=nv --device=gpu").status, 0);
  EXPECT_EQ(calls("cuLaunchKernel"), 4u * 2u) << "a test runs twice";
  EXPECT_EQ(calls("cuMemAlloc_v2"), calls("cuMemFree_v2"));
  EXPECT_EQ(calls("cuMemHostAlloc"), calls("cuMemFreeHost"));
}

TEST_F(NvDriver, AGpuThatIsOlderThanTheCode) {
  ToolRun ran = copies("capability=86,shared=101376", "--target=nv");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_FALSE(has(ran, "software")) << ran.output;
  ran = copies("capability=86,shared=101376", "--target=nv-sm90 --device=gpu");
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_TRUE(has(ran,
                  "no NVIDIA GPU runs the code of nv-sm90: there is Fake GPU 0 (compute capability 8.6, 101376 bytes of shared "
                  "memory)"))
      << ran.output;
}

// Without a GPU the software device takes its place, and says why if there is a driver.
TEST_F(NvDriver, TheSoftwareDeviceStandsIn) {
  struct Case {
    const char *settings, *says;
  };
  const Case cases[] = {
      {"devices=0", "no NVIDIA GPU runs the code of nv: NVIDIA's driver finds none"},
      {"cuInit=100", "NVIDIA's driver finds none"},
      {"cuInit=803", "cuInit: the driver's library and its kernel module have different versions"},
      {"version=12020", "its driver is that of CUDA 12.2; kernels need that of CUDA 12.4 (version 550) or later"},
      {"capability=75", "its compute capability is 7.5; kernels need 8.0 (Ampere) or later"},
      {"mode=2", "the device is set up to run no kernels"},
      {"cuDeviceTotalMem_v2=999", "cuDeviceTotalMem: what the driver says (CUDA_ERROR 999)"},
  };
  for (const Case &each : cases) {
    ToolRun ran = copies(each.settings);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_TRUE(has(ran, each.says)) << each.settings << '\n' << ran.output;
    EXPECT_TRUE(has(ran, ": running on the software NVIDIA device")) << ran.output;
    ran = copies(each.settings, "--target=nv --device=gpu");
    EXPECT_EQ(ran.status, 3) << ran.output;
    EXPECT_TRUE(has(ran, each.says)) << each.settings << '\n' << ran.output;
  }
  EXPECT_EQ(calls("cuLaunchKernel"), 0u);
}

// Each call that fails is named, with the result in words and the status of a failure of the environment.
TEST_F(NvDriver, FailuresAreTold) {
  struct Case {
    const char *settings, *says;
  };
  const Case cases[] = {
      {"cuModuleLoadDataEx=218", "cuModuleLoadDataEx on Fake GPU 0: the driver does not compile the PTX (CUDA_ERROR 218)\n"
                                 "ptxas application ptx input, line 7; error: a fake one"},
      {"cuModuleLoadDataEx=222", "the driver is too old for this version of PTX"},
      {"cuMemAlloc_v2=2", " bytes on Fake GPU 0: the device has not enough memory (CUDA_ERROR_OUT_OF_MEMORY 2)"},
      {"cuMemHostAlloc=2", "cuMemHostAlloc of "},
      {"cuLaunchKernel=701", "cuLaunchKernel of copies on Fake GPU 0: the device has not enough registers or shared memory"},
      {"cuStreamSynchronize=719", "cuStreamSynchronize on Fake GPU 0: a kernel trapped or failed (CUDA_ERROR 719)"},
      {"cuStreamSynchronize=700", "a kernel accessed an invalid address"},
      {"cuMemcpyAsync=1", "cuMemcpyAsync on Fake GPU 0: what the driver says (CUDA_ERROR 1)"},
      {"cuModuleGetFunction=500", "cuModuleGetFunction of copies"},
      {"cuFuncGetAttribute=1", "cuFuncGetAttribute of copies"},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor=1", "cuOccupancyMaxActiveBlocksPerMultiprocessor of copies"},
      {"cuDevicePrimaryCtxRetain=46", "the device is in use"},
      {"cuCtxPushCurrent_v2=1", "cuCtxPushCurrent on Fake GPU 0"},
      {"cuStreamCreate=1", "cuStreamCreate on Fake GPU 0"},
      {"cuEventCreate=1", "cuEventCreate on Fake GPU 0"},
      {"cuEventRecord=1", "cuEventRecord on Fake GPU 0"},
      {"cuEventElapsedTime=1", "cuEventElapsedTime on Fake GPU 0"},
  };
  for (const Case &each : cases) {
    ToolRun ran = copies(each.settings);
    EXPECT_EQ(ran.status, 3) << each.settings << '\n' << ran.output;
    EXPECT_TRUE(has(ran, each.says)) << each.settings << '\n' << ran.output;
  }
}

TEST_F(NvDriver, GuardZonesShowWritesOutOfBounds) {
  std::string text = kCopies;
  for (size_t at; (at = text.find("@copies")) != std::string::npos;) text.replace(at, 7, "@damages");
  ToolRun ran = run("--target=nv " + file(text));
  EXPECT_NE(ran.status, 0) << ran.output;
  EXPECT_TRUE(has(ran, "@damages wrote out of bounds of `%A`: 1 byte before its start changed")) << ran.output;
}

// A kernel that executes nothing leaves its results unwritten.
TEST_F(NvDriver, ResultsAreChecked) {
  std::string text = kCopies;
  for (size_t at; (at = text.find("@copies")) != std::string::npos;) text.replace(at, 7, "@nothing");
  EXPECT_EQ(run("--target=nv " + file(text)).status, 1);
}

// After a failure of which the driver says that the context is lost, or does not say what the stream has done, nothing is launched.
TEST_F(NvDriver, ALostDeviceGetsNoLaunches) {
  std::string text = kCopies, test = text.substr(text.find("test \""));
  std::string twice = text + "\n" + test.replace(0, test.find('{'), "test \"again\" ");
  for (const char *result : {"719", "999"}) {
    std::filesystem::remove(folder / "calls");
    ToolRun ran = run("--target=nv " + file(twice), str("cuStreamSynchronize=", result));
    EXPECT_EQ(ran.status, 3) << ran.output;
    EXPECT_EQ(calls("cuLaunchKernel"), 1u) << result;
  }
}

// A kernel whose buffers exceed 48 KiB gets a larger limit of dynamic shared memory.
TEST_F(NvDriver, SharedMemoryIsAskedFor) {
  std::string text =
      "kernel @nothing(%A: memref<64xf32>) lanes(32) {\n  %s = alloc_slm : memref<13000xf32, slm>\n  %lane = lane_id()\n"
      "  %x = memref.load %A[%lane]\n  memref.store %x, %s[%lane]\n  barrier\n  %y = memref.load %s[%lane]\n"
      "  memref.store %y, %A[%lane]\n}\n\ntest \"t\" {\n  %A = random(seed = 1) : memref<64xf32>\n  launch @nothing(%A)\n}\n";
  EXPECT_EQ(run("--target=nv " + file(text)).status, 1) << "a test without checks";
  EXPECT_GE(calls("cuFuncSetAttribute"), 1u);
  ToolRun ran = run("--target=nv " + file(text), "cuFuncSetAttribute=1");
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_TRUE(has(ran, "cuFuncSetAttribute for 52000 bytes of shared memory of nothing")) << ran.output;
}

TEST_F(NvDriver, DevicesAreListed) {
  ToolRun ran = run("--devices", "devices=2");
  EXPECT_TRUE(has(ran, "Fake GPU 0")) << ran.output;
  EXPECT_TRUE(has(ran, "Fake GPU 1")) << ran.output;
  EXPECT_TRUE(has(ran, "CUDA 13.0")) << ran.output;
  ran = run("--devices", "version=11080");
  EXPECT_TRUE(has(ran, "its driver is that of CUDA 11.8")) << ran.output;
  ran = run("--devices", "cuInit=999");
  EXPECT_TRUE(has(ran, "cuInit: what the driver says (CUDA_ERROR 999)")) << ran.output;
}

// Results that are wrong are not measured, and nothing stands in their place.
TEST_F(NvDriver, TheScriptPrintsWhatItHasMeasured) {
  ToolRun ran = runTool("LD_LIBRARY_PATH=%bin/../fake_cuda XT_BIN=%bin bash %src/tests/nv/run --try");
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(has(ran, "no product has passed its test on the GPU, so there is no table")) << ran.output;
  EXPECT_FALSE(has(ran, "| product")) << ran.output;
}

// A library without the functions is not a driver.
TEST_F(NvDriver, ALibraryThatLacksFunctions) {
  ASSERT_EQ(runTool(str("cd ", folder.string(), " && echo 'int xt_nothing;' > e.c && cc -shared -o libcuda.so.1 e.c")).status,
            0);
  ToolRun ran = runTool(str("LD_LIBRARY_PATH=", folder.string(), " %bin/xtrun --target=nv --device=gpu ", file(kCopies)));
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_TRUE(has(ran, "NVIDIA's driver")) << ran.output;
  EXPECT_TRUE(has(ran, "cuInit")) << ran.output;
}

} // namespace
} // namespace xt
