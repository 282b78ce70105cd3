// Tests the C++ header over libxt.
#include <xt/xt.hpp>

#include <gtest/gtest.h>

#include <numeric>

namespace {

constexpr std::string_view kScale = R"(param $BY : f32 = 2.0
kernel @scale(%X: memref<?x?xf32>, %Y: memref<?x?xf32>)
    grid (%i = 0 to dim(%X, 0) step 16, %j = 0 to dim(%X, 1) step 64) {
  %tx = init_tile %X[%i, %j] -> tile<16x64xf32>
  %x  = load_tile %tx
  %by = constant $BY : f32
  %ty = init_tile %Y[%i, %j] -> tile<16x64xf32>
  store_tile (%x * %by), %ty
}
)";

TEST(Cpp, CompilesAndLaunches) {
  auto program = xt::compile("scale.xt", kScale, {.defines = {{"BY", "3.0"}}, .threads = 2});
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_TRUE(program->diagnostics().empty());
  auto kernel = program->kernel("scale");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->info().parameter_count, 2u);
  std::vector<float> x(20 * 30), y(20 * 40, -1.0f);
  std::iota(x.begin(), x.end(), 0.0f);
  const std::vector<float> &from = x;
  auto done = kernel->launch(xt::Array(from, {20, 30}), xt::Array(y, {20, 30}, {40, 1}));
  ASSERT_TRUE(done) << done.error().message;
  for (size_t i = 0; i < 20; ++i)
    for (size_t j = 0; j < 40; ++j) EXPECT_EQ(y[i * 40 + j], j < 30 ? x[i * 30 + j] * 3 : -1.0f);
}

TEST(Cpp, ConstantArraysAreReadOnly) {
  auto program = xt::compile("scale.xt", kScale);
  ASSERT_TRUE(program);
  std::vector<float> x(16);
  const std::vector<float> constant(16);
  auto done = program->kernel("scale")->launch(xt::Array(x, {4, 4}), xt::Array(constant, {4, 4}));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status, XT_INVALID_ARGUMENT);
  EXPECT_EQ(done.error().argument, "Y");
  EXPECT_EQ(done.error().index, 1);
}

TEST(Cpp, StridesOfAnotherRankAreRefused) {
  auto program = xt::compile("scale.xt", kScale);
  std::vector<float> x(16);
  EXPECT_FALSE(program->kernel("scale")->launch(xt::Array(x, {4, 4}, {4}), xt::Array(x, {4, 4})));
  EXPECT_FALSE(program->kernel("scale")->launch(xt::Array(x, {1, 1, 1, 1, 4, 4}), xt::Array(x, {4, 4})));
}

TEST(Cpp, MistakesAreData) {
  auto program = xt::compile("bad.xt", "kernel @k(%A: mmref<4xf32>) {\n}\n");
  ASSERT_FALSE(program);
  EXPECT_EQ(program.error().status, XT_COMPILE_FAILED);
  ASSERT_EQ(program.error().diagnostics.size(), 1u);
  const xt::Diagnostic &first = program.error().diagnostics[0];
  EXPECT_EQ(first.range.line, 1u);
  EXPECT_EQ(first.range.end - first.range.begin, 5u);
  ASSERT_EQ(first.fixes.size(), 1u);
  ASSERT_EQ(first.fixes[0].edits.size(), 1u);
  EXPECT_EQ(first.fixes[0].edits[0].replacement, "memref");
  EXPECT_EQ(first.notes, std::vector<std::string>{"did you mean `memref`?"});
}

TEST(Cpp, TuneNamesWhatIsWrong) {
  auto tuned = xt::tune("scale.xt", {.target = "tpu"});
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.error().argument, "options.target");
}

TEST(Cpp, TargetsAreListed) {
  std::vector<std::string> names;
  for (const xt::Target &target : xt::targets()) {
    names.push_back(target.name);
    EXPECT_FALSE(target.summary.empty()) << target.name;
  }
  EXPECT_NE(std::ranges::find(names, "cpu"), names.end());
  EXPECT_NE(std::ranges::find(names, "xe-dg2"), names.end());
}

TEST(Cpp, KernelsOfFreedProgramsAreEmpty) {
  auto context = xt::Context::create();
  ASSERT_TRUE(context);
  std::optional<xt::Kernel> kernel;
  {
    const auto program = context->compile("scale.xt", kScale);
    ASSERT_TRUE(program);
    kernel = *program->kernel("scale");
    EXPECT_STREQ(kernel->info().name, "scale");
  }
  EXPECT_STREQ(kernel->info().name, "");
  EXPECT_EQ(kernel->info().parameter_count, 0u);
}

TEST(Cpp, SpansNumbersAndGrids) {
  auto program = xt::compile("groups.xt", R"(kernel @add(%N: memref<?xi32>, %n: i32, %x: f64) {
  %i = block_id x
  %m = index_cast(%i) : i32
  memref.store (%m + %n), %N[%i]
}
)");
  ASSERT_TRUE(program) << program.error().message;
  std::array<int32_t, 4> numbers{};
  auto done = program->kernels()[0].launch(xt::Grid{4}, xt::Array(std::span(numbers)), 10, 0.5);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(numbers, (std::array<int32_t, 4>{10, 11, 12, 13}));
}

TEST(Cpp, SpansAreArraysOfRankOne) {
  auto program =
      xt::compile("copy.xt", R"(kernel @copy(%X: memref<?xf32>, %Y: memref<?xf32>) grid (%i = 0 to dim(%X, 0) step 16) {
  %tx = init_tile %X[%i] -> tile<16xf32>
  %x = load_tile %tx
  %ty = init_tile %Y[%i] -> tile<16xf32>
  store_tile %x, %ty
}
)");
  ASSERT_TRUE(program) << program.error().message;
  std::vector<float> x(5, 3.0f), y(7);
  const std::span<float> from(x), to(y);
  auto done = program->kernels()[0].launch(from, to);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(y, (std::vector<float>{3, 3, 3, 3, 3, 0, 0}));
  std::fill(x.begin(), x.end(), 4.0f);
  auto prepared = program->kernels()[0].prepare(from, std::span(y));
  ASSERT_TRUE(prepared) << prepared.error().message;
  ASSERT_TRUE(prepared->run());
  EXPECT_EQ(y, (std::vector<float>{4, 4, 4, 4, 4, 0, 0}));
}

TEST(Cpp, PreparedLaunchesOutliveTheirProgram) {
  std::optional<xt::Prepared> prepared;
  std::vector<float> x(16, 1.0f), y(16);
  {
    auto program = xt::compile("scale.xt", kScale);
    auto made = program->kernel("scale")->prepare(xt::Array(x, {4, 4}), xt::Array(y, {4, 4}));
    ASSERT_TRUE(made) << made.error().message;
    prepared = std::move(*made);
  }
  ASSERT_TRUE(prepared->run());
  EXPECT_EQ(y, std::vector<float>(16, 2.0f));
}

TEST(Cpp, CallbacksOfTheCompilationAndOfPrints) {
  auto program = std::make_unique<xt::Result<xt::Program>>(xt::Error{});
  std::string printed;
  {
    auto context = xt::Context::create("");
    ASSERT_TRUE(context);
    xt::CompileOptions options;
    options.imports = [](const std::string &path) -> std::optional<std::string> {
      if (path != "twice.xt") return std::nullopt;
      return "func @twice(%x: i32) -> i32 {\n  return %x + %x\n}\n";
    };
    options.print = [&](std::string_view text) { printed += text; };
    *program = context->compile("own.xt", "import \"twice\"\nkernel @k(%x: i32) {\n  %y = @twice(%x)\n  print \"y\", %y\n}\n",
                                options);
  }
  ASSERT_TRUE(*program) << program->error().message;
  ASSERT_TRUE((*program)->kernels()[0].launch(21));
  EXPECT_NE(printed.find("y: 42"), std::string::npos) << printed;
}

TEST(Cpp, ElementTypes) {
  static_assert(xt::elementOf<long long> == XT_I64 && xt::elementOf<unsigned long> == XT_U64);
  static_assert(xt::elementOf<int8_t> == XT_I8 && xt::elementOf<uint16_t> == XT_U16 && xt::elementOf<bool> == XT_I1);
  static_assert(!xt::Element<std::string>);
}

TEST(Cpp, StreamsAndBuffers) {
  auto context = xt::Context::create();
  ASSERT_TRUE(context);
  auto program = context->compile("scale.xt", kScale);
  ASSERT_TRUE(program) << program.error().message;
  std::vector<float> x(32 * 64, 1.0f), y(x.size());
  auto a = program->buffer(x.size() * sizeof(float)), b = program->buffer(x.size() * sizeof(float));
  ASSERT_TRUE(a && b);
  double seconds = -1;
  auto there = program->kernel("scale")->prepare(xt::LaunchOptions{.kernelSeconds = &seconds}, a->array<float>({32, 64}),
                                                 b->array<float>({32, 64}));
  ASSERT_TRUE(there) << there.error().message;
  auto stream = context->stream();
  ASSERT_TRUE(stream && stream->write(*a, std::span(x)) && stream->run(*there) && stream->read(*b, std::span(y)));
  auto end = stream->record();
  ASSERT_TRUE(end && stream->finish());
  EXPECT_TRUE(end->done());
  EXPECT_EQ(*end->secondsTo(*end), 0);
  EXPECT_EQ(y, std::vector<float>(y.size(), 2.0f));
  EXPECT_GT(seconds, 0);
  EXPECT_FALSE(b->write(std::span(x), 1)) << "it does not fit";
}

} // namespace
