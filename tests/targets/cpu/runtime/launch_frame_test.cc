#include "targets/cpu/runtime/launch_frame.h"

#include "targets/cpu/runtime/launch_division.h"

#include "ir/elem_kinds.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

LaunchArg viewAt(float *first, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
  LaunchArg arg;
  arg.kind = LaunchArg::Kind::Buffer;
  arg.buffer = {first, Elem::F32, std::move(sizes), std::move(strides)};
  return arg;
}

TEST(LaunchFrame, SaysWhichArraysAreApart) {
  TextKernel text("kernel @k(%A: memref<?x?xf32, strided<[?, ?]>>, %n: index, %B: memref<?x?xf32, strided<[?, ?]>>) {\n}\n");
  ASSERT_TRUE(text);
  std::vector<float> memory(1000);
  const LaunchArg a = viewAt(memory.data() + 100, {3, 10}, {20, 1}); // elements 100 to 149
  struct {
    int64_t first;
    std::vector<int64_t> sizes, strides;
    bool apart;
  } const others[] = {
      {150, {4, 4}, {4, 1}, true},    // side by side
      {149, {4, 4}, {4, 1}, false},   // one element in common
      {84, {4, 4}, {4, 1}, true},     {85, {4, 4}, {4, 1}, false},
      {110, {3, 10}, {20, 1}, false}, // in the gaps between rows, but whole ranges are compared
      {0, {10, 10}, {1, 11}, false},  // the columns are far apart
      {0, {0, 10}, {1000, 1}, true},  {100, {0, 10}, {1000, 1}, false},
  };
  for (const auto &other : others) {
    LaunchArg number;
    std::vector<LaunchArg> args{a, number, viewAt(memory.data() + other.first, other.sizes, other.strides)};
    Result<LaunchFrame> frame = makeFrame(text.kernel(), args, {});
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    EXPECT_EQ(frame->words[frame->runtime + kApartWord], other.apart ? uint64_t{1} << *apartBit(0, 1) : 0) << other.first;
  }
}

TEST(LaunchFrame, IsMadeAnewForAnotherLaunch) {
  TextKernel text("kernel @k(%x: f64, %A: memref<?x?xf32, strided<[?, ?]>>) {\n}\n");
  ASSERT_TRUE(text);
  std::vector<float> memory(100);
  LaunchArg x;
  x.kind = LaunchArg::Kind::Float;
  x.number = 0.0;
  x.integer = 3;
  const LaunchArg a = viewAt(memory.data(), {3, 10}, {10, 1});
  LaunchArg integer = x, negative = x, later = a, narrow = a, apart = a, bytes = a;
  integer.kind = LaunchArg::Kind::Int;
  negative.number = -0.0;
  later.buffer.data = memory.data() + 1;
  narrow.buffer.sizes[1] = 9;
  apart.buffer.strides[0] = 11;
  bytes.buffer.elem = Elem::I8;
  LastFrame last;
  int code = 0;
  auto words = [&](const void *of, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) {
    Result<LaunchFrame *> kept = last.of(of, text.kernel(), args, grid);
    Result<LaunchFrame> made = makeFrame(text.kernel(), args, grid);
    EXPECT_EQ(kept.ok(), made.ok());
    if (!kept || !made) return std::vector<uint64_t>{};
    EXPECT_EQ((*kept)->workgroups, made->workgroups);
    EXPECT_EQ((*kept)->words, made->words);
    return (*kept)->words;
  };
  auto after = [&](const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid) {
    auto first = words(&code, {x, a}, {});
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(words(&code, {x, a}, {}), first);
    return words(&code, args, grid) != first;
  };
  EXPECT_TRUE(after({negative, a}, {}));
  EXPECT_TRUE(after({integer, a}, {}));
  EXPECT_TRUE(after({x, later}, {}));
  EXPECT_TRUE(after({x, narrow}, {}));
  EXPECT_TRUE(after({x, apart}, {}));
  EXPECT_TRUE(after({x, a}, {{0, 1, 2}}));
  EXPECT_TRUE(after({x, bytes}, {})); // the argument does not fit its type
  EXPECT_TRUE(after({x}, {}));
}

TEST(LaunchFrame, IsMadeAnewForAnotherKernelOrNumber) {
  TextKernel narrow("kernel @k(%x: f32, %n: index) {\n}\n"), wide("kernel @k(%x: f64, %n: index) {\n}\n");
  ASSERT_TRUE(narrow && wide);
  LaunchArg x, n;
  x.kind = LaunchArg::Kind::Float;
  x.number = 1;
  n.integer = 5;
  LaunchArg other = n;
  other.integer = 6;
  LastFrame last;
  int codes[2] = {};
  auto words = [&](int code, TextKernel &text, std::vector<LaunchArg> args) {
    return (*last.of(&codes[code], text.kernel(), args, {}))->words;
  };
  const auto first = words(0, narrow, {x, n});
  EXPECT_NE(words(0, narrow, {x, other}), first);
  EXPECT_EQ(words(0, narrow, {x, n}), first);
  EXPECT_NE(words(1, wide, {x, n}), first);
}

TEST(LaunchFrame, SaysHowMuchWorkThereIs) {
  TextKernel text("kernel @k(%n: index) grid (%i = 0 to 37 step 128, %j = 0 to %n step 512) {\n}\n");
  ASSERT_TRUE(text);
  auto work = [&](int64_t n) {
    std::vector<LaunchArg> args{intArg(n)};
    Result<LaunchFrame> frame = makeFrame(text.kernel(), args, *computeGrid(text.kernel(), args));
    return frame.ok() ? frame->work : -1;
  };
  EXPECT_EQ(work(1024), 2);
  EXPECT_EQ(work(1024 + 128), 2.25);
  EXPECT_EQ(work(1025), 2 + 1.0 / 512);
  EXPECT_EQ(work(100), 1); // all workgroups have the same size, so each counts as 1
  EXPECT_EQ(work(0), 0);
}

TEST(SharingPeriod, IsTheDistanceOfThoseThatShare) {
  const std::vector<GridRange> grid{{0, 1, 3}, {0, 1, 5}, {0, 1, 7}};
  EXPECT_EQ(sharingPeriod(grid, {false, false, true}, 1), 7); // panels depend on the columns of a product
  EXPECT_EQ(sharingPeriod(grid, {true, false, true}, 1), 7);  // panels depend on the columns of several products
  EXPECT_EQ(sharingPeriod(grid, {true, false, true}, 2), 14); // the same in two parts
  EXPECT_EQ(sharingPeriod(grid, {false, true, true}, 1), 35);
  EXPECT_EQ(sharingPeriod(grid, {true, true, false}, 1), 105); // neighbouring workgroups share panels
  EXPECT_EQ(sharingPeriod(grid, {true, false, false}, 1), 105);
  EXPECT_EQ(sharingPeriod(grid, {true, true, true}, 2), 0);
  EXPECT_EQ(sharingPeriod(std::vector<GridRange>{{0, 1, 1}, {0, 1, 5}}, {false, true}, 1), 0);
  EXPECT_EQ(sharingPeriod(grid, {}, 2), 0);
}

// Tests the smallest number of parts that gives all threads the same work.
TEST(PartsOf, FewWorkgroups) {
  EXPECT_EQ(partsOf(1, 8, 1, false), 1); // one thread
  EXPECT_EQ(partsOf(1, 8, 2, false), 2);
  EXPECT_EQ(partsOf(2, 8, 2, false), 1);
  EXPECT_EQ(partsOf(3, 8, 2, false), 2); // each thread does three halves, instead of one thread two whole ones
  EXPECT_EQ(partsOf(5, 4, 2, false), 2);
  EXPECT_EQ(partsOf(1, 8, 16, false), 8); // the maximum
  EXPECT_EQ(partsOf(10, 16, 16, false), 3); // each thread does two thirds, instead of a whole one
  EXPECT_EQ(partsOf(1, 1, 4, false), 1);
  EXPECT_EQ(partsOf(0, 8, 4, false), 1);
  EXPECT_EQ(partsOf(1.1, 8, 2, false), 2); // one whole workgroup and a small one
  EXPECT_EQ(partsOf(2.2, 8, 2, false), 1);
  EXPECT_EQ(partsOf(4.34, 4, 2, false), 1);
  EXPECT_EQ(partsOf(4.34, 4, 2, true), 2); // both threads share the rest
  EXPECT_EQ(partsOf(8, 8, 2, false), 1); // there are enough workgroups to balance threads of different speed
  EXPECT_EQ(partsOf(7, 8, 2, false), 2);
}

} // namespace
} // namespace xt
