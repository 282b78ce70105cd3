// Tests command lines as users type them. Each NAME.cmd of commands/ has several, which run in order in a separate folder that
// starts as a copy of commands/files. Their output and exit statuses are in NAME.txt, without times.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

// Runs each line; a "\" at its end continues it on the next line.
std::string session(const fs::path &script, const fs::path &folder) {
  std::istringstream lines(test::readText(script));
  std::string out, line, command;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') {
      out += line + "\n";
      continue;
    }
    command += line;
    if (command.back() == '\\') {
      command.back() = '\n';
      continue;
    }
    test::ToolRun run = test::runTool("cd " + folder.string() + " && PATH=%bin:$PATH && " + command);
    EXPECT_EQ(run.output.find("compiler bug"), std::string::npos) << command << '\n' << run.output;
    out += "$ " + command + "\n" + test::withoutTimes(run.output) + "=> " + std::to_string(run.status) + "\n";
    command.clear();
  }
  return out;
}

TEST(Commands, EachPrintsWhatItsFileSays) {
  size_t seen = 0;
  for (const auto &script : test::filesIn("targets/tools/commands", ".cmd")) {
    SCOPED_TRACE(script.filename());
    test::TemporaryFolder folder;
    fs::copy(fs::path(XT_SOURCE_DIR) / "tests/targets/tools/commands/files", folder.path(), fs::copy_options::recursive);
    std::string printed = session(script, folder.path());
    EXPECT_EQ(printed.find(folder.string()), std::string::npos) << "a path of this run is in the text";
    fs::path golden = script;
    test::expectGolden(golden.replace_extension(".txt"), printed);
    ++seen;
  }
  EXPECT_GE(seen, 4u);
}

// A warning does not affect the exit status, which is 0. The message is in the text file of the same name. NAME.TARGET.xt is
// compiled for TARGET.
TEST(Commands, EachWarningIsPrinted) {
  for (const auto &path : test::filesIn("targets/tools/warnings", ".xt")) {
    std::string target = path.stem().extension().string(), option = target.empty() ? "" : "--target=" + target.substr(1) + " ";
    test::ToolRun run =
        test::runTool("cd " + path.parent_path().string() + " && %bin/xtc " + option + path.filename().string());
    EXPECT_EQ(run.status, 0) << path << run.output;
    EXPECT_NE(run.output.find("warning[XT" + path.filename().string().substr(5, 4) + "]"), std::string::npos) << run.output;
    fs::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), run.output);
  }
}

TEST(Remarks, SayWhatLayoutsCost) {
  test::ToolRun run = test::runTool("%bin/xtc --remarks %src/examples/02_fused_reduce.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("remark[XT0420]: `transpose` moves"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("remark[XT0420]: `convert_layout` moves"), std::string::npos) << run.output;
  // With the map of appendix 2.3 the transpose stays inside each subgroup.
  test::ToolRun better = test::runTool("%bin/xtc --remarks %src/examples/03_transpose_layout.xt");
  EXPECT_EQ(better.output.find("through shared local memory"), std::string::npos) << better.output;
  EXPECT_EQ(test::runTool("%bin/xtc %src/examples/02_fused_reduce.xt").output, "");
}

} // namespace
} // namespace xt
