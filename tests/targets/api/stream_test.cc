// Tests streams, events, memory of the device, and launches and compilations that are stopped.
#include "tests/targets/api/api.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace xt::test {
namespace {

constexpr size_t kRows = 64, kColumns = 128, kBytes = kRows * kColumns * sizeof(float);

// Calls work(t) on four threads at once; each has to return true.
template <class Work> void onThreads(const Work &work) {
  constexpr int kThreads = 4;
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      if (!work(t)) ++wrong;
    });
  for (std::thread &thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

class Streams : public Api {
protected:
  // Compiles kScale for a target.
  void compileScale(const char *target, const char *device = nullptr) {
    xt_compile_options options = textOptions(kScale);
    options.target = target;
    options.device = device;
    program_ = compile(options);
    ASSERT_EQ(status_, XT_OK) << message();
    kernel_ = xt_program_kernel_at(program_.get(), 0);
  }
  Owned<xt_stream> stream() {
    xt_stream *made = nullptr;
    EXPECT_EQ(xt_stream_create(context_.get(), &made, &error_), XT_OK) << message();
    return Owned<xt_stream>(made);
  }
  Owned<xt_event> record(xt_stream *of) {
    xt_event *made = nullptr;
    EXPECT_EQ(xt_stream_record(of, &made, &error_), XT_OK) << message();
    return Owned<xt_event>(made);
  }
  xt_argument inBuffer(xt_buffer *buffer) {
    Array array(from_, XT_F32, {});
    array.argument.data = xt_buffer_data(buffer);
    array.argument.rank = 2;
    array.argument.shape = shape_;
    return array.argument;
  }
  Owned<xt_prepared> scaleBy(double factor, xt_buffer *from, xt_buffer *to, const xt_launch_options *options = nullptr) {
    return prepare(kernel_, {inBuffer(from), inBuffer(to), number(factor)}, options);
  }
  void runsInOrder();

  xt_kernel *kernel_ = nullptr;
  const int64_t shape_[2] = {kRows, kColumns};
  std::vector<float> from_ = std::vector<float>(kRows * kColumns), to_ = std::vector<float>(kRows * kColumns, -1.0f);
};

void Streams::runsInOrder() {
  std::iota(from_.begin(), from_.end(), 1.0f);
  Owned<xt_buffer> a = buffer(kBytes), b = buffer(kBytes);
  EXPECT_EQ(xt_buffer_bytes(a.get()), kBytes);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(xt_buffer_data(a.get())) % 64, 0u);
  Owned<xt_prepared> there = scaleBy(2, a.get(), b.get()), back = scaleBy(3, b.get(), a.get());
  Owned<xt_stream> of = stream();
  ASSERT_EQ(xt_stream_write(of.get(), a.get(), 0, from_.data(), kBytes, &error_), XT_OK) << message();
  Owned<xt_event> begun = record(of.get());
  for (int i = 0; i < 3; ++i)
    for (xt_prepared *launch : {there.get(), back.get()})
      ASSERT_EQ(xt_stream_run(of.get(), launch, &error_), XT_OK) << message();
  ASSERT_EQ(xt_stream_read(of.get(), a.get(), 0, to_.data(), kBytes, &error_), XT_OK) << message();
  Owned<xt_event> ended = record(of.get());
  there.reset(), back.reset(); // what the work needs stays
  ASSERT_EQ(xt_event_wait(ended.get(), &error_), XT_OK) << message();
  EXPECT_EQ(xt_event_done(ended.get()), 1);
  double seconds = -1;
  ASSERT_EQ(xt_event_seconds(begun.get(), ended.get(), &seconds, &error_), XT_OK) << message();
  EXPECT_GE(seconds, 0);
  ASSERT_EQ(xt_stream_finish(of.get(), &error_), XT_OK) << message();
  for (size_t i = 0; i < to_.size(); ++i) ASSERT_EQ(to_[i], from_[i] * 216) << i;
}

TEST_F(Streams, RunInOrderOnTheCpu) {
  for (const char *target : {"cpu", "interp"}) {
    compileScale(target);
    runsInOrder();
  }
}

TEST_F(Streams, RunInOrderOnTheSoftwareGpu) {
  if (std::string why = whyNoSoftwareGpu(); !why.empty()) GTEST_SKIP() << why;
  compileScale("xe-pvc", "soft");
  runsInOrder();
}

// The thread of a stream is not in the child, where launches work, and streams that the child makes.
TEST_F(Streams, ChildrenOfForkMakeTheirOwn) {
  if (kSanitized) GTEST_SKIP() << "sanitizers refuse threads of a child of a process with threads";
  compileScale("cpu");
  Owned<xt_stream> before = stream();
  runsInOrder();
  const pid_t child = fork();
  if (child == 0) {
    alarm(120); // for a child that hangs
    bool refused = xt_stream_finish(before.get(), &error_) == XT_INVALID_ARGUMENT;
    runsInOrder();
    before.reset(); // whose thread may have the handle of one that was started meanwhile
    runsInOrder();
    _exit(refused && !HasFailure() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Streams, ManyStreamsOfManyThreads) {
  compileScale("cpu");
  onThreads([&](int t) {
    xt_error error = XT_INIT(xt_error);
    xt_stream *made = nullptr;
    std::vector<float> in(kRows * kColumns, static_cast<float>(t)), out(in.size());
    Array x(in, XT_F32, {kRows, kColumns}), y(out, XT_F32, {kRows, kColumns});
    xt_argument arguments[] = {x.get(), y.get(), number(2)};
    xt_prepared *prepared = nullptr;
    bool good = xt_stream_create(context_.get(), &made, &error) == XT_OK &&
                xt_prepare(kernel_, arguments, 3, nullptr, &prepared, &error) == XT_OK;
    Owned<xt_stream> of(made);
    Owned<xt_prepared> launch(prepared);
    for (int i = 0; i < 10 && good; ++i) good = xt_stream_run(of.get(), launch.get(), &error) == XT_OK;
    good = good && xt_stream_finish(of.get(), &error) == XT_OK && out.back() == static_cast<float>(2 * t);
    return good;
  });
}

// Programs share one software device for NVIDIA's GPUs, which needs nothing else of the machine.
TEST_F(Streams, ManyProgramsOnOneDevice) {
  onThreads([&](int t) {
    xt_error error = XT_INIT(xt_error);
    xt_compile_options options = textOptions(kScale);
    options.target = "nv-sm80";
    options.device = "soft";
    xt_program *made = nullptr;
    bool good = xt_compile(context_.get(), &options, &made, nullptr, &error) == XT_OK;
    Owned<xt_program> program(made);
    xt_buffer *a = nullptr, *b = nullptr;
    good = good && xt_buffer_create(made, kBytes, &a, &error) == XT_OK && xt_buffer_create(made, kBytes, &b, &error) == XT_OK;
    Owned<xt_buffer> from(a), to(b);
    std::vector<float> in(kRows * kColumns, static_cast<float>(t)), out(in.size());
    xt_argument arguments[] = {inBuffer(a), inBuffer(b), number(2)};
    int32_t sees = 0;
    good = good && xt_program_sees(made, xt_buffer_data(a), &sees, &error) == XT_OK && sees == 1;
    good = good && xt_program_sees(made, in.data(), &sees, &error) == XT_OK && sees == 0;
    good = good && xt_buffer_write(a, 0, in.data(), kBytes, &error) == XT_OK &&
           xt_launch(xt_program_kernel_at(made, 0), arguments, 3, nullptr, &error) == XT_OK &&
           xt_buffer_read(b, 0, out.data(), kBytes, &error) == XT_OK;
    return good && out == std::vector<float>(out.size(), static_cast<float>(2 * t));
  });
}

TEST_F(Streams, WorkThatUsesItsOwnStream) {
  struct Printed {
    xt_stream *stream = nullptr;
    xt_status finished = XT_OK;
    std::atomic<bool> freed = false;
  } printed;
  xt_compile_options options = textOptions("kernel @say(%n: i32) {\n  print \"n\", %n\n}\n");
  options.print_user = &printed;
  options.print = [](void *user, const char *, size_t) {
    auto *of = static_cast<Printed *>(user);
    if (of->freed) return;
    of->finished = xt_stream_finish(of->stream, nullptr);
    xt_stream_free(of->stream);
    of->freed = true;
  };
  program_ = compile(options);
  ASSERT_EQ(status_, XT_OK) << message();
  Owned<xt_prepared> say = prepare(xt_program_kernel_at(program_.get(), 0), {integer(1)});
  Owned<xt_stream> of = stream();
  printed.stream = of.release(); // freed by its own work
  ASSERT_EQ(xt_stream_run(printed.stream, say.get(), &error_), XT_OK);
  while (!printed.freed) std::this_thread::yield();
  EXPECT_EQ(xt_prepared_run(say.get(), &error_), XT_OK) << message(); // waits for the end of the first launch
  EXPECT_EQ(printed.finished, XT_INVALID_ARGUMENT);
}

TEST_F(Streams, OneWaitsForAnEventOfAnother) {
  compileScale("cpu");
  from_.assign(from_.size(), 1);
  Owned<xt_buffer> a = buffer(kBytes), b = buffer(kBytes), c = buffer(kBytes);
  ASSERT_EQ(xt_buffer_write(a.get(), 0, from_.data(), kBytes, &error_), XT_OK) << message();
  Owned<xt_prepared> first = scaleBy(5, a.get(), b.get()), second = scaleBy(7, b.get(), c.get());
  for (int round = 0; round < 20; ++round) {
    Owned<xt_stream> one = stream(), two = stream();
    ASSERT_EQ(xt_stream_run(one.get(), first.get(), &error_), XT_OK);
    Owned<xt_event> written = record(one.get());
    ASSERT_EQ(xt_stream_wait(two.get(), written.get(), &error_), XT_OK);
    written.reset();
    ASSERT_EQ(xt_stream_run(two.get(), second.get(), &error_), XT_OK);
    two.reset(); // waits
    ASSERT_EQ(xt_buffer_read(c.get(), 0, to_.data(), kBytes, &error_), XT_OK) << message();
    ASSERT_EQ(to_, std::vector<float>(to_.size(), 35.0f));
  }
}

TEST_F(Streams, WorkAfterAFailureIsLeftOutUntilItIsReported) {
  program_ = compileText("kernel @check(%n: i32) {\n  assert (%n > 0), \"not positive\"\n}\n"
                         "kernel @set(%A: memref<1xi32>, %n: i32) {\n  memref.store %n, %A[0]\n}\n");
  ASSERT_EQ(status_, XT_OK) << message();
  std::vector<int32_t> cell = {0};
  Array array(cell, XT_I32, {1});
  xt_kernel *check = xt_program_kernel_at(program_.get(), 0), *set = xt_program_kernel_at(program_.get(), 1);
  Owned<xt_prepared> fails = prepare(check, {integer(-1)}), sets = prepare(set, {array.get(), integer(9)});
  Owned<xt_stream> of = stream();
  for (xt_prepared *work : {fails.get(), sets.get(), fails.get()}) ASSERT_EQ(xt_stream_run(of.get(), work, &error_), XT_OK);
  Owned<xt_event> ended = record(of.get());
  EXPECT_EQ(xt_event_wait(ended.get(), &error_), XT_OK) << "events are reached in any case";
  EXPECT_EQ(xt_stream_finish(of.get(), &error_), XT_KERNEL_FAILED);
  EXPECT_NE(message().find("not positive"), std::string::npos) << message();
  EXPECT_EQ(cell[0], 0);
  EXPECT_EQ(xt_stream_finish(of.get(), &error_), XT_OK) << "it has been reported";
  ASSERT_EQ(xt_stream_run(of.get(), sets.get(), &error_), XT_OK);
  EXPECT_EQ(xt_stream_finish(of.get(), &error_), XT_OK);
  EXPECT_EQ(cell[0], 9);
}

TEST_F(Streams, RangesOfBuffersAreChecked) {
  compileScale("cpu");
  Owned<xt_buffer> small = buffer(8), empty = buffer(0);
  char bytes[8] = "seven77";
  EXPECT_EQ(xt_buffer_write(small.get(), 2, bytes, 6, &error_), XT_OK);
  char back[8] = {};
  EXPECT_EQ(xt_buffer_read(small.get(), 3, back, 3, &error_), XT_OK);
  EXPECT_STREQ(back, "eve");
  EXPECT_EQ(xt_buffer_write(small.get(), 2, bytes, 7, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "bytes");
  EXPECT_EQ(xt_buffer_write(small.get(), SIZE_MAX, bytes, 2, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(xt_buffer_write(small.get(), 4, bytes, SIZE_MAX, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(xt_buffer_read(small.get(), 0, nullptr, 1, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "to");
  EXPECT_EQ(xt_buffer_write(empty.get(), 0, nullptr, 0, &error_), XT_OK) << message();
  xt_buffer *huge = nullptr;
  EXPECT_EQ(xt_buffer_create(program_.get(), SIZE_MAX, &huge, &error_), XT_ENVIRONMENT);
  EXPECT_EQ(huge, nullptr);
}

TEST_F(Streams, HandlesAreChecked) {
  compileScale("cpu");
  Owned<xt_stream> of = stream();
  EXPECT_EQ(xt_stream_run(of.get(), nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "prepared");
  EXPECT_EQ(xt_stream_create(nullptr, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "context");
  EXPECT_EQ(xt_stream_finish(reinterpret_cast<xt_stream *>(program_.get()), &error_), XT_INVALID_ARGUMENT);
  EXPECT_NE(message().find("another kind"), std::string::npos) << message();
  xt_buffer *freed = buffer(8).release();
  xt_buffer_free(freed);
  EXPECT_EQ(xt_buffer_data(freed), nullptr);
  EXPECT_EQ(xt_buffer_write(freed, 0, "", 1, &error_), XT_INVALID_ARGUMENT);
  EXPECT_NE(message().find("was freed"), std::string::npos) << message();
  Owned<xt_event> event = record(of.get());
  ASSERT_EQ(xt_event_wait(event.get(), &error_), XT_OK);
  double seconds = 0;
  EXPECT_EQ(xt_event_seconds(event.get(), nullptr, &seconds, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "to");
  EXPECT_EQ(xt_event_seconds(event.get(), event.get(), nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(xt_event_done(nullptr), 0);
}

// Each workgroup counts itself and takes some milliseconds.
constexpr const char *kSlow = R"(kernel @slow(%A: memref<?xf32>, %N: memref<1xi32>) grid (%i = 0 to dim(%A, 0) step 1) {
  %one = constant 1 : i32
  %old = memref.atomic_rmw addi %one, %N[0] : (i32, memref<1xi32>) -> i32
  %x = memref.load %A[%i]
  for %k = 0 to 1000000 step 1 {
    %x = %x * 0.5 + 1.0
  }
  memref.store %x, %A[%i]
}
)";

class Stops : public Streams {
protected:
  void SetUp() override {
    Api::SetUp();
    kernel_ = kernelOf(kSlow, "slow");
  }
  xt_launch_options options_ = XT_INIT(xt_launch_options);
  std::vector<float> numbers_ = std::vector<float>(10000);
  std::vector<int32_t> count_ = {0};
  Array array_{numbers_, XT_F32, {10000}}, counted_{count_, XT_I32, {1}};
};

TEST_F(Stops, ALaunchWhoseTimeIsOver) {
  options_.seconds = 0.05;
  EXPECT_EQ(launch(kernel_, {array_.get(), counted_.get()}, &options_), XT_STOPPED) << message();
  EXPECT_NE(message().find("@slow was stopped"), std::string::npos) << message();
  EXPECT_LT(count_[0], 10000);
  EXPECT_STREQ(xt_status_name(XT_STOPPED), "XT_STOPPED");
}

TEST_F(Stops, ALaunchThatAnotherThreadStops) {
  int32_t stop = 0;
  options_.stop = &stop;
  std::thread other([&] {
    while (std::atomic_ref(count_[0]).load() < 3) std::this_thread::yield();
    std::atomic_ref(stop).store(1);
  });
  EXPECT_EQ(launch(kernel_, {array_.get(), counted_.get()}, &options_), XT_STOPPED) << message();
  other.join();
  EXPECT_LT(count_[0], 10000);
  count_[0] = 0;
  EXPECT_EQ(launch(kernel_, {array_.get(), counted_.get()}, &options_), XT_STOPPED) << "it is stopped before it begins";
  EXPECT_EQ(count_[0], 0);
}

TEST_F(Stops, ALaunchThatIsFastEnoughIsNotStopped) {
  int32_t stop = 0;
  double seconds = -1;
  options_.stop = &stop;
  options_.seconds = 1e300;
  options_.kernel_seconds = &seconds;
  Array few(numbers_, XT_F32, {4});
  EXPECT_EQ(launch(kernel_, {few.get(), counted_.get()}, &options_), XT_OK) << message();
  EXPECT_EQ(count_[0], 4);
  EXPECT_GT(seconds, 0);
}

// Its finished workgroups have printed, and a failure counts more than the end of the time.
TEST_F(Stops, WhatFinishedPrintsAndWhatFailedIsTold) {
  std::string printed;
  const std::string text = "kernel @say(%n: i32, %N: memref<1xi32>) grid (%i = 0 to 100000 step 1) {\n"
                           "  %one = constant 1 : i32\n"
                           "  %old = memref.atomic_rmw addi %one, %N[0] : (i32, memref<1xi32>) -> i32\n"
                           "  print \"i\", %i\n  assert (%n > 0), \"not positive\"\n}\n";
  xt_compile_options compiling = textOptions(text);
  compiling.threads = 1;
  compiling.print_user = &printed;
  compiling.print = [](void *user, const char *line, size_t bytes) { static_cast<std::string *>(user)->append(line, bytes); };
  program_ = compile(compiling);
  ASSERT_EQ(status_, XT_OK) << message();
  xt_kernel *say = xt_program_kernel_at(program_.get(), 0);
  options_.seconds = 1e-3;
  double seconds = -7;
  options_.kernel_seconds = &seconds;
  xt_status status = launch(say, {integer(1), counted_.get()}, &options_);
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), count_[0]);
  EXPECT_EQ(seconds == -7, status == XT_STOPPED) << "outputs are unchanged after a failure";
  options_.seconds = 100;
  EXPECT_EQ(launch(say, {integer(-1), counted_.get()}, &options_), XT_KERNEL_FAILED) << message();
}

TEST_F(Stops, OptionsThatMakeNoSenseOrAreNotThere) {
  for (double seconds : {-1.0, std::nan("")}) {
    options_.seconds = seconds;
    EXPECT_EQ(launch(kernel_, {array_.get(), counted_.get()}, &options_), XT_INVALID_ARGUMENT);
    EXPECT_EQ(argument(), "options.seconds");
  }
  options_.seconds = 1;
  kernel_ = kernelOf(kSlow, "slow", "interp");
  EXPECT_EQ(launch(kernel_, {array_.get(), counted_.get()}, &options_), XT_UNSUPPORTED);
  EXPECT_EQ(argument(), "options.seconds");
}

TEST_F(Stops, ACompilation) {
  int32_t stop = 1;
  xt_compile_options options = textOptions(kSlow);
  options.stop = &stop;
  EXPECT_EQ(compile(options), nullptr);
  EXPECT_EQ(status_, XT_STOPPED) << message();
  stop = 0;
  EXPECT_NE(compile(options), nullptr) << message();
}

TEST_F(Stops, NativeObjectsNeedAGpuTarget) {
  int object = 0;
  xt_compile_options options = textOptions(kSlow);
  options.native_context = &object;
  EXPECT_EQ(compile(options), nullptr);
  EXPECT_EQ(argument(), "options.native_context");
  options.native_context = nullptr;
  options.native_queue = &object;
  EXPECT_EQ(compile(options), nullptr);
  EXPECT_EQ(argument(), "options.native_queue");
}

} // namespace
} // namespace xt::test
