// Tests asynchronous copies, ldmatrix and the watch over shared memory on the software NVIDIA device, as LLVM IR.
#include "ir/base/text.h"
#include "tests/targets/soft/nvvm_module.h"

#include <numeric>

namespace xt::soft::test {
namespace {

constexpr const char *kDeclarations = R"(
@s = internal addrspace(3) global [4096 x i8] poison, align 128
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3), ptr addrspace(1), i32)
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3))
declare {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3))
)";

constexpr const char *kCopy =
                         "  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %from)\n",
                     *kCommit = "  call void @llvm.nvvm.cp.async.commit.group()\n",
                     *kWait = "  call void @llvm.nvvm.cp.async.wait.group(i32 0)\n",
                     *kBarrier = "  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n",
                     *kWarpBarrier = "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n",
                     *kLoad = "  %x = load i32, ptr addrspace(3) %other\n",
                     *kStore = "  store i32 %x, ptr addrspace(1) %result\n";

// 64 threads. Thread t has 16 bytes of A at %from, 16 of shared memory at %to, those of thread 63 - t at %other, and R[t].
std::string kernel(const std::string &body) {
  return str("define ptx_kernel void @k(ptr addrspace(1) %A, ptr addrspace(1) %R) \"nvvm.reqntid\"=\"64,1,1\" {\n"
             "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %at = mul i32 %tid, 16\n"
             "  %from = getelementptr i8, ptr addrspace(1) %A, i32 %at\n"
             "  %to = getelementptr i8, ptr addrspace(3) @s, i32 %at\n  %back = sub i32 63, %tid\n  %far = mul i32 %back, 16\n"
             "  %other = getelementptr i8, ptr addrspace(3) @s, i32 %far\n"
             "  %result = getelementptr i32, ptr addrspace(1) %R, i32 %tid\n",
             body, "  ret void\n}\n", kDeclarations);
}

class AsyncCopies : public testing::TestWithParam<bool> {
protected:
  AsyncCopies() : a(256), r(64) { std::iota(a.data(), a.data() + 256, 1000); }
  std::string report(const std::string &body) { return run(kernel(body), {a.data(), r.data()}, 64, "nv-sm80", GetParam()); }

  DeviceArray<int32_t> a, r;
};

TEST_P(AsyncCopies, Land) {
  EXPECT_EQ(report(str(kCopy, kCommit, kWait, kBarrier, kLoad, kStore)), "");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(r[static_cast<size_t>(t)], 1000 + 4 * (63 - t));
}

// Each thread overwrites its first source number between the copy and the wait: hardware may read it before or afterwards.
TEST_P(AsyncCopies, ReadTheirSourceWhenTheyArrive) {
  const char *overwrite = "  store i32 7, ptr addrspace(1) %from\n";
  EXPECT_EQ(report(str(kCopy, kCommit, overwrite, kWait, kBarrier, kLoad, kStore)), "");
  for (int t = 0; t < 64; ++t) EXPECT_EQ(r[static_cast<size_t>(t)], GetParam() ? 1000 + 4 * (63 - t) : 7) << t;
}

TEST_P(AsyncCopies, FillTheRestWithZeros) {
  const char *part =
      "  %n = and i32 %tid, 15\n"
      "  call void @llvm.nvvm.cp.async.cg.shared.global.16.s(ptr addrspace(3) %to, ptr addrspace(1) %from, i32 %n)\n";
  EXPECT_EQ(report(str(part, kCommit, kWait, kBarrier, kLoad, kStore)), "");
  for (uint32_t t = 0; t < 64; ++t) {
    uint32_t other = 63 - t, n = other & 15, image = 1000 + 4 * other;
    if (n < 4) image &= (1u << 8 * n) - 1;
    EXPECT_EQ(static_cast<uint32_t>(r[t]), image) << t;
  }
}

TEST_P(AsyncCopies, WithoutAWaitTheReadIsReported) {
  std::string text = report(str(kCopy, kCommit, kBarrier, kLoad, kStore));
  EXPECT_NE(text.find("a load of byte"), std::string::npos) << text;
  EXPECT_NE(text.find("to which an asynchronous copy of lane"), std::string::npos) << text;
}

TEST_P(AsyncCopies, WithoutACommitAWaitIsForNothing) {
  EXPECT_NE(report(str(kCopy, kWait, kBarrier, kLoad, kStore)).find("is on its way"), std::string::npos);
}

TEST_P(AsyncCopies, AWaitForAllButTheLastGroupLeavesItOnItsWay) {
  const char *one = "  call void @llvm.nvvm.cp.async.wait.group(i32 1)\n";
  EXPECT_NE(report(str(kCopy, kCommit, one, kBarrier, kLoad, kStore)).find("is on its way"), std::string::npos);
  EXPECT_EQ(report(str(kCopy, kCommit, kCommit, one, kBarrier, kLoad, kStore)), "");
}

TEST_P(AsyncCopies, WithoutABarrierTheReadOfAnotherThreadsCopyIsReported) {
  std::string text = report(str(kCopy, kCommit, kWait, kLoad, kStore));
  EXPECT_NE(text.find("with no barrier between the two"), std::string::npos) << text;
  text = report(str(kCopy, kCommit, kWait, kWarpBarrier, kLoad, kStore));
  EXPECT_NE(text.find("with no barrier between the two"), std::string::npos) << "of the warp alone: " << text;
}

TEST_P(AsyncCopies, ABufferThatIsReusedTooSoonIsReported) {
  std::string first = str(kCopy, kCommit, kWait, kBarrier, kLoad, kStore);
  std::string text = report(str(first, kCopy, kCommit, kWait));
  // Whether the copy or the load comes first depends on the order in which work-items run: the report names both.
  EXPECT_NE(text.find("of `s`, which lane"), std::string::npos) << text;
  EXPECT_NE(text.find("with no barrier between the two"), std::string::npos) << text;
  EXPECT_EQ(report(str(first, kBarrier, kCopy, kCommit, kWait)), "");
}

TEST_P(AsyncCopies, ASourceBeyondTheBufferIsReported) {
  const char *beyond = "  %far1 = getelementptr i8, ptr addrspace(1) %from, i32 65536\n"
                       "  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %far1)\n";
  EXPECT_NE(report(str(beyond, kCommit, kWait)).find("out of bounds of every allocation"), std::string::npos);
}

TEST_P(AsyncCopies, MisalignedAddressesAreReported) {
  const char *crooked = "  %odd = getelementptr i8, ptr addrspace(1) %from, i32 4\n"
                        "  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %to, ptr addrspace(1) %odd)\n";
  EXPECT_NE(report(str(crooked, kCommit, kWait)).find("not multiples of 16"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Soft, AsyncCopies, testing::Bool(),
                         [](const auto &atOnce) { return std::string(atOnce.param ? "AtOnce" : "AtTheWait"); });

TEST(SharedWatch, PlainAccessesNeedBarriersToo) {
  DeviceArray<int32_t> a(256), r(64);
  const char *stores = "  store i32 %tid, ptr addrspace(3) %to\n";
  EXPECT_EQ(run(kernel(str(stores, kBarrier, kLoad, kStore)), {a.data(), r.data()}, 64), "");
  std::string text = run(kernel(str(stores, kLoad, kStore)), {a.data(), r.data()}, 64);
  EXPECT_NE(text.find("with no barrier between the two"), std::string::npos) << text;
}

TEST(SharedWatch, ABarrierOfTheWarpOrdersItsLanes) {
  DeviceArray<int32_t> a(256), r(64);
  const char *stores = "  store i32 %tid, ptr addrspace(3) %to\n  %mirror = xor i32 %tid, 31\n  %m = mul i32 %mirror, 16\n"
                       "  %near = getelementptr i8, ptr addrspace(3) @s, i32 %m\n";
  const char *load = "  %x = load i32, ptr addrspace(3) %near\n";
  EXPECT_EQ(run(kernel(str(stores, kWarpBarrier, load, kStore)), {a.data(), r.data()}, 64), "");
  EXPECT_EQ(r[0], 31);
  EXPECT_NE(run(kernel(str(stores, load, kStore)), {a.data(), r.data()}, 64).find("no barrier"), std::string::npos);
}

// Matrix m has at row r and column c the number 64 m + 8 r + c.
std::string matrices(const char *transposed) {
  return kernel(str("  %lane = and i32 %tid, 31\n  %n = mul i32 %lane, 2\n", R"(  br label %fill
fill:
  %i = phi i32 [0, %0], [%next, %fill]
  %k = mul i32 %tid, 2
  %e = add i32 %k, %i
  %h = trunc i32 %e to i16
  %b = mul i32 %e, 2
  %p = getelementptr i8, ptr addrspace(3) @s, i32 %b
  store i16 %h, ptr addrspace(3) %p
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 2
  br i1 %more, label %fill, label %go
go:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %l16 = and i32 %tid, 15
  %rowb = mul i32 %l16, 16
  %row = getelementptr i8, ptr addrspace(3) @s, i32 %rowb
  %m = call {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2)",
                    transposed, R"(.b16.p3(ptr addrspace(3) %row)
  %first = extractvalue {i32, i32} %m, 0
  %second = extractvalue {i32, i32} %m, 1
  store i32 %first, ptr addrspace(1) %result
  %p2 = getelementptr i32, ptr addrspace(1) %A, i32 %tid
  store i32 %second, ptr addrspace(1) %p2
)"));
}

TEST(WarpLoads, RowsAndTheirTransposes) {
  for (bool transposed : {false, true}) {
    DeviceArray<int32_t> a(64), r(64);
    ASSERT_EQ(run(matrices(transposed ? ".trans" : ""), {a.data(), r.data()}, 64), "");
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 2; ++i) {
        int row = transposed ? 2 * (lane % 4) + i : lane / 4, column = transposed ? lane / 4 : 2 * (lane % 4) + i;
        for (int m = 0; m < 2; ++m) {
          int32_t word = m ? a[static_cast<size_t>(lane)] : r[static_cast<size_t>(lane)];
          EXPECT_EQ((word >> (16 * i)) & 0xffff, 64 * m + 8 * row + column) << lane << ' ' << transposed;
        }
      }
  }
}

TEST(WarpLoads, AddressesOfOtherAlignmentsAreReported) {
  std::string text = matrices("");
  size_t at = text.find("  %m = call");
  text.insert(at, "  %crooked = getelementptr i8, ptr addrspace(3) %row, i32 4\n");
  text.replace(text.find("%row)"), 5, "%crooked)");
  DeviceArray<int32_t> a(64), r(64);
  std::string report = run(text, {a.data(), r.data()}, 64);
  EXPECT_NE(report.find("not a multiple of 16"), std::string::npos) << report;
}

} // namespace
} // namespace xt::soft::test
