// Each program of this folder passes its tests on the interpreter, also with all its checks, on the CPU and on the software device as each GPU. A program
// whose first line is `// not on NAME: REASON` is refused for that GPU with a message that contains the reason.
#include "ir/base/text.h"
#include "ir/gpu/target_info.h"
#include "tests/golden.h"
#include "tests/targets/xe/run/xe_device.h"

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

class Language : public ::testing::TestWithParam<std::string> {
protected:
  std::string path() const { return XT_SOURCE_DIR "/tests/targets/language/" + GetParam() + ".xt"; }
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
  for (const TargetInfo &gpu : targetInfos(GpuFamily::Xe)) {
    std::string reason = whyNot(text, gpu.name);
    if (reason.empty()) {
      passesOn(str("interp,", gpu.name));
      continue;
    }
    ToolRun run = runTool(str("%bin/xtrun --device=soft --target=", gpu.name, " ", path()));
    EXPECT_NE(run.status, 0) << gpu.name << " runs it after all";
    EXPECT_NE(run.output.find(reason), std::string::npos) << gpu.name << '\n' << run.output;
  }
}

TEST_P(Language, OnNvidiaGpus) {
  for (const TargetInfo &gpu : targetInfos(GpuFamily::Nvidia)) passesOn(str("interp,", gpu.name));
}

TEST_P(Language, DumpsRun) {
  std::string dump = ::testing::TempDir() + GetParam() + ".ir.xt";
  ToolRun made = runTool(str("%bin/xtc --round-trip --emit=ir ", path(), " -o ", dump));
  ASSERT_EQ(made.status, 0) << made.output;
  ToolRun run = runTool(str("%bin/xtrun --target=interp ", dump));
  EXPECT_EQ(run.status, 0) << run.output;
  std::filesystem::remove(dump);
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
