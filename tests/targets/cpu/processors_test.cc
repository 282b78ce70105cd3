// Reports for which processors the other tests run kernels, and for which they only compile kernels because this machine cannot
// run them.
#include "tests/targets/cpu/word_products.h"

namespace xt {
namespace {

// A processor that tests compile kernels for, and the feature that a machine most often lacks to run them.
struct Wanted {
  const char *processor, *feature;
};
constexpr Wanted kWanted[] = {{"x86-64", "sse2"},
                              {"x86-64-v3", "avx2"},
                              {"haswell", "avx2"},
                              {"alderlake", "avxvnni"},
                              {"cascadelake", "avx512vnni"},
                              {"znver4", "avx512bf16"},
                              {"sapphirerapids", "amx-bf16"}};

class ProcessorKernels : public testing::TestWithParam<Wanted> {};

bool contains(const std::vector<CpuInfo> &list, const char *name) {
  return std::any_of(list.begin(), list.end(), [&](const CpuInfo &cpu) { return cpu.name == name; });
}

TEST_P(ProcessorKernels, RunOnThisMachine) {
  auto [name, feature] = GetParam();
  Result<CpuInfo> cpu = cpuInfo(name);
  ASSERT_TRUE(cpu.ok()) << name;
  bool isRun = contains(processors(), name) || contains(runnable(), name);
  EXPECT_EQ(isRun, hostCanRun(*cpu));
  if (!isRun) GTEST_SKIP() << "kernels for " << name << " are compiled and not run: this machine has no " << feature;
}

INSTANTIATE_TEST_SUITE_P(Of, ProcessorKernels, testing::ValuesIn(kWanted), [](const auto &instance) {
  std::string name = instance.param.processor;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// The table above and those of the tests name the same processors.
TEST(ProcessorKernelsTest, TableIsComplete) {
  for (const Processor &processor : kProcessors)
    EXPECT_TRUE(std::any_of(std::begin(kWanted), std::end(kWanted), [&](const Wanted &wanted) {
      return std::string_view(wanted.processor) == processor.name;
    })) << processor.name;
}

} // namespace
} // namespace xt
