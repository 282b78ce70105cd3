#include "tests/effort.h"
#include "tests/targets/tools/folder_test.h"
#include "tests/targets/xe/run/xe_device.h"

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

class XeRun : public test::FolderTest {
protected:
  void SetUp() override {
    if (std::string package = test::missingXePackage(); !package.empty())
      GTEST_SKIP() << "Debian's package " << package << " is not installed";
  }
};

constexpr const char *kDouble = R"(kernel @d(%A: memref<32x32xf64>, %C: memref<32x32xf64>) {
  %ta = init_tile %A[0, 0] -> tile<32x32xf64>
  %tc = init_tile %C[0, 0] -> tile<32x32xf64>
  %a = load_tile %ta
  %b = %a + %a
  store_tile %b, %tc
}
test "double" {
  %A = random(seed = 1) : memref<32x32xf64>
  %C = out : memref<32x32xf64>
  launch @d(%A, %C)
  check %C == %A + %A
}
)";

TEST_F(XeRun, TheSoftwareDeviceStandsInAndSaysSoOnce) {
  ToolRun run = runTool("%bin/xtrun --device=soft --target=xe %src/examples/14_lanes.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "2 tests: 2 passed")) << run.output;
  EXPECT_FALSE(has(run, "no Intel GPU")) << "the command names it:\n" << run.output;
  run = runTool("%bin/xtrun --target=xe %src/examples/14_lanes.xt %src/examples/06_unaligned.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  size_t first = run.output.find("no Intel GPU: running on the software device");
  if (first != std::string::npos) {
    EXPECT_EQ(run.output.find("no Intel GPU", first + 1), std::string::npos) << run.output;
  }
}

TEST_F(XeRun, TargetsAreCompared) {
  ToolRun run = runTool("%bin/xtrun --small --device=soft --target=interp,cpu,xe,xe-dg2 --test exact %src/examples/01_gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "passed  exact [xe-dg2, small]")) << run.output;
  EXPECT_TRUE(has(run, "`%C` on interp and xe-dg2 (small sizes): equal in every bit")) << run.output;
}

TEST_F(XeRun, DevicesAreListed) {
  ToolRun run = runTool("%bin/xtrun --devices");
  EXPECT_EQ(run.status, 0) << run.output;
  for (const char *text : {"interp ", "cpu ", "xe ", "spirv ", "xt software device (PVC rules): software, Level Zero 0.0.1",
                           "subgroups of 8, 16, 32, compiled for as xe-dg2"})
    EXPECT_TRUE(has(run, text)) << text << "\n" << run.output;
  run = runTool("%bin/xtrun --devices --json | python3 -m json.tool > /dev/null");
  if (!has(run, "python3: not found")) {
    EXPECT_EQ(run.status, 0) << run.output;
  }
}

TEST_F(XeRun, KernelsThatTheHardwareCannotRunAreSkipped) {
  std::string path = file(kDouble);
  ToolRun run = runTool("%bin/xtrun --device=soft --target=xe-dg2,cpu " + path);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "skipped  double [xe-dg2]")) << run.output;
  EXPECT_TRUE(has(run, "@d cannot run on xe-dg2: it uses f64, which xe-dg2 does not have")) << run.output;
  EXPECT_TRUE(has(run, "passed  double [cpu]")) << run.output;
  run = runTool("%bin/xtrun --device=soft --target=xe-dg2 " + path);
  EXPECT_EQ(run.status, 4) << "nothing was run\n" << run.output;
  EXPECT_TRUE(has(run, "1 test: 1 skipped")) << run.output;
  EXPECT_EQ(runTool("%bin/xtrun --device=soft --target=xe-pvc " + path).status, 0);
}

// Buffers that obey the rules of block messages are accessed by them, other buffers without. Both give the right result.
TEST_F(XeRun, ThePlainKernelRunsWhereABufferBreaksARule) {
  std::string text =
      R"(kernel @scale(%A: memref<?x?xf16>, %C: memref<?x?xf16>) grid (%i = 0 to dim(%A, 0) step 16, %j = 0 to dim(%A, 1) step 32) {
  %ta = init_tile %A[%i, %j] -> tile<16x32xf16>
  %tc = init_tile %C[%i, %j] -> tile<16x32xf16>
  %a = load_tile %ta
  %b = %a + %a
  store_tile %b, %tc
}
test "t" {
  %A = random(seed = 1) : memref<40xCOLUMNSxf16>
  %C = out : memref<40xCOLUMNSxf16>
  launch @scale(%A, %C)
  check %C == %A + %A
}
)";
  auto with = [&](const std::string &columns) {
    std::string own = text;
    for (size_t at; (at = own.find("COLUMNS")) != std::string::npos;) own.replace(at, 7, columns);
    return runTool("%bin/xtrun --device=soft --target=xe-pvc --remarks " + file(own));
  };
  ToolRun fits = with("64"), breaks = with("33");
  EXPECT_EQ(fits.status, 0) << fits.output;
  EXPECT_FALSE(has(fits, "runs without block messages")) << fits.output;
  EXPECT_EQ(breaks.status, 0) << breaks.output;
  EXPECT_TRUE(has(
      breaks,
      "@scale runs without block messages: `%A`: a row has 66 bytes; a block message needs at least 64, and a multiple of 4"))
      << breaks.output;
}

// The instructions of Intel's extensions must give the same results as the functions, bit by bit.
TEST_F(XeRun, IntelExtensions) {
  for (const char *path : {"/stdlib/gemm.xt", "/stdlib/attention.xt", "/examples/13_int8.xt"}) {
    ToolRun run =
        runTool(std::string("%bin/xtrun --small --device=soft --target=cpu,xe-pvc --spirv-extensions=intel %src") + path);
    EXPECT_EQ(run.status, 0) << path << "\n" << run.output;
  }
  ToolRun run = runTool("%bin/xtrun --small --device=soft --target=xe-dg2 --spirv-extensions=intel --test \"bf16, smaller "
                        "tiles\" %src/stdlib/gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  run = runTool("%bin/xtrun --target=spirv --spirv-extensions=intel %src/stdlib/gemm.xt");
  EXPECT_EQ(run.status, 64) << run.output;
  EXPECT_TRUE(has(run, "--spirv-extensions=intel is not available for the target `spirv`")) << run.output;
}

// Messages with payloads of their own must give the same results as the functions. They are taken by default; the other way is that of
// drivers without inline assembly.
TEST_F(XeRun, PayloadsInRegisters) {
  const std::string lacks = "XT_SOFT_LACKS=SPV_INTEL_inline_assembly ";
  const std::string alsoBmg = test::everything() ? ",xe-bmg " : " "; // it has the messages of xe-pvc
  auto passes = [&](const std::string &driver, const std::string &files) {
    ToolRun run = runTool(driver + "%bin/xtrun --small --device=soft --target=cpu,xe-pvc" + alsoBmg + files);
    EXPECT_EQ(run.status, 0) << driver << files << "\n" << run.output;
  };
  passes("", "%src/stdlib/gemm.xt %src/stdlib/gemm_variants.xt");
  passes("", "%src/stdlib/attention.xt %src/stdlib/conv2d.xt");
  passes("", "%src/examples/13_int8.xt %src/examples/08_epilogue.xt");
  for (const std::string &driver : {std::string(), lacks}) passes(driver, "%src/tests/targets/xe/run/payloads.xt");
  passes("", "--spirv-extensions=inline-assembly %src/tests/targets/xe/run/payloads.xt");
  const std::string gemm = "%bin/xtrun --small --device=soft --target=xe-pvc --remarks ";
  // What a run says of the addresses of messages: whether they stay in registers, or "" if it says nothing.
  auto told = [&](const std::string &command) -> std::string {
    ToolRun run = runTool(command + " %src/stdlib/gemm.xt");
    EXPECT_EQ(run.status, 0) << run.output;
    if (has(run, "block messages in loops keep their addresses in registers, through inline assembly that xt software device "
                 "(PVC rules) takes: its driver "))
      return "kept";
    bool anew = has(run, "block messages in loops get their addresses anew each time, as xt software device (PVC rules) takes "
                         "no inline assembly: its driver does not build it: ");
    return anew ? "anew" : "";
  };
  EXPECT_EQ(told(gemm), "kept");
  EXPECT_EQ(told(lacks + gemm), "anew");
  EXPECT_EQ(told(lacks + gemm + "--spirv-extensions=none"), "");
  // An option that selects inline assembly has no fallback.
  ToolRun refused = runTool(lacks + gemm + "--spirv-extensions=inline-assembly %src/stdlib/gemm.xt");
  EXPECT_EQ(refused.status, 3) << refused.output;
  EXPECT_TRUE(has(refused, "the module uses the SPIR-V extension SPV_INTEL_inline_assembly")) << refused.output;
}

TEST_F(XeRun, AFileOfSpirvHasInlineAssemblyOnlyIfAsked) {
  auto messages = [&](const std::string &option) {
    std::string out = (folder / "g.spv").string();
    return runTool("%bin/xtc --target=xe-pvc --emit=spirv -o " + out + option +
                   " %src/stdlib/gemm.xt && grep -c 'raw_sends.15.1.0.4 (M1, 16) 0x0:ud 0x2400203' " + out)
        .status;
  };
  EXPECT_EQ(messages(" --spirv-extensions=inline-assembly"), 0);
  EXPECT_EQ(messages(" --spirv-extensions=none"), 1);
  EXPECT_EQ(messages(""), 1);
}

TEST_F(XeRun, DevicesSayWhetherTheyTakeInlineAssembly) {
  ToolRun has = runTool("%bin/xtrun --devices"),
          lacks = runTool("XT_SOFT_LACKS=SPV_INTEL_inline_assembly %bin/xtrun --devices");
  auto line = [](const ToolRun &run, const std::string &device) {
    size_t at = run.output.find("xt software device (" + device);
    return at == std::string::npos ? "" : run.output.substr(at, run.output.find('\n', at) - at);
  };
  if (line(has, "PVC").empty()) GTEST_SKIP() << "there is no software device:\n" << has.output;
  EXPECT_TRUE(line(has, "PVC").ends_with(", compiled for as xe-pvc, inline assembly")) << has.output;
  EXPECT_NE(line(lacks, "BMG").find(", no inline assembly (its driver does not build it: "), std::string::npos) << lacks.output;
  EXPECT_TRUE(line(has, "DG2").ends_with("compiled for as xe-dg2")) << has.output;
}

// A host that knows only the JSON must be able to launch the kernels, and must find the rules and failures in it.
TEST_F(XeRun, HostByMetadata) {
  if (test::kSanitized) GTEST_SKIP() << "Python would have to be built with the sanitizer of the driver that it loads";
  if (runTool("python3 --version").status != 0) GTEST_SKIP() << "python3 is not installed";
  std::string compile = "cd " + folder.string() + " && %bin/xtc --target=xe-pvc ", text = "%src/examples/host/scale.xt";
  ASSERT_EQ(runTool(compile + "--emit=spirv,meta -o scale.spv " + text + " > scale.json").status, 0);
  ASSERT_EQ(runTool(compile + "--no-block-messages --emit=spirv,meta -o plain.spv " + text + " > plain.json").status, 0);
  auto launch = [&](const std::string &arguments) {
    return runTool("cd " + folder.string() +
                   " && ZE_ENABLE_ALT_DRIVERS=$(realpath %bin/../lib/libze_xt_soft.so) python3 %src/examples/host/launch.py " +
                   arguments);
  };
  ToolRun fits = launch("128 64 1"), breaks = launch("100 77 1"), fails = launch("128 64 0");
  EXPECT_EQ(fits.status, 0);
  EXPECT_TRUE(has(fits, "with block messages\n0 wrong of 8192\n")) << fits.output;
  EXPECT_EQ(breaks.status, 0);
  EXPECT_TRUE(has(breaks, "without block messages: A has rows that are 308 bytes apart\n0 wrong of 7700\n")) << breaks.output;
  EXPECT_EQ(fails.status, 1);
  EXPECT_TRUE(has(fails, "line 5: n is positive (workgroup 0)")) << fails.output;
}

TEST_F(XeRun, MatricesThatAreStoredByColumns) {
  ToolRun run = runTool("%bin/xtrun --device=soft --target=cpu,xe-pvc %src/tests/targets/xe/run/by_columns.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "9 tests: 9 passed")) << run.output;
}

constexpr const char *kNeighbours = R"(kernel @k(%A: memref<?xf32>, %B: memref<16xf32>, %from: index, %to: index) lanes(16) {
  %m = alloc_slm : memref<32xf32, slm>
  %n = alloc_slm : memref<32xf32, slm>
  %in = create_nd_tdesc %A, %from {boundary_check = false} : memref<?xf32> -> tensor_desc<16xf32, #sg_map<wi_layout = [16], wi_data = [1]>>
  %v = load_nd %in
  %tm = create_nd_tdesc %m, %to {memory_scope = slm, boundary_check = false} : memref<32xf32, slm> -> tensor_desc<16xf32, #sg_map<wi_layout = [16], wi_data = [1]>>
  %tn = create_nd_tdesc %n, 0 {memory_scope = slm, boundary_check = false} : memref<32xf32, slm> -> tensor_desc<16xf32, #sg_map<wi_layout = [16], wi_data = [1]>>
  store_nd %v, %tn
  store_nd %v, %tm
  %w = load_nd %tn
  %out = create_nd_tdesc %B, 0 {boundary_check = false} : memref<16xf32> -> tensor_desc<16xf32, #sg_map<wi_layout = [16], wi_data = [1]>>
  store_nd %w, %out
}
test "inside" {
  %A = random(seed = 1) : memref<64xf32>
  %B = out : memref<16xf32>
  launch @k(%A, %B, 48, 16)
  check %B == %A[48:64]
}
test "a read beyond a buffer" {
  %A = random(seed = 1) : memref<64xf32>
  %B = out : memref<16xf32>
  launch @k(%A, %B, 60, 16)
  check %B[0:4] == %A[60:64]
}
test "a store into the neighbour" {
  %A = random(seed = 1) : memref<64xf32>
  %B = out : memref<16xf32>
  launch @k(%A, %B, 48, 24)
  check %B == %A[48:64]
}
)";

// The kernels read out of bounds of a buffer, and of one variable through another, which hardware would not report.
TEST_F(XeRun, BuffersEndWhereTheyEnd) {
  ToolRun run = runTool("%bin/xtrun --device=soft --target=xe-pvc " + file(kNeighbours));
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_TRUE(has(run, "passed  inside")) << run.output;
  EXPECT_TRUE(has(run, "load of 4 bytes") && has(run, " bytes beyond the end of `%A`, of 256 bytes")) << run.output;
  EXPECT_TRUE(has(run, "k.xt:5:8: kernel k, workgroup (0, 0, 0), lane ")) << run.output; // where %v is loaded
  EXPECT_TRUE(has(run, "beyond the end of `k.slm.m`, a variable of 128 bytes in shared local memory")) << run.output;
  EXPECT_TRUE(has(run, "3 tests: 1 passed, 2 failed")) << run.output;
}

// If a launch loses the device, only its test fails. The next test has a device again.
TEST_F(XeRun, ALostDeviceIsNotThereForGood) {
  for (const char *target : {"xe-pvc", "xe-dg2"}) {
    ToolRun run = runTool(std::string("%bin/xtrun --device=soft --target=") + target +
                          " %src/tests/targets/tools/blocks/fail_wild_address.xt");
    EXPECT_EQ(run.status, 1) << run.output;
    EXPECT_TRUE(has(run, "kernel plain, workgroup (0, 0, 0), lane ") && has(run, "is out of bounds of every allocation"))
        << run.output;
    EXPECT_TRUE(has(run, "passed  an address")) << run.output;
    EXPECT_TRUE(has(run, "3 tests: 1 passed, 2 failed")) << run.output;
  }
}

TEST_F(XeRun, AFailedAssertSaysWhatItSaysOnTheCpu) {
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
  ToolRun cpu = runTool("%bin/xtrun --target=cpu " + path), xe = runTool("%bin/xtrun --device=soft --target=xe " + path);
  EXPECT_EQ(xe.status, 1) << xe.output;
  size_t at = cpu.output.find("assertion failed"), end = cpu.output.find('\n', at);
  ASSERT_NE(at, std::string::npos) << cpu.output;
  size_t line = cpu.output.rfind('\n', at) + 1; // the whole line, with the source position
  EXPECT_TRUE(has(xe, cpu.output.substr(line, end - line))) << cpu.output << xe.output;
}

// The first element that fails is reported, counted in the whole vector, and the subgroup if each subgroup asserts on its own
// vector.
TEST_F(XeRun, AFailedAssertOfAVectorSaysWhatItSaysOnTheCpu) {
  const std::string kernels = R"(#l = #wg_map<sg_layout = [2, 2], sg_data = [2, 2]>
#w = #wg_map<sg_layout = [2, 2], sg_data = [16, 32]>
kernel @p(%A: memref<?x?xi32>) grid (%i = 0 to 3, %j = 0 to 2) {
  %t = init_tile %A[0, 0] -> tile<4x4xi32, #l>
  %v = load_tile %t
  %s = index_cast (%i * 2 + %j) : index -> i32
  %c = %v + %s < 20
  assert %c, "small"
}
kernel @blocks(%A: memref<?x?xi32>) {
  %t = init_tile %A[0, 0] -> tile<32x64xi32, #w>
  %v = load_tile %t
  %c = %v < 100
  assert %c, "below"
}
kernel @s(%A: memref<?x?xi32>) subgroups(4) {
  %row = subgroup_id()
  %t = init_tile %A[%row, 0] -> tile<1x4xi32>
  %v = load_tile %t
  %c = %v != 9
  assert %c, "own"
}
)";
  auto test = [](const std::string &values, const std::string &size, const std::string &kernel) {
    return "test \"t\" {\n  %A = from (i, j) => " + values + " : memref<" + size + "xi32>\n  launch @" + kernel + "(%A)\n}\n";
  };
  struct Case {
    std::string test, says;
  };
  const std::vector<Case> cases = {
      {test("i * 4 + j", "4x4", "p"), "small at [3, 3] (workgroup (2, 1))"},
      {test("17 - (i * 4 + j)", "4x4", "p"), "small at [0, 0] (workgroup (1, 1))"},
      {test("i * (63 - j)", "32x64", "blocks"), "below at [2, 0]"},
      {test("i * 2 + j * 3", "32x64", "blocks"), "below at [0, 34]"},
      {test("i * 4 + j", "4x4", "s"), "own at [0, 1] (subgroup 2)"},
  };
  for (const Case &each : cases) {
    std::string path = file(kernels + each.test);
    for (const char *target : {"cpu", "xe", "xe-dg2"}) {
      std::string device = std::string(target) == "cpu" ? "" : "--device=soft ";
      ToolRun run = runTool("%bin/xtrun " + device + "--target=" + target + " " + path);
      EXPECT_EQ(run.status, 1) << run.output;
      EXPECT_TRUE(has(run, "assertion failed: " + each.says + "\n")) << each.says << "\n" << run.output;
    }
  }
}

// Kernels that no chosen test launches are not compiled: no pass processes them.
TEST_F(XeRun, OnlyWhatChosenTestsLaunchIsCompiled) {
  std::string path = file(R"(kernel @large(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %ta = init_tile %A[0, 0] -> tile<256x64xf32>
  %tb = init_tile %B[0, 0] -> tile<64x256xf32>
  %a = load_tile %ta
  %b = load_tile %tb
  %c = tile_mma %a, %b
  %tc = init_tile %C[0, 0] -> tile<256x256xf32>
  store_tile %c, %tc
}
kernel @twice(%A: memref<?x?xf32>) {
  %t = init_tile %A[0, 0] -> tile<8x16xf32>
  %a = load_tile %t
  %b = %a + %a
  store_tile %b, %t
}
test "large" {
  %A = ints(-4, 4, seed = 1) : memref<256x64xf32>
  %B = ints(-4, 4, seed = 2) : memref<64x256xf32>
  %C = out : memref<256x256xf32>
  launch @large(%A, %B, %C)
  check %C == matmul(%A, %B) exactly
}
test "twice" {
  %A = ints(-4, 4, seed = 1) : memref<8x16xf32>
  launch @twice(%A)
  check %A == before(%A) + before(%A) exactly
}
)");
  ToolRun one = runTool("%bin/xtrun --device=soft --target=xe-pvc --test twice --dump-after=infer-layouts " + path);
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_TRUE(has(one, "1 test: 1 passed") && has(one, "kernel @twice(") && !has(one, "kernel @large(")) << one.output;
  ToolRun others = runTool("%bin/xtrun --target=interp,cpu --test twice --dump-after=infer-layouts " + path);
  EXPECT_EQ(others.status, 0) << others.output;
  EXPECT_TRUE(has(others, "kernel @twice(") && !has(others, "kernel @large(")) << others.output;
}

TEST_F(XeRun, ANamedBarrierThatIsNotThere) {
  std::string path = file(R"(kernel @k(%C: memref<16xi32>) subgroups(2) lanes(16) {
  %id = constant 0 : i8
  %b = create_nbarrier %id, %id {num_producers = 2, num_consumers = 2} : i8, i8 -> nbarrier
  nbarrier_arrive %b
  nbarrier_wait %b
  %one = constant 1 : i32
  memref.store %one, %C[lane_id()]
}
test "t" {
  %C = out : memref<16xi32>
  launch @k(%C)
  check %C == 1 exactly
}
)");
  ToolRun run = runTool("%bin/xtrun --device=soft --target=xe-pvc " + path);
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_TRUE(has(run, "k.xt:3:8: this named barrier does not exist: `alloc_nbarrier` has not allocated it")) << run.output;
}

// The first subgroup skips a named barrier. The others must be reported, with the position at which they wait.
TEST_F(XeRun, ANamedBarrierToWhichNotAllCome) {
  std::string path = file(R"(kernel @d(%A: memref<?xi32>, %B: memref<?xi32>) subgroups(4) {
  %count = constant 2 : i8
  alloc_nbarrier %count : i8
  %id = constant 1 : i8
  %role = constant 0 : i8
  %meet = create_nbarrier %id, %role {num_producers = 4, num_consumers = 4} : i8, i8 -> nbarrier
  %s = subgroup_id()
  %x = memref.load %A[%s]
  if %x > 0 {
    nbarrier_arrive %meet
    nbarrier_wait %meet
  }
  memref.store 7, %B[%s]
}
test "one stays away" {
  %A = from (i) => i : memref<4xi32>
  %B = out : memref<4xi32>
  launch @d(%A, %B)
  check %B == %B * 0 + 7 exactly
}
test "all come" {
  %A = from (i) => i + 1 : memref<4xi32>
  %B = out : memref<4xi32>
  launch @d(%A, %B)
  check %B == %B * 0 + 7 exactly
}
)");
  for (const char *target : {"xe", "xe-pvc"}) {
    ToolRun run = runTool(std::string("%bin/xtrun --device=soft --target=") + target + " " + path);
    EXPECT_EQ(run.status, 1) << run.output;
    EXPECT_TRUE(has(run, "k.xt:11:5: kernel d, workgroup (0, 0, 0), lane ")) << run.output;
    EXPECT_TRUE(has(run, "deadlock: no running work-item can change the polled memory; finished: subgroup 0; "
                         "polling d.barriers[1] in shared local memory: subgroups 1, 2, 3"))
        << run.output;
    EXPECT_TRUE(has(run, "2 tests: 1 passed, 1 failed")) << run.output;
  }
}

TEST_F(XeRun, AKernelThatNeverEndsMeetsTheTimeLimit) {
  std::string path = file(R"(kernel @k(%A: memref<16xi32>) subgroups(1) lanes(16) {
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
)");
  ToolRun run = runTool("timeout 60 %bin/xtrun --device=soft --target=xe --time-limit 2 " + path);
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "the time limit of 2 s has expired")) << run.output;
}

// Each missing requirement must have its own error, and must never cause a crash.
TEST_F(XeRun, WhatIsMissingIsSaid) {
  std::string path = file(kDouble);
  ToolRun noTool = runTool("PATH=/nonexistent %bin/xtrun --device=soft --target=xe " + path);
  EXPECT_EQ(noTool.status, 3) << noTool.output;
  EXPECT_TRUE(has(noTool, "package llvm-spirv-15")) << noTool.output;
  std::filesystem::create_directories(folder / "bin");
  ToolRun rejected = runTool("printf '#!/bin/sh\\nexit 1\\n' > " + (folder / "bin/llvm-spirv-15").string() + " && chmod +x " +
                             (folder / "bin/llvm-spirv-15").string() + " && PATH=" + (folder / "bin").string() +
                             ":$PATH %bin/xtrun --device=soft --target=xe " + path);
  EXPECT_EQ(rejected.status, 3) << rejected.output;
  EXPECT_TRUE(has(rejected, "the driver does not compile the kernels (MODULE_BUILD_FAILURE") &&
              has(rejected, "llvm-spirv-15 cannot read this SPIR-V (status 1)"))
      << rejected.output;
  ToolRun noDriver = runTool("cp %bin/xtrun " + (folder / "bin").string() + " && env -u ZE_ENABLE_ALT_DRIVERS " +
                             (folder / "bin/xtrun").string() + " --device=soft --target=xe " + path);
  if (has(noDriver, "incompatible with sanitizer runtime"))
    GTEST_SKIP() << "Intel's driver for GPUs, which is installed, cannot be loaded under a sanitizer";
  EXPECT_EQ(noDriver.status, 3) << noDriver.output;
  EXPECT_TRUE(has(noDriver, "no software device")) << noDriver.output;
  ToolRun gpu = runTool("%bin/xtrun --device=gpu --target=xe " + path);
  if (gpu.status != 0) { // there is no GPU
    EXPECT_EQ(gpu.status, 3) << gpu.output;
    EXPECT_TRUE(has(gpu, "no Intel GPU")) << gpu.output;
  }
}

TEST(XeCommand, DeviceIsOfGpuTargets) {
  ToolRun run = runTool("%bin/xtrun --device=soft %src/examples/14_lanes.xt");
  EXPECT_EQ(run.status, 64) << run.output;
  EXPECT_NE(run.output.find("--device needs a GPU target, such as --target=xe"), std::string::npos) << run.output;
  run = runTool("%bin/xtrun --device=fpga --target=xe %src/examples/14_lanes.xt");
  EXPECT_EQ(run.status, 64) << run.output;
  EXPECT_NE(run.output.find("--device must be gpu, soft or opencl, not `fpga`"), std::string::npos) << run.output;
}

} // namespace
} // namespace xt
