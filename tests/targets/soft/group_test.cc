#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"

#include <algorithm>
#include <numeric>

namespace xt::soft::test {
namespace {

const char *const kShuffles = R"(
kernel void shuffles(global float *in, global float *out, int by) {
  uint l = get_sub_group_local_id(), n = get_sub_group_size(), at = get_sub_group_id() * n + l;
  float v = in[at];
  global float *o = out + at * 8;
  o[0] = sub_group_shuffle(v, (l * 5 + by) % n);
  o[1] = sub_group_shuffle_xor(v, by);
  o[2] = sub_group_shuffle_up(v, by);
  o[3] = sub_group_shuffle_down(v, by);
  o[4] = intel_sub_group_shuffle(v, (l + by) % n);
  o[5] = intel_sub_group_shuffle_up(v, -v, by);
  o[6] = intel_sub_group_shuffle_down(v, -v, by);
  o[7] = sub_group_broadcast(v, by);
}
)";

// Compares shuffles of three subgroups of `lanes` lanes with their definition. The values that sub_group_shuffle_up and _down
// take from outside of a subgroup are unspecified, so they are not compared.
void compareShuffles(uint32_t lanes, const char *device) {
  SoftKernels kernels(str("#define kernel LANES(", lanes, ") kernel\n", kShuffles), device);
  ASSERT_TRUE(kernels) << kernels.error;
  std::vector<float> in(3 * lanes);
  std::iota(in.begin(), in.end(), 1.0f);
  DeviceArray<float> deviceIn(in), out(in.size() * 8);
  for (int by : {0, 1, 3, 7}) {
    ASSERT_EQ(kernels.run("shuffles", {3 * lanes, 1, 1}, {1, 1, 1}, deviceIn, out, by), "");
    for (size_t at = 0; at < in.size(); ++at) {
      auto n = static_cast<int>(lanes), l = static_cast<int>(at) % n;
      const float *group = &in[at - static_cast<size_t>(l)], *o = &out[at * 8];
      EXPECT_EQ(o[0], group[(l * 5 + by) % n]);
      EXPECT_EQ(o[1], group[l ^ by]);
      if (l >= by) {
        EXPECT_EQ(o[2], group[l - by]);
      }
      if (l + by < n) {
        EXPECT_EQ(o[3], group[l + by]);
      }
      EXPECT_EQ(o[4], group[(l + by) % n]);
      EXPECT_EQ(o[5], l >= by ? -group[l - by] : group[l - by + n]);
      EXPECT_EQ(o[6], l + by < n ? group[l + by] : -group[l + by - n]);
      EXPECT_EQ(o[7], group[by]);
    }
  }
}

TEST(SoftGroups, shufflesAndBroadcastsOfBothSubgroupSizes) {
  XT_NEEDS_COMPILER();
  compareShuffles(16, "pvc");
  compareShuffles(32, "pvc");
  compareShuffles(8, "dg2");
}

template <class T> void compareReductions(SoftKernels &kernels, const std::string &type) {
  std::mt19937 random(7);
  std::vector<T> in(64);
  for (T &v : in) v = static_cast<T>(static_cast<int>(random() % 200) - (std::is_unsigned_v<T> ? 0 : 100));
  DeviceArray<T> deviceIn(in), out(in.size() * 9);
  ASSERT_EQ(kernels.run("reduce_" + type, {64, 1, 1}, {1, 1, 1}, deviceIn, out), "");
  T whole = std::accumulate(in.begin(), in.end(), T{});
  for (size_t at = 0; at < in.size(); ++at) {
    const T *first = &in[at / 16 * 16], *last = first + 16, *own = first + at % 16, *o = &out[at * 9];
    EXPECT_EQ(o[0], std::accumulate(first, last, T{})) << type;
    EXPECT_EQ(o[1], *std::min_element(first, last)) << type;
    EXPECT_EQ(o[2], *std::max_element(first, last)) << type;
    EXPECT_EQ(o[3], std::accumulate(first, own + 1, T{})) << type;
    EXPECT_EQ(o[4], std::accumulate(first, own, T{})) << type;
    EXPECT_EQ(o[5], *std::max_element(first, own + 1)) << type;
    EXPECT_EQ(o[6], whole) << type;
    EXPECT_EQ(o[7], std::accumulate(in.begin(), in.begin() + static_cast<long>(at) + 1, T{})) << type;
    EXPECT_EQ(o[8], static_cast<T>(first[0] + in[5])) << type;
  }
}

TEST(SoftGroups, reductionsAndScansOfSubgroupsAndWorkgroups) {
  XT_NEEDS_COMPILER();
  std::string source;
  for (const char *type : {"int", "uint", "long", "float", "double"})
    source += str("LANES(16) kernel void reduce_", type, "(global ", type, " *in, global ", type,
                  " *out) {\n  size_t i = get_local_id(0);\n  ", type, " v = in[i];\n  global ", type,
                  " *o = out + i * 9;\n  o[0] = sub_group_reduce_add(v);\n  o[1] = sub_group_reduce_min(v);\n"
                  "  o[2] = sub_group_reduce_max(v);\n  o[3] = sub_group_scan_inclusive_add(v);\n  o[4] = "
                  "sub_group_scan_exclusive_add(v);\n"
                  "  o[5] = sub_group_scan_inclusive_max(v);\n  o[6] = work_group_reduce_add(v);\n  o[7] = "
                  "work_group_scan_inclusive_add(v);\n"
                  "  o[8] = sub_group_broadcast(v, 0) + work_group_broadcast(v, 5);\n}\n");
  SoftKernels kernels(source);
  ASSERT_TRUE(kernels) << kernels.error;
  compareReductions<int32_t>(kernels, "int");
  compareReductions<uint32_t>(kernels, "uint");
  compareReductions<int64_t>(kernels, "long");
  compareReductions<float>(kernels, "float");
  compareReductions<double>(kernels, "double");
}

TEST(SoftGroups, reductionsOfHalfRoundEachStep) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels("LANES(16) kernel void sum(global half *in, global half *out) {\n"
                      "  uint l = get_sub_group_local_id(); out[l] = sub_group_reduce_add(in[l]); }\n");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<uint16_t> in(16, 0x3c00), out(16); // all elements are 1
  in[0] = 0x6800;                                // 2048, so that adding 1 is rounded away
  ASSERT_EQ(kernels.run("sum", {16, 1, 1}, {1, 1, 1}, in, out), "");
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], 0x6800);
}

TEST(SoftGroups, votes) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(LANES(16) kernel void vote(global int *in, global int *out) {
    size_t i = get_local_id(0);
    out[i] = sub_group_all(in[i]) | sub_group_any(in[i]) << 1 | work_group_all(in[i]) << 2 | work_group_any(in[i]) << 3; })");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> in(48), out(48);
  for (size_t i = 0; i < 48; ++i) in[i] = i < 16 ? 1 : i < 32 ? i == 20 : 0;
  ASSERT_EQ(kernels.run("vote", {48, 1, 1}, {1, 1, 1}, in, out), "");
  for (size_t i = 0; i < 48; ++i) EXPECT_EQ(out[i], i < 16 ? 11 : i < 32 ? 10 : 8);
}

TEST(SoftGroups, aBarrierOrdersWhatManySubgroupsDo) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(LANES(16) kernel void ring(global int *out, int rounds) {
    local int slots[512];
    int i = get_local_id(0), n = get_local_size(0), v = i;
    for (int r = 0; r < rounds; ++r) {
      slots[(i + 17) % n] = v;
      barrier(CLK_LOCAL_MEM_FENCE);
      v = slots[i] + 1;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = v; })");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(3 * 512);
  ASSERT_EQ(kernels.run("ring", {512, 1, 1}, {3, 1, 1}, out, 5), "");
  for (int i = 0; i < 3 * 512; ++i) EXPECT_EQ(out[static_cast<size_t>(i)], (i % 512 + 512 - 85) % 512 + 5);
}

const char *const kNamed = R"(
OV ulong named_barrier_init(int);
OV void work_group_named_barrier(ulong, uint);
LANES(16) kernel void relay(global int *out, int rounds) {
  local int slots[64];
  ulong low = named_barrier_init(2), high = named_barrier_init(2);
  int i = get_local_id(0), half_ = i / 32, pair = half_ * 32 + (i + 16) % 32, v = i;
  for (int r = 0; r < rounds * (half_ + 1); ++r) { // the two pairs of subgroups go round at their own pace
    slots[i] = v;
    work_group_named_barrier(half_ ? high : low, 1);
    v = slots[pair] + 1;
    work_group_named_barrier(half_ ? high : low, 1);
  }
  out[i] = v;
}
LANES(16) kernel void lonely(global int *out) {
  ulong b = named_barrier_init(3);
  if (get_sub_group_id() < 2) work_group_named_barrier(b, 1);
  out[get_local_id(0)] = 1;
}
LANES(16) kernel void many(global int *out) { out[0] = (int)named_barrier_init(5); }
)";

TEST(SoftGroups, namedBarriersOfSomeSubgroups) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(kNamed);
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(64);
  ASSERT_EQ(kernels.run("relay", {64, 1, 1}, {1, 1, 1}, out, 3), "");
  for (int i = 0; i < 64; ++i) {
    int rounds = 3 * (i / 32 + 1), other = i / 32 * 32 + (i + 16) % 32;
    EXPECT_EQ(out[static_cast<size_t>(i)], (rounds % 2 ? other : i) + rounds);
  }
  std::string report = kernels.run("lonely", {64, 1, 1}, {1, 1, 1}, out);
  EXPECT_NE(report.find("deadlock: lane 0 of subgroup 0 waits at work_group_named_barrier"), std::string::npos) << report;
  report = kernels.run("many", {64, 1, 1}, {1, 1, 1}, out);
  EXPECT_NE(report.find("a named barrier for 5 subgroups, but the workgroup has 4"), std::string::npos) << report;
}

TEST(SoftGroups, idsOfThreeDimensions) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(LANES(16) kernel void ids(global int *out, int d) {
    size_t i = get_global_linear_id();
    global int *o = out + i * 10;
    o[0] = get_local_id(0) + 100 * get_local_id(1) + 10000 * get_local_id(2);
    o[1] = get_group_id(0) + 100 * get_group_id(1) + 10000 * get_group_id(2);
    o[2] = get_local_size(d);
    o[3] = get_num_groups(d);
    o[4] = get_global_id(d);
    o[5] = get_local_linear_id();
    o[6] = get_sub_group_id();
    o[7] = get_sub_group_local_id();
    o[8] = get_num_sub_groups();
    o[9] = get_sub_group_size(); })");
  ASSERT_TRUE(kernels) << kernels.error;
  const uint32_t size[3] = {5, 3, 2}, groups[3] = {2, 2, 3};
  DeviceArray<int> out(5 * 3 * 2 * 12 * 10);
  for (int d : {0, 1, 2, 3}) {
    ASSERT_EQ(kernels.run("ids", {5, 3, 2}, {2, 2, 3}, out, d), "");
    for (uint32_t i = 0; i < 360; ++i) {
      uint32_t global[3] = {i % 10, i / 10 % 6, i / 60};
      uint32_t l[3], g[3];
      for (int k = 0; k < 3; ++k) l[k] = global[k] % size[k], g[k] = global[k] / size[k];
      uint32_t linear = (l[2] * 3 + l[1]) * 5 + l[0];
      const int *o = &out[i * 10];
      EXPECT_EQ(o[0], static_cast<int>(l[0] + 100 * l[1] + 10000 * l[2]));
      EXPECT_EQ(o[1], static_cast<int>(g[0] + 100 * g[1] + 10000 * g[2]));
      EXPECT_EQ(o[2], d < 3 ? static_cast<int>(size[d]) : 1);
      EXPECT_EQ(o[3], d < 3 ? static_cast<int>(groups[d]) : 1);
      EXPECT_EQ(o[4], d < 3 ? static_cast<int>(global[d]) : 0);
      EXPECT_EQ(o[5], static_cast<int>(linear));
      EXPECT_EQ(o[6], static_cast<int>(linear / 16));
      EXPECT_EQ(o[7], static_cast<int>(linear % 16));
      EXPECT_EQ(o[8], 2);
      EXPECT_EQ(o[9], linear < 16 ? 16 : 14);
    }
  }
}

} // namespace
} // namespace xt::soft::test
