#include "targets/xe/device/device_choice.h"
#include "targets/xe/device_limits.h"
#include "targets/xe/runtime.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace xt {
namespace {

GpuDeviceInfo device(std::string name, std::string_view target, bool software) {
  GpuDeviceInfo info;
  info.name = std::move(name);
  info.target = findTargetInfo(target);
  info.software = software;
  info.hardware = !software;
  return info;
}

std::string chosen(const std::vector<GpuDeviceInfo> &devices, std::string_view target,
                   DeviceChoice choice = DeviceChoice::Any) {
  std::vector<const GpuDeviceInfo *> infos;
  for (const GpuDeviceInfo &info : devices) infos.push_back(&info);
  Result<size_t> index = chooseDevice(infos, target, choice);
  return index ? devices[*index].name : index.error().message;
}

TEST(DeviceChoice, AGpuComesBeforeTheSoftwareDevice) {
  std::vector<GpuDeviceInfo> both = {device("soft pvc", "xe-pvc", true), device("soft dg2", "xe-dg2", true),
                                     device("gpu", "xe-bmg", false)};
  EXPECT_EQ(chosen(both, "xe"), "gpu");
  EXPECT_EQ(chosen(both, "spirv"), "gpu");
  EXPECT_EQ(chosen(both, "xe", DeviceChoice::Soft), "soft pvc");
  EXPECT_EQ(chosen(both, "xe-bmg"), "gpu");
  EXPECT_EQ(chosen(both, "xe-dg2"), "soft dg2") << "the GPU is of another kind";
  EXPECT_EQ(chosen(both, "xe-dg2", DeviceChoice::Gpu),
            "no Intel GPU of the kind xe-dg2: there is soft pvc (xe-pvc), soft dg2 (xe-dg2), gpu (xe-bmg)");
  EXPECT_EQ(chosen(both, "xe-bmg", DeviceChoice::Soft).substr(0, 38), "no software device of the kind xe-bmg:");
}

TEST(DeviceLimits, TheGenericTargetTakesWhatTheDeviceHas) {
  const TargetInfo &generic = *findTargetInfo("spirv");
  GpuDeviceInfo pvc = device("pvc", "xe-pvc", false);
  pvc.subgroupSizes = {32, 16, 64};
  pvc.slmBytes = 128 << 10, pvc.lanesPerWorkgroup = 1024, pvc.f64 = true;
  DeviceLimits limits(generic, pvc);
  EXPECT_EQ(std::vector<int64_t>(limits.info().subgroupSizes.begin(), limits.info().subgroupSizes.end()),
            (std::vector<int64_t>{16, 32, 64}));
  EXPECT_EQ(limits.info().slmBytes, 128 << 10);
  EXPECT_EQ(limits.info().lanesPerWorkgroup, 1024);
  EXPECT_TRUE(limits.info().f64);
  EXPECT_TRUE(limits.info().mma.empty() && !limits.info().blocks.any()) << "what it does without stays so";
  EXPECT_EQ(limits.info().name, "spirv");
  DeviceLimits silent(generic, device("?", "spirv", false));
  EXPECT_EQ(silent.info().slmBytes, generic.slmBytes);
  EXPECT_EQ(silent.info().lanesPerWorkgroup, generic.lanesPerWorkgroup);
  EXPECT_EQ(silent.info().subgroupSizes.size(), generic.subgroupSizes.size());
}

TEST(DeviceChoice, WithoutAGpuTheSoftwareDeviceStandsIn) {
  std::vector<GpuDeviceInfo> soft = {device("soft pvc", "xe-pvc", true)};
  EXPECT_EQ(chosen(soft, "xe"), "soft pvc");
  EXPECT_EQ(chosen(soft, "xe", DeviceChoice::Gpu), "no Intel GPU: there is soft pvc (xe-pvc)");
  EXPECT_EQ(chosen({}, "xe"), "no Intel GPU or software device: no driver on this machine finds one");
}

TEST(DeviceChoice, WhatCannotBeUsedIsNotTaken) {
  std::vector<GpuDeviceInfo> broken = {device("gpu", "xe-pvc", false), device("soft", "xe-pvc", true)};
  broken[0].problem = "it is lost";
  EXPECT_EQ(chosen(broken, "xe"), "soft");
  EXPECT_EQ(chosen(broken, "xe", DeviceChoice::Gpu),
            "no Intel GPU: there is gpu, which cannot be used: it is lost, soft (xe-pvc)");
}

TEST(DeviceChoice, OfOpenClAnyDeviceWillDo) {
  std::vector<GpuDeviceInfo> one = {device("pocl", "spirv", false), device("cpu", "spirv", false)};
  one[0].problem = "it lacks SPIR-V";
  one[1].hardware = false;
  EXPECT_EQ(chosen(one, "spirv", DeviceChoice::OpenCl), "cpu");
  EXPECT_EQ(chosen(one, "xe", DeviceChoice::OpenCl), "cpu");
  EXPECT_EQ(chosen(one, "xe-pvc", DeviceChoice::OpenCl),
            "no OpenCL device of the kind xe-pvc: there is pocl, which cannot be used: it lacks SPIR-V, cpu (spirv)");
}

TEST(DeviceChoice, CooperativeMatricesNeedADeviceThatHasThem) {
  std::vector<GpuDeviceInfo> two = {device("soft dg2", "xe-dg2", true), device("soft pvc", "xe-pvc", true)};
  two[1].cooperativeMatrices = true;
  EXPECT_EQ(chosen(two, "spirv"), "soft dg2");
  EXPECT_EQ(chosen(two, "spirv-coop"), "soft pvc");
  two.pop_back();
  EXPECT_EQ(chosen(two, "spirv-coop"), "no Intel GPU or software device with cooperative matrices: there is soft dg2 (xe-dg2)");
}

TEST(DeviceChoice, UsersNameIt) {
  for (DeviceChoice choice : kDeviceChoices) EXPECT_EQ(deviceChoiceNamed(deviceChoiceName(choice)), choice);
  EXPECT_EQ(deviceChoiceNamed("any"), std::nullopt);
}

void makeEmpty(const std::filesystem::path &file) { std::ofstream made(file); }

// Python packages contain a driver, but do not register it with the loaders.
TEST(Drivers, OpenClsOfPythonPackagesIsFound) {
  test::TemporaryFolder root;
  EXPECT_EQ(packagedClDriver("", ""), "");
  EXPECT_EQ(packagedClDriver(root / "venv", root / "build/release/bin"), "");
  for (const char *folder : {"build/release/bin", "build/opencl/lib", "venv/lib"})
    std::filesystem::create_directories(root / folder);
  makeEmpty(root / "build/opencl/lib/libintelocl.so");
  EXPECT_EQ(packagedClDriver(root / "venv", root / "build/release/bin"),
            (root / "build/release/bin/../../opencl/lib/libintelocl.so").string());
  makeEmpty(root / "venv/lib/libintelocl.so");
  EXPECT_EQ(packagedClDriver(root / "venv", root / "build/release/bin"), (root / "venv/lib/libintelocl.so").string());
}

// The environment variable replaces the drivers that the loader would find by itself.
TEST(Drivers, TheSoftwareDeviceIsAddedToWhatTheLoaderFinds) {
  std::string soft = "/there/lib/libze_xt_soft.so";
  EXPECT_EQ(driversFor(DeviceChoice::Any, "", soft, true), "libze_intel_gpu.so.1,/there/lib/libze_xt_soft.so");
  EXPECT_EQ(driversFor(DeviceChoice::Soft, "", soft, true), soft);
  EXPECT_EQ(driversFor(DeviceChoice::Any, "", soft, false), soft) << "there is no GPU to look for";
  EXPECT_EQ(driversFor(DeviceChoice::Gpu, "", soft, true), std::nullopt);
  EXPECT_EQ(driversFor(DeviceChoice::Any, "", "", true), std::nullopt);
  EXPECT_EQ(driversFor(DeviceChoice::Any, "/other.so", soft, true), "/other.so,/there/lib/libze_xt_soft.so")
      << "the user's own";
  EXPECT_EQ(driversFor(DeviceChoice::Any, "/mine/libze_xt_soft.so", soft, true), std::nullopt);
  EXPECT_EQ(softDriverPath("/nothing/of/the/kind"), "");
}

} // namespace
} // namespace xt
