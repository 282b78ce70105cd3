// Tests which results depend on the order of workgroups (ir/order_dependence.h), on kernels from text.
#include "ir/order_dependence.h"

#include "run_helper.h"

namespace xt {
namespace {

constexpr OrderCause kNone = OrderCause::None;

// Returns the causes for a kernel with two i32 buffers, A and B, and one f32 buffer, F. `body` can use the tiles %a, %b, %f and
// the values %one, %v (loaded from B), %w.
std::vector<OrderCause> causesOf(const std::string &body, std::vector<OrderCause> before = {kNone, kNone, kNone},
                                 std::vector<size_t> memoryOf = {0, 1, 2, 0}) {
  TestedProgram program(
      "kernel @k(%A: memref<?x?xi32>, %B: memref<?x?xi32>, %F: memref<?x?xf32>, %n: index) grid (%g = 0 to 8) {\n"
      "  %a = init_tile %A[0, 0] -> tile<2x2xi32>\n  %b = init_tile %B[%g, 0] -> tile<2x2xi32>\n"
      "  %f = init_tile %F[0, 0] -> tile<2x2xf32>\n  %one = constant 1 : vector<2x2xi32>\n"
      "  %w = constant 1.0 : vector<2x2xf32>\n  %v = load_tile %b\n" +
      body + "}\n");
  return program.module ? orderDependence(*program.module->kernels[0], memoryOf, before) : std::vector<OrderCause>();
}
using Causes = std::vector<OrderCause>;

TEST(OrderDependence, AtomicsThatCommute) {
  EXPECT_EQ(causesOf("  store_tile %one, %a\n"), (Causes{kNone, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <maxs> %v, %a\n"), (Causes{kNone, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <addi> %one, %a\n  %p = atomic_rmw <add> %v, %a\n"), (Causes{kNone, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <maximumf> %w, %f\n"), (Causes{kNone, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <maxnumf> %w, %f\n"), (Causes{kNone, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <minnumf> %w, %f\n"), (Causes{kNone, kNone, kNone}));
}

// Two spellings of one operation count as the same operation.
TEST(OrderDependence, SpellingsOfOneKind) {
  const std::string spellings[][2] = {{"add", "addi"}, {"mul", "muli"}, {"and", "andi"}, {"or", "ori"}, {"xor", "xori"}};
  for (const auto &[plain, ofIntegers] : spellings)
    EXPECT_EQ(causesOf("  %o = atomic_rmw <" + plain + "> %v, %a\n  %p = atomic_rmw <" + ofIntegers + "> %v, %a\n"),
              (Causes{kNone, kNone, kNone}))
        << plain;
  EXPECT_EQ(causesOf("  %o = atomic_rmw <add> %w, %f\n  %p = atomic_rmw <addf> %w, %f\n"),
            (Causes{kNone, kNone, OrderCause::Rounding}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <maxs> %v, %a\n  %p = atomic_rmw <maxu> %v, %a\n"),
            (Causes{OrderCause::Kinds, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <maximumf> %w, %f\n  %p = atomic_rmw <maxnumf> %w, %f\n"),
            (Causes{kNone, kNone, OrderCause::Kinds}));
}

TEST(OrderDependence, AtomicsThatDoNot) {
  EXPECT_EQ(causesOf("  %o = atomic_rmw <assign> %v, %a\n"), (Causes{OrderCause::LastWriter, kNone, kNone}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <addf> %w, %f\n"), (Causes{kNone, kNone, OrderCause::Rounding}));
  EXPECT_EQ(causesOf("  %o = atomic_rmw <addi> %v, %a\n  %p = atomic_rmw <maxs> %v, %a\n"),
            (Causes{OrderCause::Kinds, kNone, kNone}));
}

TEST(OrderDependence, OldValuesAreFollowed) {
  const std::string old = "  %o = atomic_rmw <addi> %one, %a\n";
  EXPECT_EQ(causesOf(old + "  store_tile %o, %b\n"), (Causes{kNone, OrderCause::OldValue, kNone}))
      << "the counter itself is not";
  EXPECT_EQ(causesOf(old + "  %x = %o * 2 + 1\n  %c = sitofp %x : vector<2x2xi32> to vector<2x2xf32>\n  store_tile %c, %f\n"),
            (Causes{kNone, kNone, OrderCause::OldValue}));
  const std::string place = old + "  %x = extract %o[0, 0]\n  %i = index_cast %x : i32 to index\n";
  EXPECT_EQ(causesOf(place + "  %t = init_tile %B[%i, 0] -> tile<2x2xi32>\n  store_tile %one, %t\n"),
            (Causes{kNone, OrderCause::OldValue, kNone}))
      << "where it stores";
  EXPECT_EQ(causesOf(place + "  if %i == 0 {\n    store_tile %one, %b\n  }\n"), (Causes{kNone, OrderCause::OldValue, kNone}))
      << "whether it stores";
  EXPECT_EQ(causesOf(place + "  %y = %one\n  for %k = 0 to %i {\n    %y = %y + 1\n  }\n  store_tile %y, %b\n"),
            (Causes{kNone, OrderCause::OldValue, kNone}))
      << "how often it adds";
  EXPECT_EQ(causesOf(place + "  %y = %one\n  if %i == 0 {\n    %y = %v\n  }\n  store_tile %y, %b\n"),
            (Causes{kNone, OrderCause::OldValue, kNone}));
  EXPECT_EQ(causesOf("  %y = %one\n  for %k = 0 to %n {\n    store_tile %y, %b\n    %y = atomic_rmw <addi> %one, %a\n  }\n"),
            (Causes{kNone, OrderCause::OldValue, kNone}))
      << "the loop carries it to the store before it";
}

TEST(OrderDependence, ThroughMemory) {
  const std::string local = "  %m = alloc_slm : memref<2x2xi32, slm>\n  %s = init_tile %m[0, 0] -> tile<2x2xi32>\n";
  EXPECT_EQ(causesOf("  %o = atomic_rmw <addi> %one, %a\n  %x = load_tile %a\n  store_tile %x, %b\n"),
            (Causes{kNone, OrderCause::Midway, kNone}));
  EXPECT_EQ(
      causesOf(local +
               "  %o = atomic_rmw <addi> %one, %a\n  store_tile %o, %s\n  barrier\n  %x = load_tile %s\n  store_tile %x, %b\n"),
      (Causes{kNone, OrderCause::OldValue, kNone}));
  EXPECT_EQ(causesOf(local + "  store_tile %one, %s\n  barrier\n  %o = atomic_rmw <addi> %v, %s\n  barrier\n  %x = load_tile "
                             "%s\n  store_tile %x, %b\n"),
            (Causes{kNone, kNone, kNone}))
      << "behind a barrier the sum is complete";
  EXPECT_EQ(causesOf("  store_tile %v, %a\n", {kNone, OrderCause::OldValue, kNone}),
            (Causes{OrderCause::Before, OrderCause::OldValue, kNone}));
  EXPECT_EQ(causesOf("  store_tile %one, %a\n", {kNone, OrderCause::OldValue, kNone}),
            (Causes{kNone, OrderCause::OldValue, kNone}));
  // A and B are the same buffer, so the atomics change the value that is loaded from B.
  EXPECT_EQ(
      causesOf(
          "  %o = atomic_rmw <addi> %one, %a\n  %c = sitofp %v : vector<2x2xi32> to vector<2x2xf32>\n  store_tile %c, %f\n",
          {kNone, kNone}, {0, 0, 1, 0}),
      (Causes{kNone, OrderCause::Midway}));
}

TEST(OrderDependence, OfAnyBuffer) {
  auto depends = [](const std::string &kind) {
    TestedProgram program("kernel @k(%n: index, %A: memref<?x?xi32>) {\n  %a = init_tile %A[0, 0] -> tile<2x2xi32>\n  %v = "
                          "constant 1 : vector<2x2xi32>\n"
                          "  %o = atomic_rmw <" +
                          kind + "> %v, %a\n}\n");
    return dependsOnOrder(*program.module->kernels[0]);
  };
  EXPECT_FALSE(depends("addi"));
  EXPECT_TRUE(depends("assign"));
}

} // namespace
} // namespace xt
