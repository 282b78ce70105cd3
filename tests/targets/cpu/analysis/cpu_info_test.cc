#include "targets/cpu/analysis/cpu_info.h"
#include "targets/llvm/machine.h"

#include <gtest/gtest.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/TargetParser/Host.h>

#include <string>

namespace xt {
namespace {

// The name and the features together describe this machine, except for AMX if this process may not use it.
TEST(CpuInfo, HostHasWhatThisMachineHas) {
  Result<CpuInfo> host = cpuInfo("host");
  ASSERT_TRUE(host.ok());
  auto machine = makeTargetMachine(host->triple, host->name, host->features);
  ASSERT_TRUE(machine.ok());
  for (const auto &feature : llvm::sys::getHostCPUFeatures()) {
    std::string name = feature.getKey().str();
    if (name.starts_with("amx")) continue;
    EXPECT_EQ((*machine)->getMCSubtargetInfo()->checkFeatures("+" + name), feature.getValue())
        << name << " beside " << host->name << " " << host->features;
  }
}

// LLVM parses the features again for every kernel, so no feature may repeat what the processor's name implies.
TEST(CpuInfo, HostSaysNothingTwice) {
  Result<CpuInfo> host = cpuInfo("host");
  ASSERT_TRUE(host.ok());
  auto plain = makeTargetMachine(host->triple, host->name, "");
  ASSERT_TRUE(plain.ok());
  for (size_t at = 0; at < host->features.size();) {
    std::string feature = host->features.substr(at, host->features.find(',', at) - at);
    const bool there = (*plain)->getMCSubtargetInfo()->checkFeatures("+" + feature.substr(1));
    EXPECT_NE(there, feature[0] == '+') << feature;
    at += feature.size() + 1;
  }
}

TEST(CpuInfo, UnknownProcessor) {
  Result<CpuInfo> none = cpuInfo("znver99");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("unknown processor 'znver99'"), std::string::npos) << none.error().message;
}

} // namespace
} // namespace xt
