#include "tests/targets/soft/soft_kernel.h"

#include "ir/base/text.h"

#include <algorithm>
#include <atomic>
#include <numeric>

namespace xt::soft::test {
namespace {

struct Line {
  const char *suffix, *type;
  int bytes;
};
constexpr Line kLines[] = {{"_uc", "uchar", 1}, {"_us", "ushort", 2}, {"", "uint", 4}, {"_ui", "uint", 4}, {"_ul", "ulong", 8}};

std::string lineKernel(const Line &line, int n) {
  std::string type = n == 1 ? line.type : str(line.type, n), suffix = str(line.suffix, n == 1 ? "" : str(n));
  std::string id = str(line.type, line.suffix, n);
  return str("OV ", type, " intel_sub_group_block_read", suffix, "(const global ", line.type, " *);\nOV ", type,
             " intel_sub_group_block_read", suffix, "(const local ", line.type, " *);\nOV void intel_sub_group_block_write",
             suffix, "(global ", line.type, " *, ", type, ");\n", "LANES(16) kernel void k_", id, "(global ", line.type,
             " *in, global ", type, " *lanes, global ", line.type, " *out, global ", type, " *fromLocal) {\n  local ",
             line.type, " slm[", 16 * n, "] __attribute__((aligned(16)));\n  uint l = get_sub_group_local_id();\n  ", type,
             " v = intel_sub_group_block_read", suffix, "(in);\n  lanes[l] = v;\n  intel_sub_group_block_write", suffix,
             "(out, v);\n  for (int i = 0; i < ", n, "; ++i) slm[i * 16 + l] = in[i * 16 + l];\n",
             "  barrier(CLK_LOCAL_MEM_FENCE);\n  fromLocal[l] = intel_sub_group_block_read", suffix, "(slm);\n}\n");
}

TEST(SoftMemory, blocksOfNeighboursInGlobalAndSharedLocalMemory) {
  XT_NEEDS_COMPILER();
  std::string source;
  for (const Line &line : kLines)
    for (int n : {1, 2, 4, 8}) source += lineKernel(line, n);
  SoftKernels kernels(source);
  ASSERT_TRUE(kernels) << kernels.error;
  for (const Line &line : kLines)
    for (int n : {1, 2, 4, 8}) {
      auto total = static_cast<size_t>(16 * n * line.bytes);
      DeviceArray<uint8_t> in(randomBits<uint8_t>(total, 5)), lanes(total), out(total), local(total);
      ASSERT_EQ(kernels.run(str("k_", line.type, line.suffix, n), {16, 1, 1}, {1, 1, 1}, in, lanes, out, local), "")
          << line.type << line.suffix << n;
      EXPECT_TRUE(std::equal(in.span().begin(), in.span().end(), out.span().begin()));
      EXPECT_TRUE(std::equal(lanes.span().begin(), lanes.span().end(), local.span().begin()));
      for (size_t lane = 0; lane < 16; ++lane)
        for (size_t at = 0; at < static_cast<size_t>(n * line.bytes); ++at) {
          size_t element = at / static_cast<size_t>(line.bytes), byte = at % static_cast<size_t>(line.bytes);
          ASSERT_EQ(lanes[lane * static_cast<size_t>(n * line.bytes) + at],
                    in[(element * 16 + lane) * static_cast<size_t>(line.bytes) + byte]);
        }
    }
}

TEST(SoftMemory, sharedLocalMemoryIsEachWorkgroupsOwnAndBeginsAsNothing) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void own(global int *out, local int *given, int n) {
  local int fixed[64];
  int i = get_local_id(0);
  int before = fixed[i];
  fixed[i] = get_group_id(0) * 100 + i;
  given[i] = fixed[i] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0) * 2] = fixed[63 - i] + given[(i + 1) % n];
  out[get_global_id(0) * 2 + 1] = before;
})");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(64 * 8 * 2);
  ASSERT_EQ(kernels.run("own", {64, 1, 1}, {8, 1, 1}, out, LocalBytes{256}, 64), "");
  for (int g = 0; g < 8; ++g)
    for (int i = 0; i < 64; ++i) {
      EXPECT_EQ(out[static_cast<size_t>(g * 64 + i) * 2], g * 200 + 63 - i + (i + 1) % 64 + 1);
      EXPECT_EQ(out[static_cast<size_t>(g * 64 + i) * 2 + 1], -1);
    }
  EXPECT_EQ(kernels.program().find("own")->locals.size(), 1u);
}

TEST(SoftMemory, atomicsOfAllWorkgroupsAddUp) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void atomics(global int *i, global uint *u, global float *f, global long *l) {
  local int s[2];
  int id = get_global_id(0);
  if (get_local_id(0) == 0) s[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(s, 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) atomic_add(i + 7, s[0]);
  atomic_add(i, 1);
  atomic_sub(i + 1, id);
  atomic_max(i + 2, id - 100);
  atomic_min(i + 3, 5 - id);
  atomic_and(u, ~(1u << (id % 32)));
  atomic_or(u + 1, 1u << (id % 31));
  atomic_xor(u + 2, id);
  atomic_inc(i + 4);
  atomic_dec(i + 5);
  int old = i[6];
  for (;;) {
    int seen = atomic_cmpxchg(i + 6, old, old + id);
    if (seen == old) break;
    old = seen;
  }
  __spirv_AtomicFAddEXT(f, 1, 0x210, 0.5f);
  __spirv_AtomicFMaxEXT(f + 1, 1, 0x210, (float)id);
  __spirv_AtomicFMinEXT(f + 2, 1, 0x210, -(float)id);
  atom_add(l, 1l << 33);
  atomic_max(u + 3, 0x80000000u + id);
})");
  ASSERT_TRUE(kernels) << kernels.error;
  constexpr int kItems = 64 * 20;
  DeviceArray<int> i(8);
  DeviceArray<uint32_t> u(4);
  DeviceArray<float> f(3);
  DeviceArray<int64_t> l(1);
  u[0] = ~0u;
  ASSERT_EQ(kernels.run("atomics", {64, 1, 1}, {20, 1, 1}, i, u, f, l), "");
  int xors = 0;
  for (int id = 0; id < kItems; ++id) xors ^= id;
  EXPECT_EQ(i[0], kItems);
  EXPECT_EQ(i[1], -kItems * (kItems - 1) / 2);
  EXPECT_EQ(i[2], kItems - 101);
  EXPECT_EQ(i[3], 6 - kItems);
  EXPECT_EQ(i[4], kItems);
  EXPECT_EQ(i[5], -kItems);
  EXPECT_EQ(i[6], kItems * (kItems - 1) / 2);
  EXPECT_EQ(i[7], kItems * 2);
  EXPECT_EQ(u[0], 0u);
  EXPECT_EQ(u[1], 0x7fffffffu);
  EXPECT_EQ(u[2], static_cast<uint32_t>(xors));
  EXPECT_EQ(u[3], 0x80000000u + kItems - 1);
  EXPECT_EQ(f[0], kItems * 0.5f);
  EXPECT_EQ(f[1], static_cast<float>(kItems - 1));
  EXPECT_EQ(f[2], -static_cast<float>(kItems - 1));
  EXPECT_EQ(l[0], int64_t{kItems} << 33);
}

TEST(SoftMemory, vectorsFromAnyElementAndTablesOfTheProgram) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
constant int table[4] = {10, 20, 30, 40};
global int counter = 5;
LANES(16) kernel void vectors(global float *a, global half *h, global float *o, global int *n, int which) {
  size_t i = get_global_id(0);
  float3 v = vload3(i, a);
  vstore3(v * 2, i, o);
  vstore_half(v.y, i, h);
  vstore_half4(vload_half4(0, h), 10, h);
  o[48 + i] = vload_half(i, h) + select(1.0f, 2.0f, (int)i & 1);
  global int *p = which ? &counter : n;
  if (i == 0) { *p += table[which + 1]; n[1] = counter; }
})");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<float> a(48), out(64);
  DeviceArray<uint16_t> h(64);
  DeviceArray<int> n(2);
  for (size_t i = 0; i < 48; ++i) a[i] = static_cast<float>(i);
  ASSERT_EQ(kernels.run("vectors", {16, 1, 1}, {1, 1, 1}, a, h, out, n, 1), "");
  for (size_t i = 0; i < 48; ++i) EXPECT_EQ(out[i], 2.0f * static_cast<float>(i));
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(out[48 + i], static_cast<float>(3 * i + 1 + (i & 1 ? 2 : 1)));
  EXPECT_EQ(n[1], 35);
  ASSERT_EQ(kernels.run("vectors", {16, 1, 1}, {1, 1, 1}, a, h, out, n, 0), "");
  EXPECT_EQ(n[0], 20);
}

// The word of an exchange may include bytes beyond the end of a buffer if the exchange does not change them.
TEST(SoftMemory, exchangesOfAWordInWhichABufferEnds) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(
LANES(16) kernel void exchange(global int *word, int changed) {
  if (get_global_id(0) == 0) { int old = atomic_cmpxchg(word, 0, 0); atomic_cmpxchg(word, old, old ^ changed); }
}
LANES(16) kernel void add(global int *word) { if (get_global_id(0) == 0) atomic_add(word, 1); }
LANES(16) kernel void read(global int *word, global int *out) { if (get_global_id(0) == 0) *out = *word; }
LANES(16) kernel void shared(global int *out, int at, int changed) {
  local short narrow[3];
  local int *words = (local int *)narrow;
  if (get_local_id(0) == 0) {
    narrow[0] = narrow[1] = narrow[2] = 5;
    int old = atomic_cmpxchg(words + at, 0, 0);
    atomic_cmpxchg(words + at, old, old ^ changed);
    *out = narrow[2];
  }
})");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<uint16_t> three(3, 0x1234);
  DeviceArray<int> out(1);
  auto *last = reinterpret_cast<int *>(three.data() + 2), *next = last + 1;
  EXPECT_EQ(kernels.run("exchange", {16, 1, 1}, {1, 1, 1}, last, 0x00ff), "");
  EXPECT_EQ(three[2], 0x12cb);
  EXPECT_NE(kernels.run("exchange", {16, 1, 1}, {1, 1, 1}, last, 0x10000).find("beyond the end of an allocation of 6 bytes"),
            std::string::npos);
  EXPECT_NE(kernels.run("exchange", {16, 1, 1}, {1, 1, 1}, next, 0).find("atomic access of 4 bytes"), std::string::npos);
  EXPECT_NE(kernels.run("add", {16, 1, 1}, {1, 1, 1}, last).find("atomic access of 4 bytes"), std::string::npos);
  EXPECT_NE(kernels.run("read", {16, 1, 1}, {1, 1, 1}, last, out).find("load of 4 bytes"), std::string::npos);
  EXPECT_EQ(kernels.run("shared", {16, 1, 1}, {1, 1, 1}, out, 1, 7), "");
  EXPECT_EQ(out[0], 2);
  EXPECT_NE(kernels.run("shared", {16, 1, 1}, {1, 1, 1}, out, 1, 1 << 20).find("in shared local memory"), std::string::npos);
  EXPECT_NE(kernels.run("shared", {16, 1, 1}, {1, 1, 1}, out, 2, 0).find("in shared local memory"), std::string::npos);
}

TEST(SoftMemory, aSubgroupMayWaitForAnotherInALoop) {
  XT_NEEDS_COMPILER();
  SoftKernels kernels(R"(LANES(16) kernel void spin(global int *out) {
    local atomic_int flag;
    if (get_local_id(0) == 0) atomic_init(&flag, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_sub_group_id() == 0) { while (atomic_load(&flag) == 0) {} }
    else atomic_store(&flag, 1);
    out[get_local_id(0)] = 1; })");
  ASSERT_TRUE(kernels) << kernels.error;
  DeviceArray<int> out(32);
  EXPECT_EQ(kernels.run("spin", {32, 1, 1}, {1, 1, 1}, out), "");
  EXPECT_EQ(std::accumulate(out.span().begin(), out.span().end(), 0), 32);
}

TEST(SoftMemory, allocationsEndAtAPageThatFaults) {
  DeviceMemory &memory = DeviceMemory::instance();
  for (size_t bytes : {1, 63, 64, 4096, 5000, 1 << 20})
    for (size_t alignment : {0, 64, 4096, 1 << 16}) {
      auto *begin = static_cast<char *>(memory.allocate(bytes, alignment, MemoryKind::Host));
      ASSERT_NE(begin, nullptr);
      EXPECT_EQ(reinterpret_cast<uint64_t>(begin) % std::max<size_t>(alignment, 64), 0u);
      std::memset(begin, 1, bytes);
      EXPECT_EQ(memory.find(begin)->bytes, bytes);
      EXPECT_EQ(memory.find(begin + bytes - 1)->bytes, bytes);
      EXPECT_FALSE(memory.find(begin + bytes));
      EXPECT_FALSE(memory.find(begin - 1));
      EXPECT_FALSE(memory.free(begin + 1));
      EXPECT_TRUE(memory.free(begin));
      EXPECT_FALSE(memory.free(begin));
    }
  EXPECT_EQ(memory.allocate(SIZE_MAX - 5, 0, MemoryKind::Device), nullptr);
}

} // namespace
} // namespace xt::soft::test
