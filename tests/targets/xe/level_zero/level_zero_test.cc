#include "tests/targets/xe/fake/fake_level_zero.h"

#include "ir/elem_kinds.h"
#include "targets/gpu/memory.h"
#include "targets/xe/device/pci_ids.h"
#include "targets/xe/level_zero/module.h"
#include "targets/xe/register_file_options.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace xt {
namespace {

using test::FakeLevelZero;

constexpr uint8_t kSpirv[] = {3, 2, 35, 7};

// Executes all steps of a launch: lists, opens, builds, copies, runs.
Result<double> wholeLaunch() {
  Result<std::vector<ZeDeviceInfo>> infos = listZeDevices(FakeLevelZero::table());
  if (!infos) return infos.error();
  if (infos->empty()) return Error::environment("no device");
  if (!infos->front().problem.empty()) return Error::environment(infos->front().problem);
  Result<std::unique_ptr<ZeDevice>> device = ZeDevice::open(FakeLevelZero::table(), infos->front());
  if (!device) return device.error();
  ZeDevice &d = **device;
  Result<std::shared_ptr<ZeModule>> module = d.module(kSpirv, kLargeRegisterFileOption);
  if (!module) return module.error();
  Result<ZeKernel> kernel = ZeKernel::make(d, *module, "k");
  if (!kernel) return kernel.error();
  if (Result<void> set = kernel->setLanes(64); !set) return set.error();
  std::vector<int32_t> data(100, 7);
  auto *begin = reinterpret_cast<std::byte *>(data.data());
  Result<GuardedRange> range = GuardedRange::make(d, {begin, begin + 400, {0}});
  if (!range) return range.error();
  uint64_t address = range->deviceAddress(begin);
  if (Result<void> set = kernel->setArgument(0, {address, 8, true}); !set) return set.error();
  if (Result<void> sent = range->send(d); !sent) return sent.error();
  if (Result<void> run = d.launch(*kernel, {1, 1, 1}); !run) return run.error();
  if (Result<void> fetched = range->fetch(d); !fetched) return fetched.error();
  if (Result<void> done = d.finish(); !done) return done.error();
  range->give();
  return d.kernelSeconds();
}

TEST(LevelZero, TellsWhatADeviceIs) {
  FakeLevelZero fake;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  ASSERT_EQ(infos->size(), 1u);
  const ZeDeviceInfo &info = infos->front();
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.driverVersion, "1.3.7");
  EXPECT_TRUE(info.hardware);
  EXPECT_FALSE(info.software);
  EXPECT_EQ(info.target->name, "xe-pvc");
  EXPECT_EQ(info.memoryBytes, int64_t{1} << 34);
  EXPECT_EQ(info.subgroupSizes, (std::vector<int64_t>{16, 32}));
  EXPECT_EQ(info.queueOrdinal, 1u);
  EXPECT_TRUE(info.f64);
  EXPECT_EQ(info.problem, "");
}

TEST(LevelZero, KnowsTheSoftwareDeviceByItsName) {
  FakeLevelZero fake;
  fake.deviceName = "xt software device (DG2 rules)";
  fake.deviceId = 0x56A0;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  EXPECT_TRUE(infos->front().software);
  EXPECT_FALSE(infos->front().hardware);
  EXPECT_EQ(infos->front().target->name, "xe-dg2");
}

TEST(LevelZero, PciIdsGiveTheHardware) {
  for (auto [id, name] : {std::pair(0x0BD0u, "xe-pvc"),
                          {0x0B69u, "xe-pvc"},
                          {0xE20Bu, "xe-bmg"},
                          {0x64A0u, "xe-bmg"},
                          {0x5690u, "xe-dg2"},
                          {0x56C0u, "xe-dg2"},
                          {0x9A49u, "spirv"}})
    EXPECT_EQ(targetOfPciId(id)->name, name) << id;
}

TEST(LevelZero, NothingIsCalledWhereNoDriverHasADevice) {
  FakeLevelZero fake;
  fake.failAt = 0;
  fake.failWith = ZE_RESULT_ERROR_UNINITIALIZED;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  EXPECT_TRUE(infos->empty());
  EXPECT_EQ(fake.calls, std::vector<std::string>{"zeInit"});
}

TEST(LevelZero, InitialisesAsTheLoaderAndItsDriversCan) {
  using Calls = std::vector<std::string>;
  auto calls = [](const ZeFunctions &table, FakeLevelZero &fake) {
    auto infos = listZeDevices(table);
    EXPECT_TRUE(infos && infos->size() == 1);
    Calls first = fake.calls;
    first.resize(std::find(first.begin(), first.end(), "zeDriverGetProperties") - first.begin());
    return first;
  };
  {
    FakeLevelZero fake;
    EXPECT_EQ(calls(FakeLevelZero::newerTable(), fake), (Calls{"zeInitDrivers", "zeInitDrivers"}));
  }
  {
    FakeLevelZero fake; // an older driver with a current loader
    fake.driverKnowsInitDrivers = false;
    EXPECT_EQ(calls(FakeLevelZero::newerTable(), fake), (Calls{"zeInitDrivers", "zeInit", "zeDriverGet", "zeDriverGet"}));
  }
  FakeLevelZero fake;
  EXPECT_EQ(calls(FakeLevelZero::table(), fake), (Calls{"zeInit", "zeDriverGet", "zeDriverGet"}));
}

TEST(LevelZero, AnotherFailureOfZeInitDriversIsAnError) {
  FakeLevelZero fake;
  fake.failAt = 0;
  fake.failWith = ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS;
  auto infos = listZeDevices(FakeLevelZero::newerTable());
  ASSERT_FALSE(infos);
  EXPECT_NE(infos.error().message.find("zeInitDrivers: this user may not use the device"), std::string::npos)
      << infos.error().message;
}

TEST(LevelZero, ADriverThatFailsDoesNotHideTheOthers) {
  FakeLevelZero fake;
  fake.brokenDriver = true;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  ASSERT_EQ(infos->size(), 2u);
  EXPECT_NE(infos->at(0).problem.find("zeDeviceGet: the device was lost"), std::string::npos) << infos->at(0).problem;
  EXPECT_EQ(infos->at(1).name, "Fake GPU");
  EXPECT_EQ(infos->at(1).problem, "");
}

TEST(LevelZero, RunsAKernelAndMeasuresIt) {
  FakeLevelZero fake;
  int runs = 0;
  fake.kernel = [&](const FakeLevelZero::Arguments &arguments, ze_group_count_t) {
    ++runs;
    int32_t *data = nullptr;
    std::memcpy(&data, arguments.at(0).data(), 8);
    EXPECT_EQ(data[99], 7);
  };
  Result<double> seconds = wholeLaunch();
  ASSERT_TRUE(seconds) << seconds.error().message;
  EXPECT_EQ(runs, 1);
  EXPECT_DOUBLE_EQ(*seconds, 10 * 80e-9) << "the counter wraps around";
  EXPECT_EQ(fake.groupSize, 64u);
  EXPECT_EQ(fake.buildFlags, "-ze-opt-large-register-file");
  EXPECT_TRUE(fake.live.empty());
}

// Whichever call fails, the error must name it, and every object must be freed exactly once.
TEST(LevelZero, EachCallThatFailsIsAnErrorAndFreesAll) {
  size_t count = 0;
  {
    FakeLevelZero fake;
    ASSERT_TRUE(wholeLaunch());
    count = fake.calls.size();
  }
  ASSERT_GT(count, 30u);
  for (ze_result_t code : {ZE_RESULT_ERROR_UNKNOWN, ZE_RESULT_ERROR_DEVICE_LOST, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY})
    for (size_t at = 0; at < count; ++at) {
      FakeLevelZero fake;
      fake.failAt = static_cast<int>(at);
      fake.failWith = code;
      Result<double> result = wholeLaunch();
      ASSERT_GT(fake.calls.size(), at);
      SCOPED_TRACE(fake.calls[at]);
      ASSERT_FALSE(result);
      EXPECT_EQ(result.error().kind, Error::Kind::Environment);
      EXPECT_NE(result.error().message.find(fake.calls[at]), std::string::npos) << result.error().message;
      EXPECT_TRUE(fake.live.empty()) << fake.live.size() << " left";
      EXPECT_EQ(fake.wrongFrees, 0);
    }
}

TEST(LevelZero, ARejectedModuleShowsTheBuildLog) {
  FakeLevelZero fake;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  auto device = ZeDevice::open(FakeLevelZero::table(), infos->front());
  ASSERT_TRUE(device);
  fake.failAt = static_cast<int>(fake.calls.size());
  fake.failWith = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  auto module = (*device)->module(kSpirv, "");
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().message,
            "zeModuleCreate on Fake GPU: the driver does not compile the kernels (MODULE_BUILD_FAILURE 0x70000004)\n"
            "error: undefined reference to `f'");
}

Result<std::unique_ptr<ZeDevice>> openFirst(const ZeFunctions &table) {
  auto infos = listZeDevices(table);
  if (!infos) return infos.error();
  return ZeDevice::open(table, infos->front());
}

TEST(LevelZero, ADriverThatListsInlineAssemblyTakesIt) {
  FakeLevelZero fake;
  fake.spirvExtensions = {"SPV_INTEL_subgroups", "SPV_INTEL_inline_assembly"};
  auto device = openFirst(FakeLevelZero::newerTable());
  ASSERT_TRUE(device);
  Result<DriverAnswer> answer = (*device)->inlineAssembly();
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->taken);
  EXPECT_EQ(answer->why, "its driver lists SPV_INTEL_inline_assembly");
  EXPECT_EQ(fake.modulesBuilt, 0);
}

// A list may leave out what the driver has only as an experiment.
TEST(LevelZero, ADriverThatDoesNotListInlineAssemblyIsGivenAModuleOnce) {
  FakeLevelZero fake;
  fake.spirvExtensions = {"SPV_INTEL_inline_assembly_of_another_kind", "SPV_INTEL_subgroups"};
  for (const ZeFunctions &table : {FakeLevelZero::newerTable(), FakeLevelZero::table()}) {
    fake.modulesBuilt = 0;
    auto device = openFirst(table);
    ASSERT_TRUE(device);
    for (int i = 0; i < 2; ++i) {
      Result<DriverAnswer> answer = (*device)->inlineAssembly();
      ASSERT_TRUE(answer);
      EXPECT_TRUE(answer->taken);
      EXPECT_EQ(answer->why, "its driver builds it");
    }
    EXPECT_EQ(fake.modulesBuilt, 1);
  }
}

TEST(LevelZero, OnlyARefusedModuleMeansNoInlineAssembly) {
  FakeLevelZero fake;
  auto device = openFirst(FakeLevelZero::table());
  ASSERT_TRUE(device);
  fake.failAt = static_cast<int>(fake.calls.size());
  fake.failWith = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
  Result<DriverAnswer> answer = (*device)->inlineAssembly();
  ASSERT_FALSE(answer); // says nothing about the extension
  EXPECT_NE(answer.error().message.find("OUT_OF_HOST_MEMORY"), std::string::npos) << answer.error().message;
  fake.failAt = static_cast<int>(fake.calls.size());
  fake.failWith = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
  fake.buildLog = "unknown capability\n5606";
  for (int i = 0; i < 2; ++i) { // the second answer is remembered
    answer = (*device)->inlineAssembly();
    ASSERT_TRUE(answer);
    EXPECT_FALSE(answer->taken);
    EXPECT_EQ(answer->why, "its driver does not build it: unknown capability; 5606");
  }
}

// With several drivers, the loader does not wrap the build log of a failed build, so using the log would crash.
TEST(LevelZero, WithSeveralDriversTheLogOfAFailedBuildIsLeftAlone) {
  FakeLevelZero fake;
  fake.wrapsHandles = true;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  ZeFunctions functions = FakeLevelZero::table();
  functions.zeModuleBuildLogGetString = [](ze_module_build_log_handle_t, size_t *, char *) {
    return ADD_FAILURE(), ZE_RESULT_ERROR_UNKNOWN;
  };
  functions.zeModuleBuildLogDestroy = [](ze_module_build_log_handle_t) { return ADD_FAILURE(), ZE_RESULT_ERROR_UNKNOWN; };
  auto device = ZeDevice::open(functions, infos->front());
  ASSERT_TRUE(device);
  fake.failAt = static_cast<int>(fake.calls.size());
  auto module = (*device)->module(kSpirv, "");
  ASSERT_FALSE(module);
  EXPECT_NE(module.error().message.find("with --device=gpu the build log can be read"), std::string::npos)
      << module.error().message;
  device->reset();
  EXPECT_EQ(fake.live.size(), 1u); // the log, which cannot be destroyed
  for (void *log : fake.live) std::free(log);
}

TEST(LevelZero, TheSameModuleIsBuiltOnce) {
  FakeLevelZero fake;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  auto device = ZeDevice::open(FakeLevelZero::table(), infos->front());
  ASSERT_TRUE(device);
  auto first = (*device)->module(kSpirv, ""), again = (*device)->module(kSpirv, "");
  ASSERT_TRUE(first && again);
  EXPECT_EQ(*first, *again);
  EXPECT_EQ(fake.modulesBuilt, 1);
  auto options = (*device)->module(kSpirv, kLargeRegisterFileOption);
  auto bytes = (*device)->module(std::span(kSpirv).first(3), "");
  ASSERT_TRUE(options && bytes);
  EXPECT_EQ(fake.modulesBuilt, 3);
}

TEST(LevelZero, ALostDeviceStaysLost) {
  FakeLevelZero fake;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  auto device = ZeDevice::open(FakeLevelZero::table(), infos->front());
  ASSERT_TRUE(device);
  fake.failAt = static_cast<int>(fake.calls.size()) + 2; // the calls are reset, barrier, wait
  fake.failWith = ZE_RESULT_ERROR_DEVICE_LOST;
  Result<void> first = (*device)->finish();
  ASSERT_FALSE(first);
  size_t calls = fake.calls.size();
  Result<void> second = (*device)->finish();
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().message, second.error().message);
  EXPECT_NE(first.error().message.find("the device was lost"), std::string::npos) << first.error().message;
  EXPECT_EQ(fake.calls.size(), calls) << "nothing is asked of it any more";
}

// A lost device may never signal its event, so its status is checked during the wait.
TEST(LevelZero, WaitingEndsWhenTheDeviceIsGone) {
  FakeLevelZero fake;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  ZeFunctions functions = FakeLevelZero::table();
  functions.zeEventHostSynchronize = [](ze_event_handle_t, uint64_t) { return ZE_RESULT_NOT_READY; };
  auto device = ZeDevice::open(functions, infos->front());
  ASSERT_TRUE(device);
  fake.failAt = static_cast<int>(fake.calls.size()) + 4; // the calls are reset, barrier, status, status, status
  fake.failWith = ZE_RESULT_ERROR_DEVICE_LOST;
  Result<void> done = (*device)->finish();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("zeDeviceGetStatus"), std::string::npos) << done.error().message;
}

TEST(LevelZero, WithoutALoaderTheErrorNamesThePackage) {
  auto functions = openZeLoader("libnothing_of_the_kind.so");
  ASSERT_FALSE(functions);
  EXPECT_NE(functions.error().message.find("package libze1"), std::string::npos) << functions.error().message;
}

TEST(HostRanges, ViewsThatShareMemoryAreOneRange) {
  std::vector<float> a(100), b(50);
  auto view = [](void *data, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer = {data, Elem::F32, std::move(sizes), std::move(strides)};
    return arg;
  };
  LaunchArg number;
  auto ranges = hostRanges({view(a.data(), {10, 5}, {10, 1}), number, view(a.data() + 50, {5, 10}, {10, 1}),
                            view(a.data() + 2, {3}, {20}), view(b.data(), {0}, {1})});
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].begin, reinterpret_cast<std::byte *>(a.data()));
  EXPECT_EQ(ranges[0].end, reinterpret_cast<std::byte *>(a.data() + 100));
  EXPECT_EQ(ranges[0].params, (std::vector<size_t>{0, 3, 2}));
}

TEST(GuardedRange, ShowsWhatLiesBesideItWhenItIsWritten) {
  FakeLevelZero fake;
  auto infos = listZeDevices(FakeLevelZero::table());
  ASSERT_TRUE(infos);
  auto device = ZeDevice::open(FakeLevelZero::table(), infos->front());
  ASSERT_TRUE(device);
  alignas(64) std::byte host[128 + 8] = {};
  std::byte *begin = host + 8;
  auto range = GuardedRange::make(**device, {begin, begin + 100, {0}});
  ASSERT_TRUE(range);
  auto *there = reinterpret_cast<std::byte *>(range->deviceAddress(begin));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(there) % 64, 8u) << "it begins as the host's does";
  auto damageOf = [&](std::ptrdiff_t offset, size_t bytes) {
    EXPECT_TRUE(range->send(**device));
    for (size_t i = 0; i < bytes; ++i) there[offset + static_cast<std::ptrdiff_t>(i)] ^= std::byte{0xFF};
    EXPECT_TRUE(range->fetch(**device));
    EXPECT_TRUE((*device)->finish());
    return range->damage();
  };
  EXPECT_EQ(damageOf(0, 100), "");
  EXPECT_EQ(damageOf(112, 4), "4 bytes after its end changed, the first 12 bytes after it");
  EXPECT_EQ(damageOf(-3, 1), "1 byte before its start changed, the last 3 bytes before it");
  EXPECT_EQ(damageOf(100, 1), "1 byte after its end changed, the first 0 bytes after it");
}

} // namespace
} // namespace xt
