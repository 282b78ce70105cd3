// Each program of this folder passes its tests on the interpreter, also with all its checks, on the CPU, and on the software
// devices: as one or two of Intel's GPUs and one of NVIDIA's in turn, in tests/run --full as each. A program whose first line is
// `// not on NAME: REASON` is refused for that GPU with a message that contains the reason.
#include "ir/base/text.h"
#include "ir/gpu/target_info.h"
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/targets/xe/run/xe_device.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const std::filesystem::path &path : test::filesIn("targets/language", ".xt")) names.push_back(path.stem().string());
  return names;
}

// The reason in the program's text why it does not run on the GPU; "" if it does.
std::string whyNot(const std::string &text, std::string_view gpu) {
  std::string prefix = str("// not on ", gpu, ": ");
  size_t at = text.find(prefix);
  if (at == std::string::npos) return "";
  at += prefix.size();
  return text.substr(at, text.find('\n', at) - at);
}

std::vector<std::string> gpusOf(GpuFamily family) {
  std::vector<std::string> names;
  for (const TargetInfo &gpu : targetInfos(family)) names.push_back(std::string(gpu.name));
  return names;
}

// Intel's GPUs, at most two of them together, which differ: neighbours in the list of targets are alike.
std::vector<std::vector<std::string>> groupsOfXeGpus() {
  std::vector<std::string> names = gpusOf(GpuFamily::Xe);
  std::vector<std::vector<std::string>> groups((names.size() + 1) / 2);
  for (size_t i = 0; i < names.size(); ++i) groups[i % groups.size()].push_back(names[i]);
  return groups;
}

class Language : public ::testing::TestWithParam<std::string> {
protected:
  std::string path() const { return XT_SOURCE_DIR "/tests/targets/language/" + GetParam() + ".xt"; }
  size_t turn() const {
    std::vector<std::string> all = programs();
    return static_cast<size_t>(std::ranges::find(all, GetParam()) - all.begin());
  }
  void passesOn(const std::string &targets) const {
    ToolRun run = runTool(str("%bin/xtrun ", targets.find("cpu") == std::string::npos ? "--device=soft " : "",
                              "--target=", targets, " ", path()));
    EXPECT_EQ(run.status, 0) << targets << '\n' << run.output;
    EXPECT_EQ(run.output.find("failed"), std::string::npos) << targets << '\n' << run.output;
  }
};

TEST_P(Language, OnInterpreterAndCpu) { passesOn("interp,cpu"); }

TEST_P(Language, WithAllChecks) {
  ToolRun run = runTool(str("%bin/xtrun -q --check=all ", path()));
  EXPECT_EQ(run.status, 0) << run.output;
}

TEST_P(Language, OnGpus) {
  if (std::string package = test::missingXePackage(); !package.empty())
    GTEST_SKIP() << "Debian's package " << package << " is not installed";
  std::string text = test::readText(path());
  for (const std::vector<std::string> &group : test::byTurns(groupsOfXeGpus(), turn()))
    for (const std::string &gpu : group) {
      std::string reason = whyNot(text, gpu);
      if (reason.empty()) {
        passesOn("interp," + gpu);
        continue;
      }
      ToolRun run = runTool(str("%bin/xtrun --device=soft --target=", gpu, " ", path()));
      EXPECT_NE(run.status, 0) << gpu << " runs it after all";
      EXPECT_NE(run.output.find(reason), std::string::npos) << gpu << '\n' << run.output;
    }
}

TEST_P(Language, OnNvidiaGpus) {
  for (const std::string &gpu : test::byTurns(gpusOf(GpuFamily::Nvidia), turn())) passesOn("interp," + gpu);
}

TEST_P(Language, DumpsRun) {
  test::TemporaryFolder folder;
  std::string dump = (folder / (GetParam() + ".ir.xt")).string();
  ToolRun made = runTool(str("%bin/xtc --round-trip --emit=ir ", path(), " -o ", dump));
  ASSERT_EQ(made.status, 0) << made.output;
  ToolRun run = runTool(str("%bin/xtrun --target=interp ", dump));
  EXPECT_EQ(run.status, 0) << run.output;
}

// Accesses out of bounds are legal, so that check is left out.
TEST_P(Language, HasNoRaces) {
  ToolRun run = runTool(str("%bin/xtrun --check=race,uninit,divergence ", path()));
  EXPECT_EQ(run.status, 0) << run.output;
}

INSTANTIATE_TEST_SUITE_P(Programs, Language, ::testing::ValuesIn(programs()),
                         [](const auto &program) { return program.param; });

} // namespace
} // namespace xt
