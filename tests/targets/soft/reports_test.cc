// Tests each report of the device, which a kernel triggers.
#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"

#include <thread>

namespace xt::soft::test {
namespace {

#define EXPECT_SAYS(report, part) EXPECT_PRED2(says, std::string(report), std::string(part))
bool says(const std::string &report, const std::string &part) { return report.find(part) != std::string::npos; }

TEST(SoftReports, accessesOutsideOfWhatIsAllocated) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void store(global int *out, long at) { if (get_local_id(0) == 3) out[at] = 1; }
LANES(16) kernel void load(global int *out, global int *in, long at) { out[get_local_id(0)] = in[at]; }
LANES(16) kernel void wide(global int4 *out, global char *in) { out[0] = *(global int4 *)in; }
LANES(16) kernel void add(global int *out) { atomic_add(out, 1); }
)");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(16), in(100);
  auto store = [&](int64_t at) { return kernels.run("store", {16, 1, 1}, {1, 1, 1}, out, at); };
  EXPECT_EQ(store(15), "");
  EXPECT_SAYS(store(16), "kernel store, workgroup (0, 0, 0), lane 3 of subgroup 0: store of 4 bytes at 0x");
  EXPECT_SAYS(store(16), "0 bytes beyond the end of an allocation of 64 bytes");
  EXPECT_SAYS(store(-1), "4 bytes before an allocation of 64 bytes");
  EXPECT_SAYS(store(1l << 40), "far from any allocation");
  EXPECT_SAYS(kernels.run("load", {16, 1, 1}, {1, 1, 1}, out, in, int64_t{100}), "load of 4 bytes");
  EXPECT_SAYS(kernels.run("wide", {16, 1, 1}, {1, 1, 1}, out, reinterpret_cast<char *>(in.data() + 97)), "load of 16 bytes");
  EXPECT_SAYS(kernels.run("add", {16, 1, 1}, {1, 1, 1}, static_cast<int *>(nullptr)), "atomic access of 4 bytes at 0x0");
  int onHost = 0;
  EXPECT_SAYS(kernels.run("add", {16, 1, 1}, {1, 1, 1}, &onHost), "is out of bounds of every allocation");
  EXPECT_EQ(onHost, 0);
}

TEST(SoftReports, accessesOutsideOfSharedLocalVariables) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void beyond(global int *out, int at) {
  local int one[32];
  local int other[32];
  int i = get_local_id(0);
  one[i] = other[i] = i;
  one[i + at] = 7;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = one[i] + other[i];
}
LANES(16) kernel void given(global int *out, local int *in, int at) { in[at] = 1; out[0] = in[at]; }
OV uint8 intel_sub_group_block_read8(const local uint *);
LANES(16) kernel void block(global uint8 *out, int at) {
  local uint one[128] __attribute__((aligned(16)));
  one[get_local_id(0)] = 0;
  out[get_local_id(0)] = intel_sub_group_block_read8(one + at);
}
)");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(128);
  auto beyond = [&](int at) { return kernels.run("beyond", {16, 1, 1}, {1, 1, 1}, out, at); };
  EXPECT_EQ(beyond(16), "");
  EXPECT_SAYS(beyond(17), "lane 15 of subgroup 0: store of 4 bytes");
  EXPECT_SAYS(beyond(17), "reaches 4 bytes beyond the end of `beyond.one`, a variable of 128 bytes in shared local memory");
  EXPECT_SAYS(beyond(1060), "beyond the end of `beyond.one`") << "where the other variable is";
  EXPECT_SAYS(beyond(-1), "lane 0 of subgroup 0: store of 4 bytes begins 4 bytes before `beyond.one`");
  EXPECT_EQ(kernels.run("given", {16, 1, 1}, {1, 1, 1}, out, LocalBytes{8}, 1), "");
  EXPECT_SAYS(kernels.run("given", {16, 1, 1}, {1, 1, 1}, out, LocalBytes{8}, 2), "out of bounds of every variable");
  EXPECT_SAYS(kernels.run("given", {16, 1, 1}, {1, 1, 1}, out, LocalBytes{1 << 20}, 2),
              "1048576 bytes of shared local memory; xe-pvc has 131072");
  EXPECT_EQ(kernels.run("block", {16, 1, 1}, {1, 1, 1}, out, 0), "");
  EXPECT_SAYS(kernels.run("block", {16, 1, 1}, {1, 1, 1}, out, 4), "extend beyond the variable in which they begin");
}

TEST(SoftReports, accessesThatAreNotAligned) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void store(global char *out, int at) { *(global int *)(out + at) = 1; }
OV uint intel_sub_group_block_read(const global uint *);
OV void intel_sub_group_block_write(global uint *, uint);
LANES(16) kernel void read(global char *in, int at) { *(global uint *)in = intel_sub_group_block_read((global uint *)(in + at)); }
LANES(16) kernel void write(global char *out, int at) { intel_sub_group_block_write((global uint *)(out + at), 1); }
)");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<char> out(256);
  auto run = [&](const char *kernel, int at) { return kernels.run(kernel, {16, 1, 1}, {1, 1, 1}, out, at); };
  EXPECT_EQ(run("store", 4), "");
  EXPECT_SAYS(run("store", 2), "is not aligned to 4 bytes");
  EXPECT_EQ(run("read", 4), "");
  EXPECT_SAYS(run("read", 2), "in __spirv_SubgroupBlockReadINTEL");
  EXPECT_SAYS(run("read", 2), "is not a multiple of 4 bytes");
  EXPECT_EQ(run("write", 16), "");
  EXPECT_SAYS(run("write", 8), "is not a multiple of 16 bytes");
}

TEST(SoftReports, lanesThatDoNotCome) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void early(global int *out) {
  int i = get_local_id(0);
  if (i == 20) return;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = i;
}
LANES(16) kernel void two(global int *out) {
  int i = get_local_id(0);
  if (i < 16) { out[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[i] = 2; }
  else { out[i] = 3; barrier(CLK_LOCAL_MEM_FENCE); out[i] = out[i - 16]; }
}
LANES(16) kernel void shuffled(global float *out) {
  int i = get_local_id(0);
  if (i != 5) out[i] = intel_sub_group_shuffle(out[i], 3);
}
LANES(16) kernel void mixed(global float *out) {
  int i = get_local_id(0);
  if (i < 8) barrier(CLK_LOCAL_MEM_FENCE);
  else out[i] = sub_group_reduce_add(out[i]);
}
)");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(64);
  auto run = [&](const char *kernel) { return kernels.run(kernel, {32, 1, 1}, {1, 1, 1}, out); };
  EXPECT_SAYS(run("early"),
              "barrier divergence: lane 0 of subgroup 0 waits at barrier (call 1), but lane 4 of subgroup 1 has finished");
  EXPECT_SAYS(run("two"), "barrier divergence: lane 0 of subgroup 0 waits at barrier");
  EXPECT_SAYS(run("shuffled"), "lanes of a subgroup diverge: lane 0 of subgroup 0 waits at __spirv_SubgroupShuffleINTEL");
  EXPECT_SAYS(run("shuffled"), "but lane 5 of subgroup 0 has finished");
  EXPECT_SAYS(run("mixed"), "lanes of a subgroup diverge");
}

TEST(SoftReports, whatTheDeviceDoesNotHave) {
  XT_NEEDS_COMPILER();
  SoftKernels unknown("OV int what_is_this(int);\nkernel void k(global int *o) { o[0] = what_is_this(o[0]); }");
  EXPECT_SAYS(unknown.error,
              "the software Xe device (xe-pvc) does not know the device function what_is_this(int), symbol _Z12what_is_thisi");
  EXPECT_FALSE(unknown.lacks);
  SoftKernels f64("kernel void k(global double *o) { o[0] += 1; }", "dg2");
  EXPECT_SAYS(f64.error, "f64 (capability Float64), which xe-dg2 does not have");
  SoftKernels large("kernel void k(global int *o) { local int s[40000]; s[get_local_id(0)] = 1; barrier(1); o[0] = s[o[1]]; }");
  EXPECT_SAYS(large.error, "kernel k has 160000 bytes of shared local memory; xe-pvc has 131072");
  SoftKernels lanes("LANES(8) kernel void k(global int *o) { o[0] = get_sub_group_size(); }");
  EXPECT_SAYS(lanes.error, "kernel k requires subgroups of 8 lanes; xe-pvc has 16, 32");
  SoftKernels shape(
      "OV void intel_sub_group_2d_block_read_16b_64r16x1c(global void *, int, int, int, int2, private ushort *);\n"
      "LANES(16) kernel void k(global int *o) { ushort r[64]; intel_sub_group_2d_block_read_16b_64r16x1c(o, 64, 64, "
      "64, (int2)(0, 0), r); o[0] = r[0]; }");
  EXPECT_SAYS(shape.error, "does not know the device function intel_sub_group_2d_block_read_16b_64r16x1c");
  SoftKernels fine("LANES(16) kernel void k(global int *o) { o[get_global_id(0)] = 1; }");
  ASSERT_TRUE(fine) << fine.error;
  DeviceArray<int> out(4096);
  EXPECT_SAYS(fine.run("k", {2048, 1, 1}, {1, 1, 1}, out), "a workgroup of 2048 work-items; xe-pvc supports up to 1024");
  EXPECT_SAYS(fine.run("k", {0, 1, 1}, {1, 1, 1}, out), "a workgroup of 0 work-items");
  EXPECT_EQ(fine.run("k", {1024, 1, 1}, {4, 1, 1}, out), "");
}

TEST(SoftReports, memoryThatIsNotThereAndStacksThatAreUsedUp) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void wild(long at, global int *out) { *(private int *)at = 1; out[0] = 1; }
)");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(16);
  std::string report = kernels.run("wild", {16, 1, 1}, {1, 1, 1}, int64_t{64}, out);
  EXPECT_SAYS(report, "kernel wild, workgroup (0, 0, 0), lane 0 of subgroup 0: a memory fault at 0x40");
  // The next launch is not affected.
  int there = 0;
  EXPECT_EQ(kernels.run("wild", {16, 1, 1}, {1, 1, 1}, reinterpret_cast<int64_t>(&there), out), "");
  EXPECT_EQ(there, 1);
}

// Subgroup 0 sets the flag at the end, after many stores to a flag for which no subgroup waits, or it never sets the flag.
TEST(SoftReports, pollingForWhatNobodyWillWrite) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void wait(global int *out, int set, int meet) {
  local volatile int flags[4];
  int i = get_local_id(0);
  if (i < 4) flags[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 16) {
    for (int round = 0; round < 5000; ++round) flags[1] = round;
    if (set) flags[2] = 7;
    if (meet) barrier(CLK_LOCAL_MEM_FENCE);
  } else {
    while (flags[2] == 0) {}
    if (meet) barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = flags[2];
}
)");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(64);
  auto run = [&](int set, int meet) { return kernels.run("wait", {64, 1, 1}, {3, 1, 1}, out, set, meet); };
  EXPECT_EQ(run(1, 0), "");
  EXPECT_EQ(out[63], 7);
  EXPECT_SAYS(run(0, 0), "deadlock: no running work-item can change the polled memory; finished: subgroup 0; polling ");
  EXPECT_SAYS(run(0, 0), "flags[2] in shared local memory: subgroups 1, 2, 3");
  EXPECT_SAYS(run(0, 1), "; it waits at barrier (call ");
  EXPECT_SAYS(run(0, 1), "flags[2] in shared local memory: subgroups 1, 2, 3");
}

TEST(SoftReports, anEndlessLoopIsGivenUpWhenTheHostSaysSo) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels("LANES(16) kernel void spin(global int *o) { while (atomic_add(o, 0) == 0) {} o[1] = 1; }");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(16);
  LaunchRequest request;
  request.kernel = kernels.program().find("spin");
  auto address = reinterpret_cast<uint64_t>(out.data());
  request.arguments.emplace_back(sizeof address);
  std::memcpy(request.arguments[0].data(), &address, sizeof address);
  request.localBytes.push_back(0);
  request.groupSize = {32, 1, 1};
  request.groupCount = {4, 1, 1};
  std::atomic<bool> stop = false;
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  std::optional<std::string> report = runLaunch(kernels.program(), request, kernels.device, stop);
  host.join();
  ASSERT_TRUE(report);
  EXPECT_EQ(*report, ""); // the launch was cancelled, and the kernel did not fail
  EXPECT_EQ(out[1], 0);
}

} // namespace
} // namespace xt::soft::test
