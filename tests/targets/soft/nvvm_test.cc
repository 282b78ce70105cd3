// Tests modules with the intrinsics of NVVM on the software device, as LLVM IR.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "targets/nv/library/mma_name.h"
#include "tests/targets/soft/nvvm_module.h"

#include <numeric>

namespace xt::soft::test {
namespace {

// A kernel whose thread replaces x = A[tid] by what `body` makes of it.
std::string onEach(const std::string &body, const char *declarations) {
  return str("define ptx_kernel void @k(ptr addrspace(1) %A) \"nvvm.reqntid\"=\"64,1,1\" {\n"
             "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
             "  %place = getelementptr i32, ptr addrspace(1) %A, i32 %tid\n  %x = load i32, ptr addrspace(1) %place\n",
             body, "  store i32 %y, ptr addrspace(1) %place\n  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n",
             declarations);
}

TEST(Nvvm, ShufflesStayInTheWarp) {
  const char *declarations = "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"
                             "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n";
  DeviceArray<int32_t> a(64);
  std::iota(a.data(), a.data() + 64, 100);
  EXPECT_EQ(run(onEach("  %y = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %x, i32 5, i32 31)\n", declarations),
                {a.data()}, 64),
            "");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(a[i], i < 32 ? 105 : 137) << i;
  std::iota(a.data(), a.data() + 64, 100);
  EXPECT_EQ(run(onEach("  %y = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 3, i32 31)\n", declarations),
                {a.data()}, 64),
            "");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(a[i], static_cast<int32_t>(100 + (i ^ 3))) << i;
}

TEST(Nvvm, PartsOfAWarpAreRefused) {
  auto some = built(onEach("  %y = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 255, i32 %x, i32 5, i32 31)\n",
                           "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)\n"));
  ASSERT_FALSE(some.ok());
  EXPECT_EQ(some.error().message,
            "xt software device (nv-sm80 rules): the intrinsic llvm.nvvm.shfl.sync.idx.i32: it must be of "
            "the whole warp");
}

TEST(Nvvm, UnknownIntrinsicsAreNamed) {
  auto unknown =
      built(onEach("  %y = call i32 @llvm.nvvm.read.ptx.sreg.smid()\n", "declare i32 @llvm.nvvm.read.ptx.sreg.smid()\n"));
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(
      unknown.error().message,
      "xt software device (nv-sm80 rules): the intrinsic llvm.nvvm.read.ptx.sreg.smid: the software device does not know it");
}

TEST(Nvvm, AProductThatTheTargetLacksIsUnknown) {
  std::string text =
      onEach("  %m = call {float, float, float, float} @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32 %x, "
             "i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, float 0.0, float 0.0, float 0.0, float 0.0)\n"
             "  %f = extractvalue {float, float, float, float} %m, 0\n  %y = bitcast float %f to i32\n",
             "declare {float, float, float, float} @llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32(i32, i32, "
             "i32, i32, i32, i32, float, float, float, float)\n");
  EXPECT_FALSE(built(text, "nv-sm80").ok()) << "sm_80 has no f8";
  EXPECT_TRUE(built(text, "nv-sm89").ok());
}

// A warp that does not come to a barrier of the block.
TEST(Nvvm, MissingABarrierIsReported) {
  std::string text = R"(
define ptx_kernel void @k(ptr addrspace(1) %A) "nvvm.reqntid"="64,1,1" {
entry:
  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp ult i32 %tid, 32
  br i1 %first, label %wait, label %end
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
)";
  DeviceArray<int32_t> a(64);
  std::string report = run(text, {a.data()}, 64);
  EXPECT_NE(report.find("barrier"), std::string::npos) << report;
  EXPECT_NE(report.find("subgroup 1"), std::string::npos) << report;
}

// Two warps of three that exchange x: warp 0 arrives at a barrier, at which warp 1 waits; warp 2 does not take part. Then `rest` follows,
// with the number of the warp in %warp.
std::string counting(std::string_view arrive, std::string_view sync, const char *rest = "") {
  return str(
      "define ptx_kernel void @k(ptr addrspace(1) %A) \"nvvm.reqntid\"=\"96,1,1\" {\n"
      "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %warp = lshr i32 %tid, 5\n"
      "  %place = getelementptr i32, ptr addrspace(1) %A, i32 %tid\n"
      "  switch i32 %warp, label %end [ i32 0, label %first i32 1, label %second ]\n"
      "first:\n  store volatile i32 7, ptr addrspace(1) %place\n  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(",
      arrive,
      ")\n  br label %end\n"
      "second:\n  call void @llvm.nvvm.barrier.cta.sync.aligned.count(",
      sync,
      ")\n  %other = sub i32 %tid, 32\n  %from = getelementptr i32, ptr addrspace(1) %A, i32 %other\n"
      "  %x = load volatile i32, ptr addrspace(1) %from\n  store i32 %x, ptr addrspace(1) %place\n  br label %end\n"
      "end:\n",
      rest,
      "  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
      "declare void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32, i32)\n"
      "declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)\n");
}

TEST(Nvvm, BarriersOfSomeWarpsCountThreads) {
  DeviceArray<int32_t> a(96);
  ASSERT_EQ(run(counting("i32 3, i32 64", "i32 3, i32 64"), {a.data()}, 96), "");
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(a[i], 7) << i;
}

TEST(Nvvm, BarriersThatHangAreReported) {
  struct Case {
    std::string text;
    const char *report;
  };
  const Case cases[] = {
      {counting("i32 3, i32 64", "i32 3, i32 96"), "barrier 3 is for 96 threads here, but for 64 where subgroup 0 has come"},
      {counting("i32 3, i32 96", "i32 3, i32 96"), "deadlock: lane 0 of subgroup 1 waits at barrier.cta.sync (call 1) forever"},
      {counting("i32 3, i32 64", "i32 4, i32 64"), "deadlock: lane 0 of subgroup 1 waits at barrier.cta.sync (call 1) forever"},
      {counting("i32 0, i32 64", "i32 0, i32 64"), "there is no barrier 0: a workgroup has barriers 1 to 15"},
      {counting("i32 16, i32 64", "i32 16, i32 64"), "there is no barrier 16: a workgroup has barriers 1 to 15"},
      {counting("i32 3, i32 50", "i32 3, i32 50"), "barrier 3 is for 50 threads, which must be warps of 32 threads"},
      {counting("i32 3, i32 128", "i32 3, i32 128"), "and at most the 96 of the workgroup"},
      {counting("i32 3, i32 64", "i32 4, i32 64",
                "  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 3, i32 96)\n"
                "  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 3, i32 96)\n"),
       "barrier 3 is for 96 threads here, but for 64 where subgroup 0 has come"},
      {counting("i32 3, i32 96", "i32 5, i32 64", "  call void @llvm.nvvm.barrier.cta.arrive.aligned.count(i32 3, i32 96)\n"),
       "subgroup 0 comes to barrier 3 again before the others have come"},
      {counting("i32 3, i32 64", "i32 %warp, i32 %tid"), "the number of threads differs between"}};
  for (const Case &each : cases) {
    DeviceArray<int32_t> a(96);
    std::string report = run(each.text, {a.data()}, 96);
    EXPECT_NE(report.find(each.report), std::string::npos) << each.report << '\n' << report;
  }
}

// The matrix units of PTX's documentation, lane by lane: a[i] is the i-th element that a lane holds of a.
TEST(Nvvm, MmaOfHalvesIsThatOfTheMatrices) {
  const std::string pair = "<2 x half>";
  std::string text = "define ptx_kernel void @k(ptr addrspace(1) %A, ptr addrspace(1) %B, ptr addrspace(1) %C) "
                     "\"nvvm.reqntid\"=\"32,1,1\" {\n  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n";
  std::string arguments;
  auto load = [&](const char *array, int each, int i, const std::string &type) {
    std::string name = str(array, i);
    text += str("  %i", name, " = mul i32 %tid, ", each, "\n  %j", name, " = add i32 %i", name, ", ", i, "\n  %p", name,
                " = getelementptr ", type, ", ptr addrspace(1) %", array, ", i32 %j", name, "\n  %", name, " = load ", type,
                ", ptr addrspace(1) %p", name, "\n");
    arguments += str(arguments.empty() ? "" : ", ", type, " %", name);
  };
  for (int i = 0; i < 4; ++i) load("A", 4, i, pair);
  for (int i = 0; i < 2; ++i) load("B", 2, i, pair);
  for (int i = 0; i < 4; ++i) load("C", 4, i, "float");
  text += str("  %d = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(", arguments, ")\n");
  for (int i = 0; i < 4; ++i)
    text += str("  %d", i, " = extractvalue {float, float, float, float} %d, ", i, "\n  store float %d", i,
                ", ptr addrspace(1) %pC", i, "\n");
  text +=
      "  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare {float, float, float, float} "
      "@llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, <2 x half>, float, "
      "float, float, float)\n";
  int a[16][16], b[16][8], c[16][8];
  for (int i = 0; i < 16; ++i)
    for (int k = 0; k < 16; ++k) a[i][k] = (i * 7 + k * 3) % 11 - 5;
  for (int k = 0; k < 16; ++k)
    for (int j = 0; j < 8; ++j) b[k][j] = (k * 5 + j * 2) % 9 - 4, c[k][j] = k - 3 * j;
  DeviceArray<uint16_t> ofA(32 * 8), ofB(32 * 4);
  DeviceArray<float> ofC(32 * 4);
  auto half = [](int value) {
    uint16_t bits = 0;
    storeFloat(Elem::F16, &bits, value);
    return bits;
  };
  for (size_t lane = 0; lane < 32; ++lane) {
    size_t g = lane / 4, t = lane % 4;
    for (size_t i = 0; i < 8; ++i) ofA[lane * 8 + i] = half(a[i % 4 < 2 ? g : g + 8][t * 2 + i % 2 + (i < 4 ? 0 : 8)]);
    for (size_t i = 0; i < 4; ++i) ofB[lane * 4 + i] = half(b[t * 2 + i % 2 + (i < 2 ? 0 : 8)][g]);
    for (size_t i = 0; i < 4; ++i) ofC[lane * 4 + i] = static_cast<float>(c[i < 2 ? g : g + 8][t * 2 + i % 2]);
  }
  ASSERT_EQ(run(text, {ofA.data(), ofB.data(), ofC.data()}), "");
  for (size_t lane = 0; lane < 32; ++lane)
    for (size_t i = 0; i < 4; ++i) {
      size_t row = i < 2 ? lane / 4 : lane / 4 + 8, column = lane % 4 * 2 + i % 2;
      int sum = c[row][column];
      for (size_t k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      EXPECT_EQ(ofC[lane * 4 + i], static_cast<float>(sum)) << "row " << row << ", column " << column;
    }
}

} // namespace
} // namespace xt::soft::test
