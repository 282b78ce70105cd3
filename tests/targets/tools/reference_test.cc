// Checks the language reference: its blocks of .xt must compile, those with tests must pass, and its pictures of layouts must
// be those that `xtc --show-layout` draws.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

// A fenced block of a page: the rest of the line of the opening fence, and the text between the fences.
struct Block {
  std::string info, text;
  int line; // line of the opening fence, from 1
};

std::vector<Block> blocksOf(const fs::path &page) {
  std::vector<Block> blocks;
  std::istringstream in(test::readText(page));
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), "", number});
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  return blocks;
}

std::vector<fs::path> pages() { return test::filesIn("../lang/reference", ".md"); }

// A block is marked `xt`, or `xt fails CODE` if the compiler must report that code.
TEST(Reference, BlocksCompileAndPass) {
  test::TemporaryFolder folder;
  fs::path file = folder / "block.xt";
  size_t passed = 0, refused = 0;
  for (const fs::path &page : pages())
    for (const Block &block : blocksOf(page)) {
      if (block.info != "xt" && !block.info.starts_with("xt ")) continue;
      SCOPED_TRACE(page.filename().string() + ":" + std::to_string(block.line));
      std::ofstream(file) << block.text;
      if (block.info == "xt") {
        bool hasTests = block.text.find("\ntest \"") != std::string::npos;
        test::ToolRun run = test::runTool((hasTests ? "%bin/xtrun " : "%bin/xtc --check ") + file.string());
        EXPECT_EQ(run.status, 0) << run.output;
        ++passed;
        continue;
      }
      const std::string marker = "xt fails ";
      ASSERT_TRUE(block.info.starts_with(marker)) << block.info;
      std::string code = block.info.substr(marker.size());
      test::ToolRun run = test::runTool("%bin/xtc --check " + file.string());
      EXPECT_EQ(run.status, 2) << run.output;
      EXPECT_NE(run.output.find("[" + code + "]"), std::string::npos) << run.output;
      ++refused;
    }
  EXPECT_GE(passed, 20u);
  EXPECT_GE(refused, 5u);
}

// A picture is a block without a language whose first line is `LAYOUT on SHAPE`. It may omit paragraphs of the drawing.
TEST(Reference, PicturesAreWhatTheToolDraws) {
  size_t pictures = 0;
  for (const fs::path &page : pages())
    for (const Block &block : blocksOf(page)) {
      if (!block.info.empty() || !block.text.starts_with("#")) continue;
      std::string first = block.text.substr(0, block.text.find('\n'));
      size_t on = first.rfind(" on ");
      if (on == std::string::npos) continue;
      SCOPED_TRACE(page.filename().string() + ":" + std::to_string(block.line));
      test::ToolRun run = test::runTool("%bin/xtc --show-layout '" + first.substr(0, on) + "' --shape " + first.substr(on + 4) +
                                        " --lanes --registers");
      EXPECT_EQ(run.status, 0) << run.output;
      for (size_t begin = 0; begin < block.text.size();) {
        size_t end = std::min(block.text.find("\n\n", begin), block.text.size());
        std::string paragraph = block.text.substr(begin, end - begin);
        EXPECT_NE(run.output.find(paragraph), std::string::npos) << paragraph << "\nis not in\n" << run.output;
        begin = end + 2;
      }
      ++pictures;
    }
  EXPECT_GE(pictures, 6u);
}

} // namespace
} // namespace xt
