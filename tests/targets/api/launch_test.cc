// Tests launches through libxt: results, layouts of arrays, grids, prints, and what fails at run time.
#include "tests/effort.h"
#include "tests/shell.h"
#include "tests/targets/api/api.h"

#include <numeric>
#include <thread>
#include <unistd.h>

namespace xt::test {
namespace {

std::vector<float> counted(size_t count) {
  std::vector<float> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  return numbers;
}

TEST_F(Api, LaunchesOnTheCallersMemory) {
  for (const char *target : {"cpu", "interp"}) {
    xt_kernel *kernel = kernelOf(kScale, "scale", target);
    std::vector<float> x = counted(35 * 70), y(x.size());
    Array arrayX(x, XT_F32, {35, 70}), arrayY(y, XT_F32, {35, 70});
    ASSERT_EQ(launch(kernel, {arrayX.get(), arrayY.get(), number(0.5)}), XT_OK) << message();
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] * 0.5f) << target << " at " << i;
  }
}

// Its driver is found beside libxt, wherever the program is.
TEST_F(Api, LaunchesOnTheSoftwareGpu) {
  if (std::string why = whyNoSoftwareGpu(); !why.empty()) GTEST_SKIP() << why;
  xt_compile_options options = textOptions(kScale);
  options.target = "xe-pvc";
  options.device = "soft";
  program_ = compile(options);
  ASSERT_EQ(status_, XT_OK) << message();
  std::vector<float> x = counted(35 * 70), y(x.size());
  Array arrayX(x, XT_F32, {35, 70}), arrayY(y, XT_F32, {35, 70});
  ASSERT_EQ(launch(xt_program_kernel_at(program_.get(), 0), {arrayX.get(), arrayY.get(), number(0.5)}), XT_OK) << message();
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] * 0.5f) << i;
  // One array begins where the other one ends.
  std::vector<float> both = counted(2 * 32 * 64);
  for (bool backwards : {false, true}) {
    Array first(both, XT_F32, {32, 64}), second(both, XT_F32, {32, 64});
    second.argument.data = both.data() + 32 * 64;
    if (backwards) std::swap(first.argument.data, second.argument.data);
    ASSERT_EQ(launch(xt_program_kernel_at(program_.get(), 0), {first.get(), second.get(), number(3)}), XT_OK) << message();
    const auto *from = static_cast<float *>(first.argument.data), *to = static_cast<float *>(second.argument.data);
    for (size_t i = 0; i < both.size() / 2; ++i) ASSERT_EQ(to[i], from[i] * 3) << i;
  }
}

TEST_F(Api, RowsMayBeApart) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  std::vector<float> x = counted(20 * 100), y(20 * 80, -1.0f);
  Array arrayX(x, XT_F32, {20, 70}, {100, 1}), arrayY(y, XT_F32, {20, 70}, {80, 1});
  ASSERT_EQ(launch(kernel, {arrayX.get(), arrayY.get(), number(2)}), XT_OK) << message();
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 80; ++j) ASSERT_EQ(y[i * 80 + j], j < 70 ? x[i * 100 + j] * 2 : -1.0f) << i << ", " << j;
}

TEST_F(Api, EmptyArraysNeedNoMemory) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  std::vector<float> none;
  Array empty(none, XT_F32, {0, 70});
  empty.argument.data = nullptr;
  EXPECT_EQ(launch(kernel, {empty.get(), empty.get(), number(2)}), XT_OK) << message();
}

TEST_F(Api, PreparedLaunchesReadTheMemoryOfEachRun) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  std::vector<float> x = counted(16 * 64), y(x.size());
  Array arrayX(x, XT_F32, {16, 64}), arrayY(y, XT_F32, {16, 64});
  xt_argument arguments[] = {arrayX.get(), arrayY.get(), integer(3)};
  xt_prepared *made = nullptr;
  ASSERT_EQ(xt_prepare(kernel, arguments, 3, nullptr, &made, &error_), XT_OK) << message();
  Owned<xt_prepared> prepared(made);
  arrayX.shape = arrayY.shape = {}; // the arguments have been copied
  program_.reset();                 // what is needed of it stays
  context_.reset();
  for (float factor : {1.0f, 5.0f}) {
    for (float &number : x) number *= factor;
    ASSERT_EQ(xt_prepared_run(prepared.get(), &error_), XT_OK) << message();
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] * 3) << i;
  }
}

constexpr const char *kNumberGroups = R"(kernel @groups(%N: memref<?x?xi32>) {
  %x = block_id x
  %y = block_id y
  %n = index_cast(%y * 10 + %x) : i32
  memref.store %n, %N[%y, %x]
}
)";

TEST_F(Api, LaunchesGiveTheGrid) {
  xt_kernel *kernel = kernelOf(kNumberGroups, "groups");
  EXPECT_EQ(xt_kernel_describe(kernel)->grid_rank, 0);
  std::vector<int32_t> numbers(2 * 3, -1);
  Array array(numbers, XT_I32, {2, 3});
  xt_launch_options options = XT_INIT(xt_launch_options);
  options.grid_rank = 2;
  options.grid[0] = 3;
  options.grid[1] = 2;
  ASSERT_EQ(launch(kernel, {array.get()}, &options), XT_OK) << message();
  EXPECT_EQ(numbers, (std::vector<int32_t>{0, 1, 2, 10, 11, 12}));
  options.grid[1] = -1;
  EXPECT_EQ(launch(kernel, {array.get()}, &options), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "options.grid");
  options.grid[0] = options.grid[1] = int64_t{1} << 30;
  EXPECT_EQ(launch(kernel, {array.get()}, &options), XT_INVALID_ARGUMENT);
  options.grid_rank = 4;
  EXPECT_EQ(launch(kernel, {array.get()}, &options), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "options.grid_rank");
}

TEST_F(Api, AGridForAKernelThatHasOneIsRefused) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  std::vector<float> x(16);
  Array array(x, XT_F32, {4, 4});
  xt_launch_options options = XT_INIT(xt_launch_options);
  options.grid_rank = 1;
  options.grid[0] = 1;
  EXPECT_EQ(launch(kernel, {array.get(), array.get(), number(1)}, &options), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "options.grid");
}

TEST_F(Api, PrintsGoToTheCallback) {
  std::string printed;
  std::string text = "kernel @say(%n: i32) {\n  print \"n\", %n\n}\n";
  xt_compile_options options = textOptions(text);
  options.print = [](void *user, const char *line, size_t bytes) { static_cast<std::string *>(user)->append(line, bytes); };
  options.print_user = &printed;
  Owned<xt_program> program = compile(options);
  ASSERT_TRUE(program) << message();
  ASSERT_EQ(launch(xt_program_kernel_at(program.get(), 0), {integer(42)}), XT_OK) << message();
  EXPECT_NE(printed.find("n: 42"), std::string::npos) << printed;
}

TEST_F(Api, FailedAssertsSayWhere) {
  xt_kernel *kernel = kernelOf("kernel @k(%n: i32) {\n  assert (%n > 3), \"n is small\"\n}\n", "k");
  EXPECT_EQ(launch(kernel, {integer(4)}), XT_OK) << message();
  EXPECT_EQ(launch(kernel, {integer(3)}), XT_KERNEL_FAILED);
  EXPECT_EQ(message().substr(0, 10), "test.xt:2:") << message();
  EXPECT_NE(message().find("n is small"), std::string::npos) << message();
}

TEST_F(Api, AWildAddressIsAnError) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  std::vector<float> y(16 * 64);
  Array wild(y, XT_F32, {16, 64}), arrayY(y, XT_F32, {16, 64});
  wild.argument.data = reinterpret_cast<void *>(uintptr_t{4096});
  EXPECT_EQ(launch(kernel, {wild.get(), arrayY.get(), number(1)}), XT_ENVIRONMENT);
  EXPECT_NE(message().find("invalid address"), std::string::npos) << message();
  std::vector<float> x = counted(y.size());
  Array arrayX(x, XT_F32, {16, 64});
  EXPECT_EQ(launch(kernel, {arrayX.get(), arrayY.get(), number(1)}), XT_OK) << "the next launch is not affected";
  EXPECT_EQ(y, x);
}

TEST_F(Api, EightThreadsLaunchAtOnce) {
  xt_kernel *kernel = kernelOf(kScale, "scale");
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      std::vector<float> x = counted(33 * 65), y(x.size());
      Array arrayX(x, XT_F32, {33, 65}), arrayY(y, XT_F32, {33, 65});
      xt_error error = XT_INIT(xt_error);
      for (int round = 0; round < 20; ++round) {
        xt_argument arguments[] = {arrayX.get(), arrayY.get(), number(static_cast<double>(t))};
        wrong[t] += xt_launch(kernel, arguments, 3, nullptr, &error) != XT_OK;
        for (size_t i = 0; i < x.size(); ++i) wrong[t] += y[i] != x[i] * static_cast<float>(t);
      }
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST_F(Api, ThreadsCompileLaunchAndFreeAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      std::string text = kScale;
      xt_compile_options options = textOptions(text);
      xt_error error = XT_INIT(xt_error);
      xt_program *program = nullptr;
      wrong[t] += xt_compile(context_.get(), &options, &program, nullptr, &error) != XT_OK;
      std::vector<float> x = counted(16 * 64), y(x.size());
      Array arrayX(x, XT_F32, {16, 64}), arrayY(y, XT_F32, {16, 64});
      xt_argument arguments[] = {arrayX.get(), arrayY.get(), number(2)};
      xt_prepared *prepared = nullptr;
      wrong[t] += xt_prepare(xt_program_kernel_at(program, 0), arguments, 3, nullptr, &prepared, &error) != XT_OK;
      wrong[t] += xt_prepared_run(prepared, &error) != XT_OK;
      xt_program_free(program);
      xt_prepared_free(prepared);
      for (size_t i = 0; i < x.size(); ++i) wrong[t] += y[i] != x[i] * 2;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

} // namespace
} // namespace xt::test
