#include "tests/targets/xe/fake/fake_opencl.h"

#include "targets/gpu/memory.h"
#include "targets/xe/opencl/program.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>

namespace xt {
namespace {

using test::FakeOpenCl;

constexpr uint8_t kSpirv[] = {3, 2, 35, 7};

GpuKernel kernelNamed(std::string name) {
  GpuKernel code;
  code.entry = std::move(name);
  code.subgroups = 4;
  return code;
}

Result<std::unique_ptr<ClDevice>> openFirst() {
  Result<std::vector<ClDeviceInfo>> infos = listClDevices(FakeOpenCl::table());
  if (!infos) return infos.error();
  if (infos->empty()) return Error::environment("no device");
  if (!infos->front().problem.empty()) return Error::environment(infos->front().problem);
  return ClDevice::open(FakeOpenCl::table(), infos->front());
}

// Executes all steps of a launch: lists, opens, builds, copies, runs.
Result<double> wholeLaunch() {
  Result<std::unique_ptr<ClDevice>> device = openFirst();
  if (!device) return device.error();
  ClDevice &d = **device;
  auto kernel = d.load(kSpirv, kernelNamed("k"), true);
  if (!kernel) return kernel.error();
  std::vector<int32_t> data(100, 7);
  auto *begin = reinterpret_cast<std::byte *>(data.data());
  Result<GuardedRange> range = GuardedRange::make(d, {begin, begin + 400, {0}});
  if (!range) return range.error();
  if (Result<void> set = (*kernel)->setArgument(0, {range->deviceAddress(begin), 8, true}); !set) return set.error();
  if (Result<void> set = (*kernel)->setArgument(1, {100, 4}); !set) return set.error();
  if (Result<void> sent = range->send(d); !sent) return sent.error();
  if (Result<void> run = d.launch(**kernel, {3, 2, 1}); !run) return run.error();
  if (Result<void> fetched = range->fetch(d); !fetched) return fetched.error();
  if (Result<void> done = d.finish(); !done) return done.error();
  range->give();
  EXPECT_EQ(data[99], 8);
  return d.kernelSeconds();
}

void addOne(const FakeOpenCl::Arguments &arguments, const size_t *, const size_t *) {
  auto *data = reinterpret_cast<int32_t *>(static_cast<uintptr_t>(arguments.at(0)));
  for (uint64_t i = 0; i < arguments.at(1); ++i) ++data[i];
}

std::string problemOf(const FakeOpenCl &) {
  auto infos = listClDevices(FakeOpenCl::table());
  return infos ? infos->at(0).problem : infos.error().message;
}

TEST(OpenCl, InlineAssemblyIsListedOrTriedOnce) {
  FakeOpenCl fake;
  fake.type = CL_DEVICE_TYPE_GPU;
  fake.spirvExtensions = {"SPV_INTEL_subgroups", nullptr, "SPV_INTEL_inline_assembly"};
  auto answerOf = [](ClDevice &device) {
    Result<DriverAnswer> answer = device.inlineAssembly();
    return answer ? *answer : DriverAnswer{false, "error: " + answer.error().message};
  };
  {
    auto device = openFirst(); // has no query for its list
    ASSERT_TRUE(device);
    EXPECT_EQ(answerOf(**device).why, "its driver builds it");
    EXPECT_EQ(answerOf(**device).why, "its driver builds it");
    EXPECT_EQ(fake.programsBuilt, 1);
  }
  fake.extensions += " cl_khr_spirv_queries";
  auto device = openFirst();
  ASSERT_TRUE(device);
  EXPECT_EQ(answerOf(**device).why, "its driver lists SPV_INTEL_inline_assembly");
  EXPECT_EQ(fake.programsBuilt, 1);
}

TEST(OpenCl, OnlyARefusedModuleMeansNoInlineAssembly) {
  for (auto [call, code, refused] : {std::tuple(0, CL_INVALID_VALUE, true),
                                     {0, CL_OUT_OF_HOST_MEMORY, false},
                                     {1, CL_BUILD_PROGRAM_FAILURE, true},
                                     {1, CL_OUT_OF_RESOURCES, false}}) {
    FakeOpenCl fake;
    auto device = openFirst();
    ASSERT_TRUE(device);
    fake.failAt = static_cast<int>(fake.calls.size()) + call;
    fake.failWith = code;
    Result<DriverAnswer> answer = (*device)->inlineAssembly();
    EXPECT_EQ(answer.ok(), refused) << call << " " << code;
    EXPECT_FALSE(answer.ok() && answer->taken);
  }
}

TEST(OpenCl, TellsWhatADeviceIs) {
  FakeOpenCl fake;
  auto infos = listClDevices(FakeOpenCl::table());
  ASSERT_TRUE(infos);
  ASSERT_EQ(infos->size(), 1u);
  const ClDeviceInfo &info = infos->front();
  EXPECT_EQ(info.name, "Fake CPU");
  EXPECT_EQ(info.api, "OpenCL");
  EXPECT_EQ(info.driverVersion, "7.1");
  EXPECT_FALSE(info.hardware || info.software);
  EXPECT_EQ(info.target->name, "spirv");
  EXPECT_EQ(info.memoryBytes, int64_t{1} << 34);
  EXPECT_EQ(info.slmBytes, 64 << 10);
  EXPECT_EQ(info.lanesPerWorkgroup, 512);
  EXPECT_EQ(info.subgroupSizes, (std::vector<int64_t>{8, 16, 64}));
  EXPECT_TRUE(info.f64);
  EXPECT_EQ(info.problem, "");
}

TEST(OpenCl, AnIntelGpuIsKnownByItsPciId) {
  FakeOpenCl fake;
  fake.type = CL_DEVICE_TYPE_GPU;
  fake.deviceId = 0xE20B;
  auto infos = listClDevices(FakeOpenCl::table());
  ASSERT_TRUE(infos);
  EXPECT_TRUE(infos->front().hardware);
  EXPECT_EQ(infos->front().target->name, "xe-bmg");
}

TEST(OpenCl, WhatADeviceLacksIsSaid) {
  FakeOpenCl fake;
  fake.version = "OpenCL 3.0 PoCL";
  fake.languages = "";
  fake.extensions = "cl_khr_fp64";
  EXPECT_EQ(problemOf(fake),
            "of OpenCL 3.0 PoCL, it lacks features that kernels need: SPIR-V 1.4 (it supports none); a required subgroup size "
            "(cl_intel_required_subgroup_size); unified shared memory (cl_intel_unified_shared_memory)");
}

TEST(OpenCl, TheVersionOfSpirvCounts) {
  FakeOpenCl fake;
  for (auto [languages, takes] : {std::pair("SPIR-V_1.0 SPIR-V_1.3", false),
                                  {"SPIR-V_1.4", true},
                                  {"SPIR-V_1.10", true},
                                  {"SPIR-V_2.0", true},
                                  {"SPIR-V_", false},
                                  {"SPIR-V_1", false},
                                  {"NVVM_1.4", false}}) {
    fake.languages = languages;
    EXPECT_EQ(problemOf(fake).empty(), takes) << languages;
  }
}

TEST(OpenCl, ADriverThatFailsDoesNotHideTheOthers) {
  FakeOpenCl fake;
  fake.brokenPlatform = true;
  auto infos = listClDevices(FakeOpenCl::table());
  ASSERT_TRUE(infos);
  ASSERT_EQ(infos->size(), 2u);
  EXPECT_EQ(infos->at(0).problem, "clGetDeviceIDs: there is not enough memory (CL_OUT_OF_HOST_MEMORY -6)");
  EXPECT_EQ(infos->at(1).name, "Fake CPU");
  EXPECT_EQ(infos->at(1).problem, "");
}

TEST(OpenCl, RunsAKernelAndMeasuresIt) {
  FakeOpenCl fake;
  int runs = 0;
  fake.kernel = [&](const FakeOpenCl::Arguments &arguments, const size_t *global, const size_t *local) {
    ++runs;
    EXPECT_EQ(std::vector(global, global + 3), (std::vector<size_t>{3 * 64, 2, 1}));
    EXPECT_EQ(std::vector(local, local + 3), (std::vector<size_t>{64, 1, 1}));
    addOne(arguments, global, local);
  };
  Result<double> seconds = wholeLaunch();
  ASSERT_TRUE(seconds) << seconds.error().message;
  EXPECT_EQ(runs, 1);
  EXPECT_DOUBLE_EQ(*seconds, 800e-9);
  EXPECT_TRUE(fake.live.empty());
}

// Whichever call fails, the error must name it, and every object must be freed exactly once.
TEST(OpenCl, EachCallThatFailsIsAnErrorAndFreesAll) {
  size_t count = 0;
  {
    FakeOpenCl fake;
    fake.kernel = addOne;
    ASSERT_TRUE(wholeLaunch());
    count = fake.calls.size();
  }
  ASSERT_GT(count, 25u);
  for (cl_int code : {CL_OUT_OF_RESOURCES, CL_OUT_OF_HOST_MEMORY, CL_INVALID_VALUE})
    for (size_t at = 0; at < count; ++at) {
      FakeOpenCl fake;
      fake.kernel = addOne;
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

TEST(OpenCl, AKernelThatFailsLosesTheDevice) {
  FakeOpenCl fake;
  auto device = openFirst();
  ASSERT_TRUE(device);
  auto kernel = (*device)->load(kSpirv, kernelNamed("k"), true);
  ASSERT_TRUE(kernel);
  ASSERT_TRUE((*device)->launch(**kernel, {1, 1, 1}));
  fake.kernelStatus = CL_OUT_OF_RESOURCES;
  Result<void> first = (*device)->finish();
  ASSERT_FALSE(first);
  EXPECT_NE(first.error().message.find("(CL_OUT_OF_RESOURCES -5)"), std::string::npos) << first.error().message;
  size_t calls = fake.calls.size();
  Result<void> second = (*device)->launch(**kernel, {1, 1, 1});
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().message, second.error().message);
  EXPECT_EQ(fake.calls.size(), calls) << "nothing is asked of it any more";
}

// A thread of the driver that has stopped at a fault may hold any lock, so the driver must not be called again, not even to
// free memory. The test runs in a child process, because the whole process remembers the fault.
TEST(OpenCl, AfterAFaultOfAKernelTheDriverIsLeftAlone) {
  pid_t child = fork();
  if (child == 0) {
    FakeOpenCl fake;
    fake.kernel = [](const FakeOpenCl::Arguments &, const size_t *, const size_t *) {
      std::thread([] {
        volatile int *nowhere = static_cast<int *>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        *nowhere = 1;
      }).detach();
    };
    std::vector<std::byte> host(100);
    size_t calls = 0, objects = 0;
    {
      auto device = openFirst();
      auto kernel = (*device)->load(kSpirv, kernelNamed("k"), true);
      auto range = GuardedRange::make(**device, {host.data(), host.data() + host.size(), {0}});
      fake.kernelStatus = CL_RUNNING;
      if (!(*device)->launch(**kernel, {1, 1, 1})) _exit(1);
      Result<void> done = (*device)->finish();
      if (done || done.error().message.find("a kernel accessed an invalid address") == std::string::npos) _exit(2);
      calls = fake.calls.size(), objects = fake.live.size();
      auto more = (*device)->allocate(GpuDevice::Where::Device, 64, 64);
      if (more || more.error().message != done.error().message) _exit(3);
    }
    _exit(fake.calls.size() == calls && fake.live.size() == objects ? 0 : 4);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "exit status " << WEXITSTATUS(status);
}

TEST(OpenCl, ARejectedProgramShowsTheBuildLog) {
  FakeOpenCl fake;
  auto device = openFirst();
  ASSERT_TRUE(device);
  fake.failAt = static_cast<int>(fake.calls.size()) + 1; // the program is created first and built by the next call
  fake.failWith = CL_BUILD_PROGRAM_FAILURE;
  auto kernel = (*device)->load(kSpirv, kernelNamed("k"), true);
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().message,
            "clBuildProgram on Fake CPU: the driver does not compile the kernels (CL_BUILD_PROGRAM_FAILURE -11)\n"
            "error: undefined reference to `f'");
}

TEST(OpenCl, TheSameProgramIsBuiltOnce) {
  FakeOpenCl fake;
  auto device = openFirst();
  ASSERT_TRUE(device);
  ASSERT_TRUE((*device)->load(kSpirv, kernelNamed("a"), true) && (*device)->load(kSpirv, kernelNamed("b"), true));
  EXPECT_EQ(fake.programsBuilt, 1);
  EXPECT_EQ(fake.buildFlags, "");
  ASSERT_TRUE((*device)->load(std::span(kSpirv).first(3), kernelNamed("a"), true));
  EXPECT_EQ(fake.programsBuilt, 2);
}

// Intel's driver for CPUs does not form subgroups if optimisation is disabled.
TEST(OpenCl, BuildOptionsAreOfGpus) {
  FakeOpenCl fake;
  GpuKernel code = kernelNamed("k");
  code.largeRegisterFile = true;
  for (auto [type, flags] :
       {std::pair(CL_DEVICE_TYPE_CPU, ""), {CL_DEVICE_TYPE_GPU, "-cl-intel-256-GRF-per-thread -cl-opt-disable"}}) {
    fake.type = type;
    auto device = openFirst();
    ASSERT_TRUE(device);
    ASSERT_TRUE((*device)->load(kSpirv, code, false));
    EXPECT_EQ(fake.buildFlags, flags);
  }
}

// Intel's OpenCL driver for CPUs compiles barriers wrongly if only some subgroups reach them, so such kernels are rejected.
TEST(OpenCl, DivergentBarriersAreForGpus) {
  FakeOpenCl fake;
  GpuKernel code = kernelNamed("k");
  code.divergentBarriers = true;
  for (auto [type, good] : {std::pair(CL_DEVICE_TYPE_CPU, false), {CL_DEVICE_TYPE_GPU, true}}) {
    fake.type = type;
    auto device = openFirst();
    ASSERT_TRUE(device);
    auto loaded = (*device)->load(kSpirv, code, true);
    EXPECT_EQ(static_cast<bool>(loaded), good);
    if (good) continue;
    EXPECT_NE(loaded.error().message.find("@k has subgroup barriers in a branch or a loop that depends on the subgroup"),
              std::string::npos)
        << loaded.error().message;
  }
}

TEST(OpenCl, ADriverWithoutTheFunctionsOfItsExtensionIsAnError) {
  FakeOpenCl fake;
  fake.missing = {"clHostMemAllocINTEL"};
  auto device = openFirst();
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().message, "the OpenCL driver of Fake CPU lacks clHostMemAllocINTEL");
}

TEST(OpenCl, WithoutALoaderTheErrorNamesThePackage) {
  auto functions = openClLoader("", "libnothing_of_the_kind.so");
  ASSERT_FALSE(functions);
  EXPECT_NE(functions.error().message.find("package ocl-icd-libopencl1"), std::string::npos) << functions.error().message;
  EXPECT_FALSE(openClLoader("/nothing/of/the/kind.so", "libnothing_of_the_kind.so"));
}

} // namespace
} // namespace xt
