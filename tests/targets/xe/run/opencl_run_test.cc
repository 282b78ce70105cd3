// Tests OpenCL devices as users see them: the built tools with the machine's loader and Intel's runtime for CPUs.
#include "ir/base/text.h"
#include "tests/targets/tools/folder_test.h"
#include "tests/targets/xe/run/xe_device.h"

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

class OpenClRun : public test::FolderTest {
protected:
  void SetUp() override {
    if (std::string why = test::whyNoOpenCl(); !why.empty()) GTEST_SKIP() << why;
  }
  static ToolRun xtrun(const std::string &arguments) {
    return runTool(str(test::openClDrivers(), " timeout 600 %bin/xtrun --device=opencl ", arguments));
  }
};

constexpr const char *kSum = R"(kernel @sum(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 8, %j = 0 to dim(%C, 1) step 32) subgroups(2) {
  %ta = init_tile %A[%i, %j] -> tile<8x32xf32>
  %tb = init_tile %B[%i, %j] -> tile<8x32xf32>
  %a = load_tile %ta
  %b = load_tile %tb
  %c = %a + %b
  %tc = init_tile %C[%i, %j] -> tile<8x32xf32>
  store_tile %c, %tc
}
test "sum" {
  %A = random(seed = 1) : memref<100x77xf32>
  %B = random(seed = 2) : memref<100x77xf32>
  %C = out : memref<100x77xf32>
  launch @sum(%A, %B, %C)
  check %C == %A + %B exactly
}
)";

TEST_F(OpenClRun, WhatIsCompiledForSpirvRunsThere) {
  std::string path = file(kSum);
  ToolRun run = xtrun("--target=spirv " + path);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "passed  sum [spirv]")) << run.output;
  EXPECT_FALSE(has(run, "no Intel GPU")) << run.output;
  run = xtrun("-O 0 --target=xe,cpu " + path); // without its optimiser, the driver does not form subgroups
  EXPECT_EQ(run.status, 0) << run.output;
}

TEST_F(OpenClRun, ATargetForOtherHardwareSaysWhatIsThere) {
  ToolRun run = xtrun("--target=xe-pvc " + file(kSum));
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "no OpenCL device of the kind xe-pvc: there is ") && has(run, " (spirv)")) << run.output;
}

TEST_F(OpenClRun, WithoutADriverTheErrorSaysWhereOneIs) {
  ToolRun run =
      runTool("OCL_ICD_FILENAMES= OCL_ICD_VENDORS=/nonexistent %bin/xtrun --device=opencl --target=spirv " + file(kSum));
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "no OpenCL driver is installed") && has(run, "intel-opencl-rt")) << run.output;
}

TEST_F(OpenClRun, DevicesAreListed) {
  ToolRun run = runTool(test::openClDrivers() + " %bin/xtrun --devices");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, ": OpenCL ") && has(run, "compiled for as spirv")) << run.output;
  run = runTool("OCL_ICD_FILENAMES= OCL_ICD_VENDORS=/nonexistent %bin/xtrun --devices");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "OpenCL: cannot be used: ")) << run.output;
}

TEST_F(OpenClRun, AFailedAssertSaysWhatItSaysOnTheCpu) {
  std::string path = file(R"(kernel @k(%A: memref<4x16xf32>) subgroups(1) grid (%i = 0 to 4) {
  %bad = %i != 2
  assert %bad, "not the second"
}
test "t" {
  %A = fill(1.0) : memref<4x16xf32>
  launch @k(%A)
  check %A == before(%A)
}
)");
  ToolRun cpu = runTool("%bin/xtrun --target=cpu " + path), opencl = xtrun("--target=spirv " + path);
  EXPECT_EQ(opencl.status, 1) << opencl.output;
  size_t at = cpu.output.find("assertion failed");
  ASSERT_NE(at, std::string::npos) << cpu.output;
  EXPECT_TRUE(has(opencl, cpu.output.substr(at, cpu.output.find('\n', at) - at))) << cpu.output << opencl.output;
}

// The driver runs kernels in this process, which must survive their faults.
TEST_F(OpenClRun, AWildAddressIsAnErrorOfTheDevice) {
  ToolRun run = xtrun("--target=spirv %src/tests/targets/tools/blocks/fail_wild_address.xt");
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "a kernel accessed an invalid address (at 0x") && has(run, "cannot continue")) << run.output;
}

TEST_F(OpenClRun, AKernelThatNeverEndsMeetsTheTimeLimit) {
  ToolRun run = xtrun("--target=spirv --time-limit 10 " + file(R"(kernel @k(%A: memref<16xi32>) subgroups(1) lanes(16) {
  %mask = constant 31 : i32
  %go = memref.load %A[lane_id()]
  while %go < 100 {
    %go = memref.load %A[lane_id()]
    %next = andi %go, %mask
    memref.store %next, %A[lane_id()]
  }
}
test "t" {
  %A = ints(0, 50, seed = 1) : memref<16xi32>
  launch @k(%A)
  check %A == before(%A)
}
)"));
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "the time limit of 10 s has expired")) << run.output;
}

} // namespace
} // namespace xt
