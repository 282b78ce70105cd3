// Tests which rows of products have to be computed, and that leaving out the others changes no result.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/needed_rows.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

// A product whose right operand is computed, so that its loop is no nest; `behind` uses the sums.
std::string product(const std::string &behind) {
  return R"(
kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %D: memref<?x?xf32>)
    grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 32) {
  %acc = constant 0.0 : vector<32x32xf32>
  for %k = 0 to dim(%A, 1) step 16 {
    %ta  = init_tile %A[%i, %k] -> tile<32x16xf32>
    %tb  = init_tile %B[%k, %j] -> tile<16x32xf32>
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, (%b * %b), %acc
  }
  %tc = init_tile %C[%i, %j] -> tile<32x32xf32>
  %td = init_tile %D[%i, %j] -> tile<32x32xf32>
)" + behind +
         "}\n";
}

struct Case {
  const char *behind;
  bool bounded;
};

constexpr Case kCases[] = {
    {"  store_tile %acc, %tc\n", true},
    {"  %d = load_tile %td\n  %x = %acc * 2.0 + %d\n  store_tile %x, %tc\n", true},
    {"  %s = constant 1.0 : f32\n  if dim(%A, 0) > 3 {\n    %acc = %acc + %s\n  }\n  store_tile %acc, %tc\n", true},
    {"  store_tile %acc, %tc\n  store_tile %acc, %td\n", false}, // D may have more rows
    {"  %t = transpose %acc [1, 0]\n  store_tile %t, %tc\n", false},
    {"  %m = reduction <add> %acc [0]\n  %x = %acc + %m\n  store_tile %x, %tc\n", false},
};

TEST(NeededRowsTest, AreThoseOfTheOnlyStore) {
  for (const Case &each : kCases) {
    TextKernel kernel(product(each.behind));
    ASSERT_TRUE(kernel) << each.behind;
    NeededRows needed = findNeededRows(kernel.kernel(), {});
    size_t products = 0;
    walk(kernel.kernel().body, [&](Op &op) {
      if (op.kind() != OpKind::TileMma) return;
      ++products;
      EXPECT_EQ(needed.boundOf(op.result()) != nullptr, each.bounded) << each.behind;
      EXPECT_EQ(needed.boundOf(op.operand(0)) != nullptr, each.bounded) << each.behind;
      EXPECT_FALSE(needed.boundOf(op.operand(1))) << each.behind;
    });
    EXPECT_EQ(products, 1u);
  }
}

TEST(NeededRowsTest, GiveTheSameResults) {
  for (const Case &each : kCases) {
    TextKernel kernel(product(each.behind));
    ASSERT_TRUE(kernel);
    for (int64_t rows : {1, 16, 33, 64, 71}) {
      Array a(Elem::F32, {rows, 50}), b(Elem::F32, {50, 70}), c(Elem::F32, {rows, 70}), d(Elem::F32, {80, 70});
      RandomNumbers random(9);
      for (Array *array : {&a, &b, &c, &d}) random.fill(*array, true);
      kernel.expectAsInterpreter({&a, &b, &c, &d}, {}, 2);
    }
  }
}

} // namespace
} // namespace xt
