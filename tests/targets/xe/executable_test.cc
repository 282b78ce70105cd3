// Tests launches through a Level Zero without a device: the data that arrives at the device, and the data that comes back.
#include "ir/elem_kinds.h"
#include "targets/gpu/executable.h"
#include "targets/xe/level_zero/device.h"
#include "tests/targets/xe/fake/fake_level_zero.h"
#include "tests/targets/xe/program.h"

#include <array>
#include <span>

namespace xt {
namespace {

using test::buffer;
using test::FakeLevelZero;
using test::Program;

constexpr const char *kText = "kernel @add(%A: memref<?x?xf32>, %C: memref<?x?xf32>) subgroups(2) grid (%i = 0 to dim(%A, 0) "
                              "step 8, %j = 0 to dim(%A, 1) step 4) {\n}\n";

// A kernel that reads nothing and writes %C.
constexpr const char *kDisjointText = R"(kernel @add(%A: memref<?x?xf32>, %C: memref<?x?xf32>) form disjoint_or_same
    subgroups(2) grid (%i = 0 to dim(%A, 0) step 8, %j = 0 to dim(%A, 1) step 4) {
  %tc = init_tile %C[%i, %j] : memref<?x?xf32> -> tile<8x4xf32>
  %zero = constant 0.0 : vector<8x4xf32>
  store_tile %zero, %tc : vector<8x4xf32>, tile<8x4xf32>
}
)";

class XeLaunch : public ::testing::Test {
protected:
  void SetUp() override {
    auto infos = listZeDevices(FakeLevelZero::table());
    ASSERT_TRUE(infos);
    auto opened = ZeDevice::open(FakeLevelZero::table(), infos->front());
    ASSERT_TRUE(opened);
    device = std::move(*opened);
    code.name = code.entry = "add";
    code.subgroups = 2;
    code.reportsFailures = true;
    code.writes = {false, true};
    code.failures = {{0, "first", {}, false, false, {}}, {1, "second", {}, false, false, {}}};
  }

  Result<std::unique_ptr<Executable>> make() {
    GpuExecutableOptions options;
    options.device = device.get();
    options.target = findTargetInfo("xe-pvc");
    options.optimise = optimise;
    options.remarks = &found;
    options.again = [this](GpuAssumptions assumptions, const Kernel &kernel) -> Result<GpuCode> {
      ++compiledAgain;
      EXPECT_EQ(kernel.name, "add");
      assumed = assumptions;
      GpuKernel plain = code;
      plain.blockUses.clear();
      if (!entryAgain.empty()) plain.entry = entryAgain;
      return GpuCode{{9, 9, 9, 9}, {plain}};
    };
    return makeGpuExecutable(*launched->module, {{1, 2, 3, 4}, {code}}, std::move(options));
  }
  Result<void> launch(std::span<float> a, std::span<float> c, int64_t rows = 16, int64_t columns = 16) {
    auto executable = make();
    if (!executable) return executable.error();
    return (*executable)
        ->launch(launched->kernel(),
                 {buffer(a.data(), Elem::F32, {rows, columns}, {columns, 1}),
                  buffer(c.data(), Elem::F32, {rows, columns}, {columns, 1})},
                 {{0, 8, (rows + 7) / 8}, {0, 4, (columns + 3) / 4}});
  }
  template <class T = float> static T *pointer(const FakeLevelZero::Arguments &arguments, uint32_t index) {
    T *data = nullptr;
    std::memcpy(&data, arguments.at(index).data(), sizeof data);
    return data;
  }

  FakeLevelZero fake;
  Program program{kText}, disjoint{kDisjointText};
  const Program *launched = &program;
  std::unique_ptr<ZeDevice> device;
  GpuKernel code;
  Diagnostics found;
  int compiledAgain = 0;
  std::string entryAgain; // the entry point of that code; "": the same
  GpuAssumptions assumed; // the assumptions of the code that was compiled again
  bool optimise = true;
};

TEST_F(XeLaunch, CopiesThereAndBack) {
  std::vector<float> a(256, 1.0f), c(256, 0.0f);
  fake.kernel = [&](const FakeLevelZero::Arguments &arguments, ze_group_count_t groups) {
    EXPECT_EQ(arguments.size(), 15u);
    EXPECT_EQ(groups.groupCountX, 4u) << "the last grid variable";
    EXPECT_EQ(groups.groupCountY, 2u);
    EXPECT_EQ(groups.groupCountZ, 1u);
    EXPECT_EQ(fake.groupSize, 32u);
    EXPECT_EQ(pointer<uint64_t>(arguments, 14)[0], ~uint64_t{0});
    for (int i = 0; i < 256; ++i) pointer(arguments, 5)[i] = pointer(arguments, 0)[i] + static_cast<float>(i);
  };
  Result<void> done = launch(a, c);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(c[255], 256.0f);
}

TEST_F(XeLaunch, AFailureNamesItsWorkgroup) {
  std::vector<float> a(256), c(256);
  fake.kernel = [&](const FakeLevelZero::Arguments &arguments, ze_group_count_t) {
    pointer<uint64_t>(arguments, 14)[0] = uint64_t{6} << 32 | 1 << 1 | 1;
  };
  Result<void> done = launch(a, c);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, Error::Kind::Kernel);
  EXPECT_EQ(done.error().message, "second (workgroup (1, 2), subgroup 1 of @add)");
}

TEST_F(XeLaunch, WritingOutsideOfABufferNamesTheParameter) {
  std::vector<float> a(256), c(256);
  fake.kernel = [&](const FakeLevelZero::Arguments &arguments, ze_group_count_t) { pointer(arguments, 5)[259] = 1; };
  Result<void> done = launch(a, c);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, Error::Kind::Kernel);
  EXPECT_NE(done.error().message.find("@add wrote out of bounds of `%C`: "), std::string::npos) << done.error().message;
  EXPECT_NE(done.error().message.find("after its end changed, the first 12 bytes after it"), std::string::npos)
      << done.error().message;
}

TEST_F(XeLaunch, BuffersThatShareMemoryShareItThere) {
  std::vector<float> a(256);
  fake.kernel = [&](const FakeLevelZero::Arguments &arguments, ze_group_count_t) {
    EXPECT_EQ(pointer(arguments, 5), pointer(arguments, 0));
  };
  Result<void> done = launch(a, a);
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(XeLaunch, BuffersThatBreakTheRulesOfBlocksRunWithout) {
  code.blockUses = {{0}};
  alignas(64) std::array<float, 16 * 17> a{}, c{}; // the copies on the device have the same alignment
  fake.kernel = [&](const FakeLevelZero::Arguments &, ze_group_count_t) {};
  found.wantRemarks(true);
  ASSERT_TRUE(launch(a, c));
  EXPECT_EQ(compiledAgain, 0);
  EXPECT_EQ(fake.modulesBuilt, 1);
  ASSERT_TRUE(launch(a, c, 16, 17));
  EXPECT_EQ(compiledAgain, 1);
  EXPECT_EQ(fake.modulesBuilt, 2);
  std::string remarks = renderText(found, program.sources, false);
  EXPECT_NE(remarks.find("@add runs without block messages: `%A`: rows are 68 bytes apart; a block message needs at least 64, "
                         "and a multiple of 16"),
            std::string::npos)
      << remarks;
}

TEST_F(XeLaunch, CodeForBrokenRulesIsCompiledOnce) {
  code.blockUses = {{0}};
  alignas(64) std::array<float, 16 * 17> a{}, c{};
  fake.kernel = [&](const FakeLevelZero::Arguments &, ze_group_count_t) {};
  auto executable = make();
  ASSERT_TRUE(executable);
  for (int i = 0; i < 2; ++i) {
    auto done = (*executable)
                    ->launch(launched->kernel(),
                             {buffer(a.data(), Elem::F32, {16, 17}, {17, 1}), buffer(c.data(), Elem::F32, {16, 17}, {17, 1})},
                             {{0, 8, 2}, {0, 4, 5}});
    ASSERT_TRUE(done) << done.error().message;
  }
  EXPECT_EQ(compiledAgain, 1);
}

// The entry point has another name where other kernels are compiled beside it.
TEST_F(XeLaunch, CodeForBrokenRulesMayHaveAnotherEntryPoint) {
  code.blockUses = {{0}};
  entryAgain = "add_2";
  alignas(64) std::array<float, 16 * 17> a{}, c{};
  fake.kernel = [&](const FakeLevelZero::Arguments &, ze_group_count_t) {};
  Result<void> done = launch(a, c, 16, 17);
  EXPECT_TRUE(done) << done.error().message;
}

TEST_F(XeLaunch, ArgumentsThatOverlapRunOtherCode) {
  launched = &disjoint;
  code.blockUses = {{0}};
  alignas(64) std::array<float, 512> memory{};
  std::span<float> all = memory;
  fake.kernel = [&](const FakeLevelZero::Arguments &, ze_group_count_t) {};
  found.wantRemarks(true);
  ASSERT_TRUE(launch(all.first(256), all.last(256)));
  ASSERT_TRUE(launch(all, all));
  EXPECT_EQ(compiledAgain, 0);
  ASSERT_TRUE(launch(all, all.subspan(16)));
  EXPECT_EQ(compiledAgain, 1);
  EXPECT_EQ(assumed, (GpuAssumptions{true, false}));
  std::string remarks = renderText(found, disjoint.sources, false);
  EXPECT_NE(remarks.find("@add loads whole tiles before it stores, and exchanges them: `%C` overlaps `%A`"), std::string::npos)
      << remarks;
  ASSERT_TRUE(launch(all, all.subspan(16), 16, 17));
  EXPECT_EQ(assumed, (GpuAssumptions{false, false}));
}

TEST_F(XeLaunch, TheDriverIsToldNotToOptimise) {
  code.largeRegisterFile = true;
  optimise = false;
  ASSERT_TRUE(make());
  EXPECT_EQ(fake.buildFlags, "-ze-opt-large-register-file -ze-opt-disable");
}

TEST_F(XeLaunch, TheLargeRegisterFileIsAskedForAndTold) {
  code.largeRegisterFile = true;
  found.wantRemarks(true);
  ASSERT_TRUE(make());
  EXPECT_EQ(fake.buildFlags, "-ze-opt-large-register-file");
  std::string remarks = renderText(found, program.sources, false);
  EXPECT_NE(remarks.find("@add uses 256 registers per thread"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("@add spills 64 bytes per lane"), std::string::npos) << remarks;
}

TEST_F(XeLaunch, AGridWithoutWorkgroupsRunsNothing) {
  fake.kernel = [&](const FakeLevelZero::Arguments &, ze_group_count_t) { ADD_FAILURE(); };
  std::vector<float> a, c;
  EXPECT_TRUE(launch(a, c, 0, 0));
}

TEST_F(XeLaunch, TooManyWorkgroupsAreAnErrorWithTheNumbers) {
  std::vector<float> a(1 << 20), c(1 << 20);
  Result<void> done = launch(a, c, 1 << 20, 1);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "@add has 131072 workgroups in y; Fake GPU takes at most 65535");
}

// If a call of a launch fails, the error must name the call, and no object may remain.
TEST_F(XeLaunch, EachCallThatFailsIsAnErrorAndFreesAll) {
  std::vector<float> a(256), c(256);
  fake.calls.clear();
  ASSERT_TRUE(launch(a, c));
  size_t count = fake.calls.size();
  ASSERT_GT(count, 30u);
  for (size_t at = 0; at < count; ++at) {
    fake.failAt = -1;
    SetUp();
    fake.calls.clear();
    fake.failAt = static_cast<int>(at);
    Result<void> done = launch(a, c);
    ASSERT_GT(fake.calls.size(), at);
    SCOPED_TRACE(fake.calls[at]);
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find(fake.calls[at]), std::string::npos) << done.error().message;
    device.reset();
    EXPECT_TRUE(fake.live.empty());
    EXPECT_EQ(fake.wrongFrees, 0);
  }
}

} // namespace
} // namespace xt
