// What users see of the NVIDIA targets: `xtrun` on the software device, and the PTX of `xtc`.
#include "ir/base/text.h"
#include "tests/targets/tools/folder_test.h"

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

constexpr const char *kSoftwareGpus[] = {"nv-sm80", "nv-sm89", "nv-sm90"};

// A driver that cannot be opened stands for a machine without a GPU, so that the software device is tested everywhere.
size_t occurrences(std::string_view what, std::string_view text) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
  return found;
}

class NvRun : public test::FolderTest {
protected:
  void SetUp() override {
    FolderTest::SetUp();
    std::filesystem::create_directories(folder / "no_driver");
    std::ofstream(folder / "no_driver/libcuda.so.1") << "text";
    setenv("LD_LIBRARY_PATH", (folder / "no_driver").c_str(), 1);
  }
  void TearDown() override { unsetenv("LD_LIBRARY_PATH"); }
};

TEST_F(NvRun, TheSoftwareDeviceSaysThatItIsOne) {
  ToolRun run = runTool("%bin/xtrun --target=nv-sm80 %src/examples/02_fused_reduce.xt %src/examples/06_unaligned.xt --small");
  EXPECT_EQ(run.status, 0) << run.output;
  size_t first = run.output.find("running on the software NVIDIA device");
  ASSERT_NE(first, std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("running on the software NVIDIA device", first + 1), std::string::npos) << run.output;
  run = runTool("%bin/xtrun --target=nv-sm80 --device=soft %src/examples/06_unaligned.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_FALSE(has(run, "running on")) << "the command names it:\n" << run.output;
}

// A driver that cannot be opened stands for a machine without a GPU.
TEST_F(NvRun, OtherDevicesAreRefused) {
  ASSERT_EQ(runTool("echo text > " + (folder / "libcuda.so.1").string()).status, 0);
  std::string without = "LD_LIBRARY_PATH=" + folder.string() + " ";
  ToolRun run = runTool(without + "%bin/xtrun --target=nv-sm80 --device=gpu %src/examples/06_unaligned.xt");
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "NVIDIA's driver cannot be opened (")) << run.output;
  run = runTool(without + "%bin/xtrun --target=nv-sm80 --device=opencl %src/examples/06_unaligned.xt");
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "--device=opencl: nv-sm80 runs on NVIDIA's driver or on the software device")) << run.output;
  run = runTool(without + "XT_BIN=%bin bash %src/tests/nv/run");
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "NVIDIA's driver cannot be opened (")) << run.output;
}

// What tests/nv/run measures on a GPU.
TEST_F(NvRun, ProductsThatAreMeasured) {
  ToolRun run = runTool("%bin/xtrun --target=nv-sm80 --device=soft --small %src/tests/nv/products.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "3 tests: 3 passed")) << run.output;
}

TEST_F(NvRun, ItIsListed) {
  ToolRun run = runTool("%bin/xtrun --devices");
  for (const char *gpu : kSoftwareGpus) EXPECT_TRUE(has(run, str("xt software device (", gpu, " rules)"))) << run.output;
}

TEST_F(NvRun, ProductsOfAllTypes) {
  for (const char *gpu : kSoftwareGpus) {
    ToolRun run = runTool(str("%bin/xtrun --target=interp,", gpu, " %src/tests/targets/nv/run/products.xt"));
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "11 tests: 11 passed")) << run.output;
  }
}

TEST_F(NvRun, SumsThatSubgroupsDivide) {
  ToolRun run =
      runTool("%bin/xtrun --target=interp,nv-sm80 --device=soft --verify-each %src/tests/targets/nv/run/divided_sums.xt");
  EXPECT_EQ(run.status, 0) << run.output;
}

// Asynchronous copies arrive when they are waited for, or at once. No row of a matrix of ldmatrix shares a bank with another
// one.
TEST_F(NvRun, ProductsThroughSharedMemory) {
  for (const char *copies : {"at_the_wait", "at_once"}) {
    ToolRun run =
        runTool(str("XT_SOFT_COPIES=", copies, " %bin/xtrun --remarks --target=nv %src/tests/targets/nv/run/staged.xt"));
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "12 tests: 12 passed")) << run.output;
    EXPECT_TRUE(has(run, "are copied to shared local memory")) << run.output;
    EXPECT_TRUE(has(run, "@rows copies nothing asynchronously: a stride of `%A` is 154 bytes, not a multiple of 16"))
        << run.output;
    EXPECT_FALSE(has(run, " ldmatrix at ")) << run.output;
  }
}

TEST_F(NvRun, AsynchronousCopiesOfPrograms) {
  for (const char *copies : {"at_the_wait", "at_once"}) {
    ToolRun run = runTool(str("cd %src/tests/targets/tools/commands/files && XT_SOFT_COPIES=", copies,
                              " %bin/xtrun --target=interp,nv --small copies.xt copies_of_subgroups.xt"));
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "2 tests: 2 passed")) << run.output;
  }
}

TEST_F(NvRun, LoadsOfBlocksThatNoLaneWritesTo) {
  ToolRun run =
      runTool("XT_SOFT_WATCH=global %bin/xtrun --target=interp,nv-sm80 --device=soft %src/tests/targets/nv/run/block_loads.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "2 tests: 2 passed")) << run.output;
}

TEST_F(NvRun, KernelsOfLanes) {
  for (const char *gpu : kSoftwareGpus) {
    ToolRun run = runTool(str("%bin/xtrun --target=interp,cpu,", gpu, " %src/tests/targets/nv/run/lanes.xt"));
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_TRUE(has(run, "3 tests: 3 passed")) << run.output;
  }
}

// Targets without a matrix unit shuffle what each lane needs of the fragments of quads.
TEST_F(NvRun, FragmentsOfQuadsHaveCodeElsewhere) {
  std::string in = (folder / "k.xt").string(), out = (folder / "k.ll").string();
  std::ofstream(in) << "kernel @quads(%A: memref<2x4xf16>, %B: memref<4x1xf16>, %C: memref<2x2xf32>) lanes(32) {\n"
                       "  %a = constant 1.0 : vector<2x4xf16>\n  %b = constant 1.0 : vector<4x1xf16>\n"
                       "  %d = dpas %a, %b : vector<2x4xf16>, vector<4x1xf16> -> vector<2x2xf32>\n"
                       "  %x = vector.extract %d[0, 0] : f32 from vector<2x2xf32>\n  %z = 0\n"
                       "  memref.store %x, %C[%z, %z]\n}\n";
  ToolRun run = runTool("%bin/xtc --target=spirv --emit=llvm -o " + out + " " + in);
  EXPECT_EQ(run.status, 0) << run.output;
}

TEST_F(NvRun, Functions) {
  ToolRun run = runTool("%bin/xtrun --target=interp,nv-sm80 %src/tests/targets/nv/run/functions.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "20 tests: 20 passed")) << run.output;
}

TEST_F(NvRun, ProgramsOfOtherTargets) {
  for (const char *program :
       {"row_row_row", "transfers", "gathers", "lane_layouts", "sweeps", "narrow", "by_columns", "one_row", "fragments"}) {
    ToolRun run = runTool(str("%bin/xtrun --target=cpu,nv-sm80 %src/tests/targets/xe/run/", program, ".xt"));
    EXPECT_EQ(run.status, 0) << program << '\n' << run.output;
  }
}

// These have kernels of 16 lanes.
TEST_F(NvRun, SubgroupsOfOtherSizesAreRefused) {
  for (const char *program : {"signed_zeros", "narrow_sums"}) {
    ToolRun run = runTool(str("%bin/xtrun --target=nv-sm80 %src/tests/targets/xe/run/", program, ".xt"));
    EXPECT_EQ(run.status, 2) << program << '\n' << run.output;
    EXPECT_TRUE(has(run, "XT0608")) << run.output;
  }
}

// The text after the passes has `dpas` on the fragments of quads. It reads back, and the interpreter computes the same.
TEST_F(NvRun, TheTextOfLanesIsAProgram) {
  std::string text = (folder / "lanes.xt").string();
  ToolRun made = runTool("%bin/xtc --target=nv-sm80 --dump-after=sink-to-uses --emit=ptx -o " + (folder / "k.ptx").string() +
                         " %src/tests/targets/nv/run/products.xt > " + text);
  ASSERT_EQ(made.status, 0) << made.output;
  ToolRun run = runTool("grep -c 'dpas' " + text + " && %bin/xtrun --target=interp " + text);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "11 tests: 11 passed")) << run.output;
}

// All lanes load from one bank. With rows of 33 numbers, each loads from another one.
TEST_F(NvRun, ConflictsOfBanksAreRemarkedOn) {
  auto text = [](const char *columns) {
    return str("kernel @turn(%A: memref<32x32xf32>, %B: memref<32x32xf32>) lanes(32) {\n  %m = alloc_slm : memref<32x", columns,
               "xf32, slm>\n", R"(  %l = lane_id()
  for %i = 0 to 32 {
    %x = memref.load %A[%i, %l]
    memref.store %x, %m[%i, %l]
  }
  barrier
  for %i = 0 to 32 {
    %x = memref.load %m[%l, %i]
    memref.store %x, %B[%i, %l]
  }
}
test "t" {
  %A = random(seed = 1) : memref<32x32xf32>
  %B = out : memref<32x32xf32>
  launch @turn(%A, %B)
  check %B == transpose(%A) exactly
}
)");
  };
  ToolRun run = runTool("%bin/xtrun --remarks --target=nv " + file(text("32")));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(
      has(run, "@turn: banks of shared memory were accessed 992 times more than without conflicts: 992 by 32 loads at "))
      << run.output;
  EXPECT_TRUE(has(run, "k.xt:10:10\n")) << run.output;
  run = runTool("%bin/xtrun --remarks --target=nv " + file(text("33")));
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_FALSE(has(run, "banks")) << run.output;
}

// Buffers of exchanges between subgroups have rows that begin in different banks.
TEST_F(NvRun, ExchangesWithoutConflictsOfBanks) {
  for (const char *path : {"examples/02_fused_reduce.xt", "tests/peers/18_wg_gemm_transposed_sum.xt"}) {
    ToolRun run = runTool(str("%bin/xtrun --small --remarks --target=nv %src/", path));
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_FALSE(has(run, "banks")) << run.output;
  }
}

TEST_F(NvRun, NamedBarriers) {
  ToolRun run = runTool("%bin/xtrun --remarks --target=interp,nv %src/tests/targets/nv/run/named_barriers.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, "5 tests: 5 passed")) << run.output;
  EXPECT_TRUE(has(run,
                  "named barriers are words in shared local memory, at which subgroups wait in loops: subgroup 0 may arrive at "
                  "barrier 0 again before the others have come"))
      << run.output;
  EXPECT_TRUE(has(run, "run/named_barriers.xt:88:3")) << "in @ahead:\n" << run.output;
  EXPECT_TRUE(has(run, "subgroup 0 may wait in a loop between its arrival at barrier 0 and its wait there")) << run.output;
  EXPECT_TRUE(has(run, "run/named_barriers.xt:172:3")) << "in @polled:\n" << run.output;
  EXPECT_EQ(occurrences("words in shared local memory", run.output), 2u) << run.output;
  std::string ptx = (folder / "k.ptx").string();
  ASSERT_EQ(runTool("%bin/xtc --target=nv-sm80 --emit=ptx -o " + ptx + " %src/tests/targets/nv/run/named_barriers.xt").status,
            0);
  std::ifstream in(ptx);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  auto count = [&](std::string_view what) { return occurrences(what, text); };
  EXPECT_EQ(count("bar.arrive \t1, 128;") + count("bar.arrive \t2, 128;"), 2u) << "of @pipeline";
  EXPECT_EQ(count("bar.sync \t1, 128;") + count("bar.sync \t2, 128;"), 2u) << "of @pipeline";
  EXPECT_EQ(count("bar.arrive"), 5u) << text;
  EXPECT_EQ(count(", 64;\n"), 6u) << "2 of @row, 4 of @counted";
}

// The consumers wait once more than the producers come.
TEST_F(NvRun, ANamedBarrierToWhichNotAllCome) {
  std::string path = file(R"(kernel @k(%B: memref<2x32xi32>, %n: index, %m: index) subgroups(2) lanes(32) {
  %one = constant 1 : i8
  %two = constant 2 : i8
  alloc_nbarrier %two : i8
  %zero = constant 0 : i8
  %s = subgroup_id()
  %l = lane_id()
  if %s == 0 {
    %x = create_nbarrier %zero, %one {num_producers = 1, num_consumers = 1} : i8, i8 -> nbarrier
    %y = create_nbarrier %one, %two {num_producers = 1, num_consumers = 1} : i8, i8 -> nbarrier
    for %i = 0 to %n {
      nbarrier_arrive %x
      nbarrier_arrive %y
      nbarrier_wait %y
    }
  } else {
    %x = create_nbarrier %zero, %two {num_producers = 1, num_consumers = 1} : i8, i8 -> nbarrier
    %y = create_nbarrier %one, %one {num_producers = 1, num_consumers = 1} : i8, i8 -> nbarrier
    for %i = 0 to %m {
      nbarrier_arrive %x
      nbarrier_wait %x
      nbarrier_arrive %y
    }
  }
  %seven = constant 7 : i32
  memref.store %seven, %B[%s, %l]
}
test "t" {
  %B = out : memref<2x32xi32>
  launch @k(%B, 3, 4)
  check %B == 7 exactly
}
)");
  ToolRun run = runTool("%bin/xtrun --target=nv-sm80 " + path);
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_TRUE(has(run, "deadlock: lane 0 of subgroup 1 waits at barrier.cta.sync at ")) << run.output;
  EXPECT_TRUE(has(run, "k.xt:21:7")) << run.output;
}

TEST_F(NvRun, TooMuchOfAResourceIsRefusedWithNumbers) {
  struct Case {
    std::string text;
    const char *says;
  };
  const Case cases[] = {
      {"#m = #wg_map<sg_layout = [8, 8], sg_data = [8, 8]>\nkernel @k(%A: memref<64x64xf32>) {\n"
       "  %t = init_tile %A[0, 0] -> tile<64x64xf32, #m>\n  %a = load_tile %t\n  store_tile %a, %t\n}\n",
       "`@k` has 64 subgroups of 32 lanes, 2048 in all; nv-sm89 runs 1024"},
      {"kernel @k() lanes(16) {\n}\n", "`@k` has subgroups of 16 lanes; nv-sm89 has subgroups of 32"},
      {"kernel @k(%A: memref<4xf32>) {\n  %s = alloc_slm : memref<26000xf32, slm>\n  %i = constant 0 : index\n"
       "  %x = memref.load %A[%i]\n  memref.store %x, %s[%i]\n  barrier\n  %y = memref.load %s[%i]\n"
       "  memref.store %y, %A[%i]\n}\n",
       "`@k` has 104000 bytes of shared local memory; nv-sm89 has 101376 per workgroup"},
      {"kernel @k() lanes(32) {\n  %n = constant 16 : i8\n  alloc_nbarrier %n : i8\n}\n",
       "nv-sm89 has 15 named barriers per workgroup, not 16"},
  };
  for (const Case &each : cases) {
    ToolRun run = runTool("%bin/xtc --target=nv-sm89 --emit=ptx " + file(each.text));
    EXPECT_EQ(run.status, 2) << run.output;
    EXPECT_TRUE(has(run, each.says)) << each.says << '\n' << run.output;
  }
}

// A copy of xtc has no build/ptxas beside it.
TEST_F(NvRun, AnAssemblerThatIsMissingOrFails) {
  std::string kernel = file("kernel @k() lanes(32) {\n}\n"), bin = (folder / "bin").string();
  ASSERT_EQ(runTool("mkdir " + bin + " && cp %bin/xtc " + bin).status, 0);
  auto stats = [&] {
    return runTool("VIRTUAL_ENV= PATH=" + bin + ":/bin " + bin + "/xtc --target=nv-sm80 --emit=sass-stats " + kernel);
  };
  if (runTool("PATH=/bin command -v ptxas").status == 0) GTEST_SKIP() << "ptxas is where all programs are";
  ToolRun run = stats();
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(
      has(run, "no program `ptxas` in PATH or in a virtual environment: install NVIDIA's CUDA toolkit, or its Python package"))
      << run.output;
  auto fake = [&](const char *text) {
    ASSERT_EQ(runTool(str("cd ", bin, " && echo '", text, "' > ptxas && chmod +x ptxas")).status, 0);
  };
  fake("#!/bin/sh\necho ptxas fatal: unknown option\nexit 1");
  run = stats();
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "ptxas does not take the PTX: ptxas fatal: unknown option")) << run.output;
  fake("#!/bin/sh\necho text > k.cubin");
  run = stats();
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_TRUE(has(run, "the file that ptxas made is not an ELF file of 64 bits")) << run.output;
}

TEST_F(NvRun, PtxGoesToAFile) {
  std::string path = (folder / "k.ptx").string();
  ToolRun run = runTool("%bin/xtc --target=nv-sm90 --emit=ptx %src/examples/01_gemm.xt -o " + path + " && head -c 400 " + path);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_TRUE(has(run, ".target sm_90")) << run.output;
  run = runTool("%bin/xtc --target=nv-sm90 --emit=llvm %src/examples/01_gemm.xt");
  EXPECT_TRUE(has(run, "call { float, float, float, float } @llvm.nvvm.mma.m16n8k16.row.col.f32.f32("))
      << run.output.substr(0, 2000);
}

} // namespace
} // namespace xt
