#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace xt::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// Intel's OpenCL runtime takes most of the time of --doctor.
const std::string kNoOpenCl = "OCL_ICD_VENDORS=/nonexistent ";

TEST(Doctor, RunsAKernelOnEachTarget) {
  ToolRun text = runTool(kNoOpenCl + "%bin/xtrun --doctor");
  EXPECT_NE(text.output.find(text.status == 0 ? "All required parts work." : "FAIL"), std::string::npos) << text.output;
  ToolRun ran = runTool("%bin/xtrun --doctor --json");
  Json report = Json::parse(ran.output, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << ran.output;
  EXPECT_EQ(report["status"], ran.status);
  std::map<std::string, bool> passed;
  bool allPassed = true; // a target may have several devices
  for (const Json &kernel : report["kernels"]) {
    passed[kernel["target"]] = kernel["passed"];
    allPassed &= kernel["passed"].get<bool>();
  }
  for (const char *target : {"interp", "cpu"}) EXPECT_TRUE(passed[target]) << ran.output;
  for (const char *target : {"xe", "xe-pvc", "xe-bmg", "xe-dg2", "spirv"}) EXPECT_TRUE(passed.contains(target)) << ran.output;
  bool allFound = true;
  for (const Json &requirement : report["requirements"]) allFound &= !requirement["needed"] || requirement["found"];
  EXPECT_EQ(ran.status, allPassed && allFound ? 0 : 3) << ran.output;
  EXPECT_EQ(report["llvm"].get<std::string>().substr(0, 3), "22.");
}

// Missing parts must be reported, with the packages to install, and determine the status.
TEST(Doctor, SaysWhatIsMissing) {
  ToolRun ran = runTool(kNoOpenCl + "PATH=%in %bin/xtrun --doctor");
  EXPECT_EQ(ran.status, 3) << ran.output;
  EXPECT_NE(ran.output.find("FAIL  xe: the software device's reader of SPIR-V: no program llvm-spirv-15 in PATH\n        "
                            "install Debian's package llvm-spirv-15\n"),
            std::string::npos)
      << ran.output;
  EXPECT_NE(ran.output.find("ocloc (for xtc --emit=isa): not in PATH\n        install Debian's package intel-opencl-icd\n"),
            std::string::npos)
      << ran.output;
  EXPECT_NE(ran.output.find("FAIL  xe: a kernel: status 3: "), std::string::npos) << ran.output;
  EXPECT_NE(ran.output.find("ok    cpu: a kernel: "), std::string::npos) << ran.output;
}

TEST(Doctor, TellsTheStateOfTheCache) {
  TemporaryFolder parent;
  std::string folder = (parent / "cache").string(); // xtrun makes it
  EXPECT_EQ(runTool("XT_CACHE_DIR=" + folder + " %bin/xtrun --small --test masked %src/stdlib/softmax.xt").status, 0);
  ToolRun used = runTool(kNoOpenCl + "XT_CACHE_LIMIT=3M XT_CACHE_DIR=" + folder + " %bin/xtrun --doctor --json");
  Json report = Json::parse(used.output, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << used.output;
  EXPECT_EQ(report["cache"]["entries"], 1) << used.output;
  EXPECT_EQ(report["cache"]["limit"], 3 << 20);
  fs::permissions(folder, fs::perms::all);
  ToolRun refused = runTool(kNoOpenCl + "XT_CACHE_DIR=" + folder + " %bin/xtrun --doctor");
  EXPECT_NE(refused.output.find("the cache of compiled code: not used: other users can write to "), std::string::npos)
      << refused.output;
}

// The time limit ends the process at once, but its temporary files must be removed. The reader of SPIR-V never ends here, so
// that kernels are running when the time is over.
TEST(Doctor, TheTimeLimitLeavesNoFiles) {
  TemporaryFolder folder;
  for (const char *inner : {"tmp", "bin"}) fs::create_directory(folder / inner);
  std::ofstream(folder / "bin/llvm-spirv-15") << "#!/bin/sh\n: >" << (folder / "started").string() << "\nexec sleep 1000000\n";
  fs::permissions(folder / "bin/llvm-spirv-15", fs::perms::owner_all);
  // A slow machine needs a longer limit to reach the first kernel.
  for (int limit = 5; limit <= 320 && !fs::exists(folder / "started"); limit *= 2) {
    ToolRun ran = runTool(
        "cd " + folder.string() +
        " && TMPDIR=$PWD/tmp PATH=$PWD/bin:$PATH XT_CACHE_DIR= %bin/xtrun --doctor --time-limit=" + std::to_string(limit));
    EXPECT_EQ(ran.status, 3) << ran.output;
    EXPECT_TRUE(fs::is_empty(folder / "tmp")) << ran.output;
  }
  EXPECT_TRUE(fs::exists(folder / "started"));
}

} // namespace
} // namespace xt::test
