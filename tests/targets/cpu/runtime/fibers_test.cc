// Tests kernels at subgroup scope whose subgroups wait for each other, and the fibers on which they run.
#include "targets/cpu/runtime/fibers.h"

#include "ir/elem_kinds.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

Array numbered(Elem elem, std::vector<int64_t> sizes) {
  Array array(elem, std::move(sizes));
  double next = 0;
  array.forEach([&](const std::vector<int64_t> &index) { array.set(index, next++); });
  return array;
}

TEST(FiberGroup, TurnsBetweenWaits) {
  FiberGroup group(3);
  for (int round = 0; round < 2; ++round) { // stacks are reused
    std::string order;
    auto diverged = group.run([&](size_t i) {
      for (int64_t place = 0; place < 3; ++place) {
        order += std::to_string(i);
        group.wait(place);
      }
      return true;
    });
    EXPECT_FALSE(diverged);
    EXPECT_EQ(order, "012012012");
  }
}

// Code that is not optimised may need more stack than fibers have by default.
TEST(FiberGroup, AFrameThatIsToldFitsTheStack) {
  constexpr size_t kFrame = 4 << 20;
  for (size_t lanes : {0, 2}) {
    FiberGroup group(2, lanes, kFrame);
    size_t ones = 0;
    EXPECT_FALSE(group.run([&](size_t) {
      volatile unsigned char frame[kFrame];
      for (size_t i = 0; i < kFrame; ++i) frame[i] = 1;
      group.wait(0);
      for (size_t i = 0; i < kFrame; ++i) ones += frame[i];
      return true;
    }));
    EXPECT_EQ(ones, 2 * kFrame);
  }
}

TEST(FiberGroup, SaysThatThereIsNoMemory) {
  EXPECT_TRUE(FiberGroup(2).valid());
  EXPECT_FALSE(FiberGroup(2, 0, size_t{1} << 60).valid());
}

TEST(FiberGroup, DivergenceNamesBoth) {
  FiberGroup group(4);
  auto finished = group.run([&](size_t i) {
    if (i > 1) group.wait(7);
    return true;
  });
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->waiting, 2u);
  EXPECT_EQ(finished->other, 0u);
  EXPECT_EQ(finished->place, 7);
  EXPECT_FALSE(finished->otherPlace);
  auto elsewhere = group.run([&](size_t i) {
    group.wait(1);
    group.wait(i == 3 ? 5 : 2);
    return true;
  });
  ASSERT_TRUE(elsewhere);
  EXPECT_EQ(elsewhere->waiting, 0u);
  EXPECT_EQ(elsewhere->other, 3u);
  EXPECT_EQ(elsewhere->otherPlace, 5);
}

TEST(FiberGroup, AFailureEndsAll) {
  FiberGroup group(3);
  std::string order;
  EXPECT_FALSE(group.run([&](size_t i) {
    order += std::to_string(i);
    if (i != 1) group.wait(0);
    return i != 1;
  }));
  EXPECT_EQ(order, "01");
}

constexpr const char *kRotate = R"(
kernel @rotate(%A: memref<?x8xf32>, %C: memref<?x8xf32>) subgroups(4) grid (%i = 0 to dim(%A, 0) step 4) {
  %m = alloc_slm : memref<4x8xf32, slm>
  %n = alloc_slm : memref<4x1xf32, slm>
  %s = subgroup_id()
  %ta = init_tile %A[%i + %s, 0] -> tile<1x8xf32>
  %a = load_tile %ta
  for %k = 0 to 3 {
    %own = init_tile %m[%s, 0] -> tile<1x8xf32>
    store_tile %a, %own
    %head = extract %a[0, 0]
    memref.store %head, %n[%s, 0]
    barrier
    %next = init_tile %m[(%s + 1) mod 4, 0] -> tile<1x8xf32>
    %b = load_tile %next
    %first = memref.load %n[(%s + 3) mod 4, 0]
    %a = %b + %first
    barrier
  }
  %tc = init_tile %C[%i + %s, 0] -> tile<1x8xf32>
  store_tile %a, %tc
}
)";

TEST(CpuFibers, SubgroupsExchangeThroughSharedMemory) {
  TextKernel kernel(kRotate);
  Array a = numbered(Elem::F32, {22, 8}), c(Elem::F32, {22, 8});
  kernel.expectAsInterpreter({&a, &c});
  kernel.expectAsInterpreter({&a, &c}, {}, 4);
}

TEST(CpuFibers, WhileAndBranchesAndProducts) {
  TextKernel kernel(R"(
kernel @k(%A: memref<?x?xi8>, %C: memref<?x?xi32>, %N: memref<?xi64>) subgroups(3) grid (%i = 0 to dim(%N, 0)) {
  %m = alloc_slm : memref<3x6x6xi32, slm>
  %s = subgroup_id()
  %ta = init_tile %A[%i, %s] -> tile<6x6xi8>
  %a = load_tile %ta
  %acc = constant 1 : vector<6x6xi32>
  %left = memref.load %N[%i]
  while %left > 0 {
    %acc = tile_mma %a, %a, %acc
    %own = init_tile %m[%s, 0, 0] -> tile<6x6xi32>
    store_tile %acc, %own
    if %left mod 2 == 0 {
      barrier
      %other = init_tile %m[2 - %s, 0, 0] -> tile<6x6xi32>
      %acc = load_tile %other
    }
    barrier
    %left = %left - 1
  }
  %sum = reduction <add> %acc [1]
  %tc = init_tile %C[%i * 18 + %s * 6, 0] -> tile<6x1xi32>
  store_tile %sum, %tc
}
)");
  Array a(Elem::I8, {12, 12}), c(Elem::I32, {90, 1}), n(Elem::I64, {5});
  RandomNumbers(3).fill(a, true);
  for (int64_t i = 0; i < 5; ++i) n.set({i}, static_cast<double>(i - 1));
  kernel.expectAsInterpreter({&a, &c, &n});
  kernel.expectAsInterpreter({&a, &c, &n}, {}, 3);
}

// Each of many subgroups has its own scratch memory and stack.
TEST(CpuFibers, ManySubgroups) {
  TextKernel kernel(R"(
kernel @k(%C: memref<?x?xi32>) subgroups(64) grid (%i = 0 to dim(%C, 0) step 64) {
  %m = alloc_slm : memref<64xi32, slm>
  %s = subgroup_id()
  %x = index_cast %s : index -> i32
  memref.store %x, %m[63 - %s]
  barrier
  %y = memref.load %m[%s]
  %v = splat %y : i32 -> vector<1x20xi32>
  %w = reduction <add> %v [1]
  barrier
  %tc = init_tile %C[%i + %s, 0] -> tile<1x1xi32>
  store_tile %w, %tc
}
)");
  Array c(Elem::I32, {256, 1});
  kernel.expectAsInterpreter({&c}, {}, 4);
}

TEST(CpuFibers, PrintsInTheInterpretersOrder) {
  TextKernel kernel(R"(
kernel @k(%C: memref<?x?xi32>) subgroups(2) grid (%i = 0 to dim(%C, 0)) {
  %s = subgroup_id()
  print "before", %s
  barrier
  print "after", %s
  print "done"
}
)");
  Array c(Elem::I32, {3, 1});
  kernel.expectAsInterpreter({&c}, {}, 3);
  auto outcome = kernel.launch({&c});
  std::string first = "[workgroup (0), subgroup 0] ", second = "[workgroup (0), subgroup 1] ";
  std::string expected = first + "before: 0\n" + second + "before: 1\n" + first + "after: 0\n" + first + "done\n" + second +
                         "after: 1\n" + second + "done\n";
  EXPECT_EQ(outcome.printed.substr(0, expected.size()), expected);
}

// A value loaded from memory is assumed to be the same for all subgroups, so the front end accepts it as the condition of a
// barrier.
constexpr const char *kDiverging = R"(
kernel @k(%F: memref<?x2xi32>, %C: memref<?x2xi32>) subgroups(2) grid (%i = 0 to dim(%F, 0)) {
  %s = subgroup_id()
  %f = memref.load %F[%i, %s]
  if %f == 1 {
    barrier // first
  }
  if %f == 2 {
    barrier // second
  }
  %last = index_cast %f : i32 -> index
  for %k = 3 to %last {
    barrier // third
  }
  memref.store %f, %C[%i, %s]
}
)";

TEST(CpuFibers, DivergenceIsReportedAndNeverAHang) {
  TextKernel kernel(kDiverging);
  if (!kernel) return;
  struct Case {
    std::vector<int> flags; // flags of the two subgroups of workgroup 0, of workgroup 1, and so on
    const char *workgroup, *line, *other;
  };
  for (const Case &c :
       std::vector<Case>{{{0, 0, 0, 1}, "1", "barrier // first", "subgroup 1 waits at `barrier`, subgroup 0 has finished"},
                         {{1, 0, 1, 0}, "0", "barrier // first", "subgroup 0 waits at `barrier`, subgroup 1 has finished"},
                         {{2, 1}, "0", "barrier // second", "subgroup 0 waits at `barrier`, subgroup 1 waits at another one"},
                         {{5, 5, 5, 6}, "1", "barrier // third", "subgroup 1 waits at `barrier`, subgroup 0 has finished"}})
    for (int threads : {1, 3}) {
      auto groups = static_cast<int64_t>(c.flags.size() / 2);
      Array flags(Elem::I32, {groups, 2}), out(Elem::I32, {groups, 2});
      for (int64_t k = 0; k < groups * 2; ++k) flags.set({k / 2, k % 2}, c.flags[static_cast<size_t>(k)]);
      auto outcome = kernel.launch({&flags, &out}, {}, threads);
      ASSERT_FALSE(outcome.ok);
      EXPECT_EQ(outcome.error.kind, Error::Kind::Kernel);
      EXPECT_EQ(outcome.error.message, str("the subgroups of workgroup (", c.workgroup, ") deadlock: ", c.other));
      EXPECT_NE(outcome.line.find(c.line), std::string::npos) << outcome.line;
      // The same executable still works.
      Array good = numbered(Elem::I32, {1, 2});
      good.set({0, 1}, 0);
      EXPECT_TRUE(kernel.launch({&good, &out}, {}, threads).ok);
    }
}

// A subgroup whose assert fails ends the workgroup, even if others wait for it.
TEST(CpuFibers, AFailedAssertIsNoDivergence) {
  TextKernel kernel(R"(
kernel @k(%C: memref<?x?xi32>) subgroups(4) grid (%i = 0 to dim(%C, 0)) {
  %s = subgroup_id()
  print "at", %s
  assert (%i < 2 or %s < 2), "small"
  barrier
  print "behind", %s
}
)");
  Array c(Elem::I32, {6, 1});
  for (int threads : {1, 4}) {
    auto outcome = kernel.launch({&c}, {}, threads);
    ASSERT_FALSE(outcome.ok);
    EXPECT_EQ(outcome.error.kind, Error::Kind::Kernel);
    EXPECT_EQ(outcome.error.message, "assertion failed: small (workgroup (2), subgroup 2)");
    auto lines = [](int workgroup, const char *text, int count) {
      std::string all;
      for (int s = 0; s < count; ++s) all += str("[workgroup (", workgroup, "), subgroup ", s, "] ", text, ": ", s, "\n");
      return all;
    };
    auto whole = [&](int workgroup) { return lines(workgroup, "at", 4) + lines(workgroup, "behind", 4); };
    EXPECT_EQ(outcome.printed, whole(0) + whole(1) + lines(2, "at", 3));
  }
}

} // namespace
} // namespace xt
