#include "targets/cpu/launch_frame.h"

#include "targets/cpu/kernel_emitter.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

constexpr size_t kApartWord = kGridWords + 3;

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
  const LaunchArg a = viewAt(memory.data() + 100, {3, 10}, {20, 1}); // 100 … 149
  struct {
    int64_t first;
    std::vector<int64_t> sizes, strides;
    bool apart;
  } const others[] = {
      {150, {4, 4}, {4, 1}, true},    // side by side
      {149, {4, 4}, {4, 1}, false},   // one element in common
      {84, {4, 4}, {4, 1}, true},     {85, {4, 4}, {4, 1}, false},
      {110, {3, 10}, {20, 1}, false}, // in the gaps between rows: only all of an array counts
      {0, {10, 10}, {1, 11}, false},  // columns far apart
      {0, {0, 10}, {1000, 1}, true},  {100, {0, 10}, {1000, 1}, false},
  };
  for (const auto &other : others) {
    LaunchArg number;
    std::vector<LaunchArg> args{a, number, viewAt(memory.data() + other.first, other.sizes, other.strides)};
    Result<LaunchFrame> frame = makeFrame(text.kernel(), args, {});
    ASSERT_TRUE(frame.ok()) << frame.error().message;
    EXPECT_EQ(frame->words[kApartWord], other.apart ? uint64_t{1} << *apartBit(0, 1) : 0) << other.first;
  }
}

} // namespace
} // namespace xt
