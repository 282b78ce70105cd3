// Tests print and assert, at both scopes.
#include "ir/elem_kinds.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

TEST(CpuPrint, ScalarsVectorsAndText) {
  TextKernel kernel(R"(
kernel @k(%A: memref<?x?xf16>, %U: memref<?xu64>) grid (%i = 0 to dim(%A, 0) step 2) {
  %t = init_tile %A[%i, 0] -> tile<2x5xf16>
  %a = load_tile %t
  print "a", %a
  print "twice", (%a + %a), %a
  %m = create_mask 1, 4 : vector<2x5xi1>
  print "mask", %m
  %u = memref.load %U[%i]
  print "u", %u
  print "b", (%i < 2)
  print "i", %i
  print "here"
  %x = extract %a[1, 3]
  print "x", %x
}
)");
  Array a(Elem::F16, {6, 5}), u(Elem::U64, {6});
  RandomNumbers random(1);
  random.fill(a);
  random.fill(u);
  kernel.expectAsInterpreter({&a, &u});
  kernel.expectAsInterpreter({&a, &u}, {}, 3);
}

constexpr const char *kRows = R"(
#rows = #wg_map<sg_layout = [2, 1], sg_data = [2, 6]>
kernel @k(%A: memref<?x?xf32>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%A, 0) step 4, %j = 0 to dim(%A, 1) step 6) {
  %t = init_tile %A[%i, %j] -> tile<4x6xf32, #rows>
  %a = load_tile %t
  %o = init_tile %C[%i, %j] -> tile<4x6xf32, #rows>
  store_tile %a, %o
  print "block", %a
  assert (%a >= 0.0), "no negative numbers"
  print "behind"
  store_tile (%a + 1.0), %o
}
)";

// The launch stops at the lowest workgroup that fails, and reports its lowest element, whichever thread came first.
TEST(CpuAssert, LowestElementOfTheLowestWorkgroup) {
  TextKernel kernel(kRows);
  if (!kernel) return;
  for (int threads : {1, 4})
    for (int round = 0; round < 5; ++round) {
      Array a(Elem::F32, {8, 18}), c(Elem::F32, {8, 18});
      a.forEach([&](const std::vector<int64_t> &index) { a.set(index, 1); });
      EXPECT_TRUE(kernel.launch({&a, &c}, {}, threads).ok);
      for (const auto &bad : std::vector<std::vector<int64_t>>{{7, 17}, {6, 9}, {5, 11}, {3, 16}}) a.set(bad, -1);
      auto outcome = kernel.launch({&a, &c}, {}, threads);
      ASSERT_FALSE(outcome.ok);
      EXPECT_EQ(outcome.error.kind, Error::Kind::Kernel);
      EXPECT_EQ(outcome.error.message, "assertion failed: no negative numbers at [3, 4] (workgroup (0, 2))");
      EXPECT_NE(outcome.line.find("assert"), std::string::npos);
      // Stores before the assert are kept, and later ones do not happen. Earlier workgroups are complete.
      EXPECT_EQ(c.number({3, 16}), -1);
      EXPECT_EQ(c.number({2, 12}), 1);
      EXPECT_EQ(c.number({0, 0}), 2);
      EXPECT_EQ(c.number({3, 11}), 2);
      size_t blocks = 0, ends = 0;
      for (size_t at = 0; (at = outcome.printed.find("block", at)) != std::string::npos; ++at) ++blocks;
      for (size_t at = 0; (at = outcome.printed.find("behind", at)) != std::string::npos; ++at) ++ends;
      EXPECT_EQ(blocks, 3u);
      EXPECT_EQ(ends, 2u);
    }
}

// The first failure in program order is reported, and nothing after it runs.
TEST(CpuAssert, TheFirstOfSeveral) {
  TextKernel kernel(R"(
kernel @k(%A: memref<?xi64>) grid (%i = 0 to dim(%A, 0)) {
  %n = memref.load %A[%i]
  assert (%n != 1), "not one"
  for %k = 0 to 3 {
    %kk = index_cast %k : index -> i64
    assert (%n + %kk != 4), "never four"
  }
  %go = %n == 1
  while %go {
    %n = %n + 0
  }
}
)");
  Array a(Elem::I64, {3});
  a.set({0}, 9);
  a.set({1}, 2);
  a.set({2}, 1);
  auto outcome = kernel.launch({&a}, {}, 2);
  EXPECT_EQ(outcome.error.message, "assertion failed: never four (workgroup (1))");
  a.set({1}, 7);
  outcome = kernel.launch({&a}, {}, 2);
  EXPECT_EQ(outcome.error.message, "assertion failed: not one (workgroup (2))");
}

TEST(CpuAssert, OfOneSubgroup) {
  TextKernel kernel(R"(
kernel @k(%A: memref<?x?xi8>) subgroups(3) {
  %s = subgroup_id()
  print "s", %s
  %m = create_mask (%s + 1), 2 : vector<3x2xi1>
  %two = create_mask 2, 2 : vector<3x2xi1>
  assert (%m == %two), "two rows"
  print "t", %s
}
)");
  Array a(Elem::I8, {1, 1});
  auto outcome = kernel.launch({&a});
  EXPECT_EQ(outcome.error.message, "assertion failed: two rows at [1, 0] (subgroup 0)");
  EXPECT_EQ(outcome.printed, "[subgroup 0] s: 0\n");
}

} // namespace
} // namespace xt
