// Tests that wrong arguments and handles are errors that name the argument, and that nothing runs then.
#include "tests/effort.h"
#include "tests/shell.h"
#include "tests/targets/api/api.h"

#include <cstring>

namespace xt::test {
namespace {

class Misuse : public Api {
protected:
  void SetUp() override {
    Api::SetUp();
    kernel_ = kernelOf(kScale, "scale");
  }
  // Launches with this in place of the argument X, or Y.
  xt_status launchX(const xt_argument &x) { return launch(kernel_, {x, y_.get(), number(1)}); }
  xt_status launchY(const xt_argument &y) { return launch(kernel_, {x_.get(), y, number(1)}); }
  void expectWrong(xt_status status, const char *name, int32_t index, const char *why) {
    EXPECT_EQ(status, XT_INVALID_ARGUMENT) << why;
    EXPECT_EQ(argument(), name) << message();
    EXPECT_EQ(error_.index, index) << message();
    EXPECT_NE(message().find(why), std::string::npos) << message();
    EXPECT_EQ(to_, std::vector<float>(to_.size(), -1.0f)) << "the kernel must not have run";
  }

  xt_kernel *kernel_ = nullptr;
  std::vector<float> from_ = std::vector<float>(64 * 64, 3.0f), to_ = std::vector<float>(64 * 64, -1.0f);
  Array x_{from_, XT_F32, {64, 64}}, y_{to_, XT_F32, {64, 64}};
};

TEST_F(Misuse, ShapesAndTypesOfArrays) {
  Array flat(from_, XT_F32, {64 * 64});
  expectWrong(launchX(flat.get()), "X", 0, "1 dimensions");
  Array doubles(from_, XT_F64, {32, 64});
  expectWrong(launchX(doubles.get()), "X", 0, "an array of f64");
  Array negative(from_, XT_F32, {-1, 64});
  expectWrong(launchX(negative.get()), "X", 0, "negative extent");
  Array columns(from_, XT_F32, {64, 64}, {1, 64});
  expectWrong(launchX(columns.get()), "X", 0, "stride");
  Array upwards(from_, XT_F32, {64, 64}, {-64, 1});
  expectWrong(launchX(upwards.get()), "X", 0, "dimension 0 has stride -64, but strides are not negative");
  Array huge(from_, XT_F32, {int64_t{1} << 40, int64_t{1} << 40});
  expectWrong(launchX(huge.get()), "X", 0, "too large");
  Array far(from_, XT_F32, {64, 64}, {int64_t{1} << 60, 1});
  expectWrong(launchX(far.get()), "X", 0, "64-bit addresses");
}

TEST_F(Misuse, StaticShapesOfArrays) {
  xt_kernel *kernel = kernelOf("kernel @k(%A: memref<4x8xf32>) {\n}\n", "k");
  Array wrong(from_, XT_F32, {4, 9});
  expectWrong(launch(kernel, {wrong.get()}), "A", 0, "4x9");
}

TEST_F(Misuse, ExtentsThatDoNotFitTogether) {
  Array few(to_, XT_F32, {32, 64});
  for (const char *grid : {"grid (%i = 0 to 1)", ""}) {
    xt_kernel *kernel = kernelOf(std::string("kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>) ") + grid +
                                     " requires (same_shape(%A, %B)) {\n  %one = constant 1.0 : f32\n"
                                     "  memref.store %one, %B[0, 0]\n}\n",
                                 "k");
    expectWrong(launch(kernel, {x_.get(), few.get()}), "", -1,
                "@k requires dim(%B, 0) == dim(%A, 0), but the sides are 32 and 64");
  }
}

TEST_F(Misuse, MembersOfArguments) {
  xt_argument bad = x_.get();
  bad.element = static_cast<xt_element>(77);
  expectWrong(launchX(bad), "X", 0, "element type 77");
  bad = x_.get();
  bad.rank = 6;
  expectWrong(launchX(bad), "X", 0, "rank is 6");
  bad = x_.get();
  bad.shape = nullptr;
  expectWrong(launchX(bad), "X", 0, "shape is NULL");
  bad = x_.get();
  bad.data = nullptr;
  expectWrong(launchX(bad), "X", 0, "without memory");
  bad = x_.get();
  bad.data = static_cast<char *>(bad.data) + 1;
  expectWrong(launchX(bad), "X", 0, "multiple of 4");
  bad = x_.get();
  bad.kind = static_cast<xt_argument_kind>(9);
  expectWrong(launchX(bad), "X", 0, "kind 9");
  expectWrong(launchX(number(1)), "X", 0, "a number");
}

TEST_F(Misuse, ArraysThatAreWritten) {
  xt_argument bad = y_.get();
  bad.read_only = 1;
  expectWrong(launchY(bad), "Y", 1, "read-only");
  Array repeated(to_, XT_F32, {64, 64}, {0, 1});
  expectWrong(launchY(repeated.get()), "Y", 1, "several of its indices");
  xt_argument readOnly = x_.get();
  readOnly.read_only = 1;
  EXPECT_EQ(launchX(readOnly), XT_OK) << "an array that is only read may be read-only";
}

TEST_F(Misuse, Scalars) {
  expectWrong(launch(kernel_, {x_.get(), y_.get(), x_.get()}), "by", 2, "an array");
  xt_kernel *kernel = kernelOf("kernel @k(%n: i8, %u: u8) {\n}\n", "k");
  expectWrong(launch(kernel, {integer(128), integer(0)}), "n", 0, "128 does not fit");
  expectWrong(launch(kernel, {integer(0), integer(-1)}), "u", 1, "-1 does not fit");
  expectWrong(launch(kernel, {number(1.5), integer(0)}), "n", 0, "1.5");
}

TEST_F(Misuse, TheNumberOfArguments) {
  EXPECT_EQ(launch(kernel_, {x_.get(), y_.get()}), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "argument_count");
  EXPECT_EQ(xt_launch(kernel_, nullptr, 3, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "arguments");
}

TEST_F(Misuse, SizesOfStructures) {
  xt_argument bad = x_.get();
  bad.size = 0;
  EXPECT_EQ(launchX(bad), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "arguments.size");
  xt_compile_options options = textOptions(kScale);
  options.size = size_t{1} << 20;
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(argument(), "options.size");
  xt_error uninitialised{}; // its size is 0: nothing may be written
  uninitialised.message[0] = 'x';
  EXPECT_EQ(xt_launch(nullptr, nullptr, 0, nullptr, &uninitialised), XT_INVALID_ARGUMENT);
  EXPECT_EQ(uninitialised.message[0], 'x');
}

TEST_F(Misuse, Null) {
  xt_program *program = nullptr;
  xt_compile_options options = textOptions(kScale);
  EXPECT_EQ(xt_compile(nullptr, &options, &program, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "context");
  EXPECT_EQ(xt_compile(context_.get(), nullptr, &program, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "options");
  EXPECT_EQ(xt_compile(context_.get(), &options, nullptr, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "program");
  options.path = nullptr;
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(argument(), "options.path");
  options = textOptions(kScale);
  options.define_count = 1;
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(argument(), "options.defines");
  options = textOptions(kScale);
  options.threads = -1;
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(argument(), "options.threads");
  EXPECT_EQ(xt_context_create(nullptr, nullptr, nullptr), XT_INVALID_ARGUMENT);
  EXPECT_EQ(xt_program_kernel(program_.get(), nullptr, &kernel_, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "name");
  EXPECT_EQ(xt_prepared_run(nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(xt_kernel_describe(nullptr), nullptr);
  EXPECT_EQ(xt_program_kernel_count(nullptr), 0u);
  EXPECT_EQ(xt_diagnostics_at(nullptr, 0), nullptr);
  xt_program_free(nullptr);
  xt_context_free(nullptr);
  xt_import_text(nullptr, "", 0);
}

TEST_F(Misuse, HandlesOfAnotherKind) {
  EXPECT_EQ(launch(reinterpret_cast<xt_kernel *>(program_.get()), {}), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "kernel");
  EXPECT_NE(message().find("another kind"), std::string::npos) << message();
  xt_program_free(reinterpret_cast<xt_program *>(kernel_));
  EXPECT_EQ(launchX(x_.get()), XT_OK) << "the kernel is still there";
}

TEST_F(Misuse, HandlesThatWereFreed) {
  xt_program *freed = program_.get();
  program_.reset();
  xt_kernel *kernel = nullptr;
  EXPECT_EQ(xt_program_kernel(freed, "scale", &kernel, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(argument(), "program");
  EXPECT_NE(message().find("was freed"), std::string::npos) << message();
  expectWrong(launchX(x_.get()), "kernel", -1, "was freed");
  xt_program_free(freed);
  EXPECT_EQ(xt_program_kernel_count(freed), 0u);
}

TEST_F(Misuse, HandlesThatWereFreedGoInTheEnd) {
  xt_argument arguments[] = {x_.get(), y_.get(), number(1)};
  for (int i = 0; i < 5000; ++i) { // more than a graveyard keeps; the address sanitizer would report one that is lost
    xt_prepared *prepared = nullptr;
    ASSERT_EQ(xt_prepare(kernel_, arguments, 3, nullptr, &prepared, &error_), XT_OK) << message();
    xt_prepared_free(prepared);
  }
}

// A program that was compiled with an earlier xt.h has shorter structures; one with a later xt.h longer ones.
TEST_F(Misuse, StructuresOfOtherVersions) {
  std::string text = kScale;
  xt_compile_options shorter = textOptions(text);
  shorter.size = offsetof(xt_compile_options, threads);
  shorter.threads = -1; // beyond the structure's end
  EXPECT_TRUE(compile(shorter)) << message();
  struct Later {
    xt_launch_options known;
    int64_t added;
  } later{XT_INIT(xt_launch_options), 0};
  later.known.size = sizeof later;
  EXPECT_EQ(launch(kernel_, {x_.get(), y_.get(), number(1)}, &later.known), XT_OK) << message();
  later.added = 1;
  EXPECT_EQ(launch(kernel_, {x_.get(), y_.get(), number(1)}, &later.known), XT_UNSUPPORTED);
  struct LaterArgument {
    xt_argument known;
    int64_t added;
  } arguments[] = {{x_.get(), 0}, {y_.get(), 0}, {number(1), 0}};
  for (LaterArgument &argument : arguments) argument.known.size = sizeof argument;
  EXPECT_EQ(xt_launch(kernel_, &arguments->known, 3, nullptr, &error_), XT_OK) << message();
  EXPECT_EQ(to_, from_);
}

TEST_F(Misuse, LongMessagesAreCutAtACharacter) {
  std::string name;
  for (int i = 0; i < 1000; ++i) name += "ä";
  xt_kernel *kernel = nullptr;
  EXPECT_EQ(xt_program_kernel(program_.get(), name.c_str(), &kernel, &error_), XT_NOT_FOUND);
  EXPECT_LT(message().size(), sizeof error_.message);
  EXPECT_EQ(message().substr(message().size() - 3), "…");
}

TEST_F(Misuse, ExceptionsOfCallbacksEndAtTheBoundary) {
  if (kSanitized) GTEST_SKIP() << "what the frames between own is lost, which the sanitizer would report";
  std::string text = "import \"other\"\n";
  xt_compile_options options = textOptions(text);
  options.read_import = [](void *, const char *, xt_import *) { return static_cast<xt_status>(std::vector<int>().at(1)); };
  EXPECT_FALSE(compile(options));
  EXPECT_EQ(status_, XT_INTERNAL);
  EXPECT_NE(message().find("an exception"), std::string::npos) << message();
}

TEST(Exports, OnlyWhatTheHeaderDeclares) {
  ShellRun run = runShell("nm -D --defined-only --extern-only " XT_BINARY_DIR "/lib/libxt.so | sed 's/.* //' | sort");
  if (run.status != 0) GTEST_SKIP() << "nm is not installed";
  ShellRun declared =
      runShell("sed -n 's/^XT_API [^(]*[ *]\\(xt_[a-z_]*\\)(.*/\\1/p' " XT_SOURCE_DIR "/targets/api/include/xt/xt.h | sort");
  EXPECT_EQ(run.output, declared.output);
  EXPECT_NE(run.output.find("xt_launch\n"), std::string::npos);
}

} // namespace
} // namespace xt::test
