// Accesses to global memory that nothing orders, and atomic accesses and fences that order others.
#include "ir/base/text.h"
#include "tests/targets/soft/nvvm_module.h"

namespace xt::soft::test {
namespace {

// A block of 64 threads with A[tid] at %place, and A at 64 as a flag.
std::string kernel(const std::string &body) {
  return str("define ptx_kernel void @k(ptr addrspace(1) %A) \"nvvm.reqntid\"=\"64,1,1\" {\n"
             "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
             "  %place = getelementptr i32, ptr addrspace(1) %A, i32 %tid\n"
             "  %flag = getelementptr i32, ptr addrspace(1) %A, i32 64\n",
             body, "  ret void\n}\ndeclare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\ndeclare void @llvm.nvvm.bar.warp.sync(i32)\n");
}

// `name`: of the buffer; "": it has none.
std::string report(const std::string &body, bool watchesGlobal = true, const std::string &name = "") {
  DeviceArray<int32_t> a(65);
  if (!name.empty()) DeviceMemory::instance().setBuffer(a.data(), 0, 65 * sizeof(int32_t), name);
  DeviceSettings device = nvidiaSettings(*findTargetInfo("nv-sm80"));
  device.watchesGlobal = watchesGlobal;
  return run(kernel(body), {a.data()}, 64, device);
}

TEST(MemoryWatch, LanesThatExchangeThroughGlobalMemoryMeet) {
  const char *store = "  store i32 %tid, ptr addrspace(1) %place\n", *meet = "  call void @llvm.nvvm.bar.warp.sync(i32 -1)\n",
             *load = "  %other = xor i32 %tid, 1\n  %there = getelementptr i32, ptr addrspace(1) %A, i32 %other\n"
                     "  %x = load volatile i32, ptr addrspace(1) %there\n";
  EXPECT_EQ(report(str(store, meet, load)), "");
  std::string text = report(str(store, load));
  EXPECT_NE(text.find("byte 4 of an allocation, which lane 0 of subgroup 0 has read, with no barrier"), std::string::npos)
      << text;
  EXPECT_NE(report(str(store, meet, load, store)).find("with no barrier between the two"), std::string::npos);
}

// Names have their marks already.
TEST(MemoryWatch, ABufferIsNamed) {
  const char *race = "  store i32 %tid, ptr addrspace(1) %flag\n";
  std::string text = report(race, true, "`%A`");
  EXPECT_NE(text.find("a store to byte 256 of `%A`, which lane 0 of subgroup 0 has written"), std::string::npos) << text;
  EXPECT_EQ(report(race, false, "`%A`"), "") << "global memory is watched only with XT_SOFT_WATCH=global";
}

// Addresses beyond the first ones share what they know, so that a release to one of them orders what acquires from another one.
TEST(MemoryWatch, ClocksOfManyAddressesAreBounded) {
  constexpr size_t kCount = 1 << 16;
  DeviceArray<int32_t> a(kCount);
  DeviceSettings device = nvidiaSettings(*findTargetInfo("nv-sm80"));
  device.watchesGlobal = true;
  std::string text = kernel("  br label %again\nagain:\n  %i = phi i32 [ %tid, %0 ], [ %next, %again ]\n"
                            "  %at = getelementptr i32, ptr addrspace(1) %A, i32 %i\n"
                            "  %o = atomicrmw add ptr addrspace(1) %at, i32 1 syncscope(\"block\") acq_rel\n"
                            "  %next = add i32 %i, 64\n  %more = icmp slt i32 %next, 65536\n"
                            "  br i1 %more, label %again, label %end\nend:\n");
  EXPECT_EQ(run(text, {a.data()}, 64, device), "");
  EXPECT_EQ(std::count(a.data(), a.data() + kCount, 1), static_cast<std::ptrdiff_t>(kCount));
}

// Thread 0 stores and sets the flag, which the others read.
std::string published(const char *fence, const char *order) {
  return str("  %first = icmp eq i32 %tid, 0\n  br i1 %first, label %put, label %take\n"
             "put:\n  store i32 7, ptr addrspace(1) %A\n",
             fence, "  %o = atomicrmw add ptr addrspace(1) %flag, i32 1 syncscope(\"block\") ", order,
             "\n  br label %end\ntake:\n  %p = atomicrmw add ptr addrspace(1) %flag, i32 0 syncscope(\"block\") ", order, "\n",
             fence, "  %x = load volatile i32, ptr addrspace(1) %A\n  br label %end\nend:\n");
}

TEST(MemoryWatch, AtomicAccessesOrderOthersByTheirOrderOrByFences) {
  const char *fence = "  fence syncscope(\"block\") seq_cst\n";
  EXPECT_EQ(report(published("", "acq_rel")), "");
  EXPECT_EQ(report(published(fence, "monotonic")), "");
  std::string text = report(published("", "monotonic"));
  EXPECT_NE(text.find("a load of byte 0 of an allocation, which lane 0 of subgroup 0"), std::string::npos) << text;
}

TEST(MemoryWatch, AtomicAndPlainAccessesNeedAnOrderToo) {
  const char *add = "  %o = atomicrmw add ptr addrspace(1) %flag, i32 1 syncscope(\"block\") monotonic\n";
  EXPECT_EQ(report(add), "");
  EXPECT_NE(report(str(add, "  %x = load volatile i32, ptr addrspace(1) %flag\n")).find("with no barrier between the two"),
            std::string::npos);
}

} // namespace
} // namespace xt::soft::test
