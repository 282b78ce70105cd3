// Tests that the programs at lane scope pass on both targets, as written and after the CPU's passes.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

TEST(Lanes, ProgramsPassAsWrittenAndLowered) {
  test::TemporaryFolder folder;
  std::string lowered = (folder / "lowered.xt").string();
  size_t files = 0;
  for (const auto &path : test::filesIn("targets/interp/programs", ".xt")) {
    if (!path.filename().string().starts_with("lanes_")) continue;
    ++files;
    for (const std::string &file : {path.string(), lowered}) {
      test::ToolRun ran = test::runTool("%bin/xtrun --target=interp,cpu " + file);
      EXPECT_EQ(ran.status, 0) << path << '\n' << ran.output;
      if (file == lowered) continue;
      ran = test::runTool("%bin/xtc --run=infer-layouts,xegpu-to-tiles,canonicalize --emit=ir " + file + " > " + lowered);
      EXPECT_EQ(ran.status, 0) << path << '\n' << ran.output;
    }
  }
  EXPECT_GE(files, 3u);
}

} // namespace
} // namespace xt
