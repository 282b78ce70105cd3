// Tests that the programs at lane scope pass on both targets, as written and after the CPU's passes.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"

#include <unistd.h>

namespace xt {
namespace {

TEST(Lanes, ProgramsPassAsWrittenAndLowered) {
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("xt-lanes-" + std::to_string(getpid()));
  fs::create_directory(folder);
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
  fs::remove_all(folder);
}

} // namespace
} // namespace xt
