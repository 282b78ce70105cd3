// Tests that a nest that several threads share, or that skips products, has the same result as the loop.
#include "ir/elem_kinds.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

constexpr const char *kSignature = "kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>";

// Returns a loop that adds the product of A and B to %acc, which is `size` by `size`.
std::string product(int size) {
  std::string extent = std::to_string(size);
  return "  %ta  = init_tile %A[0, 0] -> tile<" + extent + "x32xf32>\n  %tb  = init_tile %B[0, 0] -> tile<32x" + extent +
         R"(xf32>
  for %k = 0 to dim(%A, 1) step 32 {
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
    %ta  = update_tile_offset %ta, 0, 32
    %tb  = update_tile_offset %tb, 32, 0
  }
)";
}

// Returns a kernel that stores a product to C, of 256x256. `before` is code that reads before the store; `sum` is the value
// that is stored.
std::string kernelText(const std::string &before, const std::string &sum, const std::string &parameters = "") {
  return kSignature + parameters + ") {\n" + before + "  %acc = constant 0.0 : vector<256x256xf32>\n" + product(256) +
         "  %to  = init_tile %C[0, 0] -> tile<256x256xf32>\n  %sum = " + sum + "\n  store_tile %sum, %to\n}\n";
}

struct Matrices {
  Array a{Elem::F32, {256, 70}}, b{Elem::F32, {70, 256}}, c{Elem::F32, {256, 256}}, d{Elem::F32, {256, 256}};
  Matrices() {
    RandomNumbers random(7);
    for (Array *array : {&a, &b, &c, &d}) random.fill(*array, true);
  }
};

TEST(NestParts, ReadWhatIsOverwritten) {
  const std::string tile = "  %tc = init_tile %C[0, 0] -> tile<256x256xf32>\n";
  const std::pair<std::string, std::string> kernels[] = {
      {"  %s = memref.load %C[0, 0]\n", "(%acc + %s)"},
      {tile + "  %old = load_tile %tc {transpose = [1, 0]}\n", "(%acc + %old)"},
      {tile + "  %old = load_tile %tc\n  %r = reduction <add> %old [1]\n  %w = broadcast %r [1] -> vector<256x256xf32>\n",
       "(%acc + %w)"},
  };
  for (const auto &[before, sum] : kernels) {
    TextKernel kernel(kernelText(before, sum));
    for (int round = 0; round < 5; ++round) { // the order of the threads is random
      Matrices m;
      kernel.expectAsInterpreter({&m.a, &m.b, &m.c}, {}, 4);
    }
  }
}

// Another parameter refers to the same memory, which only the launch can detect.
TEST(NestParts, ReadWhatAnotherParameterOverwrites) {
  TextKernel kernel(kernelText("  %td = init_tile %D[0, 0] -> tile<256x256xf32>\n  %old = load_tile %td {transpose = [1, 0]}\n",
                               "(%acc + %old)", ", %D: memref<?x?xf32>"));
  Matrices apart;
  kernel.expectAsInterpreter({&apart.a, &apart.b, &apart.c, &apart.d}, {}, 4);
  for (int round = 0; round < 5; ++round) {
    Matrices got, expected;
    auto outcome = kernel.launch({&got.a, &got.b, &got.c, &got.c}, {}, 4);
    ASSERT_TRUE(outcome.ok) << outcome.error.message;
    ASSERT_TRUE(
        interpret(kernel.kernel(), {expected.a.arg(), expected.b.arg(), expected.c.arg(), expected.c.arg()}, {}, {}).ok());
    EXPECT_EQ(difference(got.c, expected.c, {}), "");
  }
}

// Beyond the end of both matrices, 0 * 0 is added to -0.
TEST(NestParts, WhatIsLeftOutAddsZeros) {
  TextKernel kernel(kSignature + std::string(") {\n  %tc  = init_tile %C[0, 0] -> tile<64x64xf32>\n  %acc = load_tile %tc\n") +
                    product(64) + "  store_tile %acc, %tc\n}\n");
  for (int64_t depth : {1, 31, 32, 33}) {
    Array a(Elem::F32, {64, depth}), b(Elem::F32, {depth, 64}), c(Elem::F32, {64, 64});
    a.forEach([&](const std::vector<int64_t> &at) { a.set(at, -1); }); // its products with the zeros of B are -0
    c.forEach([&](const std::vector<int64_t> &at) { c.set(at, at[0] % 2 ? -0.0 : 3); });
    kernel.expectAsInterpreter({&a, &b, &c});
  }
}

} // namespace
} // namespace xt
