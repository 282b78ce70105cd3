// Tests xtc --show-layout: its output, its search for layouts, and its error messages.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <fstream>

namespace xt {
namespace {

namespace fs = std::filesystem;

test::ToolRun show(const std::string &arguments) { return test::runTool("%bin/xtc --show-layout " + arguments); }

void expectPrints(const std::string &arguments, const std::string &part) {
  test::ToolRun run = show(arguments);
  EXPECT_EQ(run.status, 0) << arguments << '\n' << run.output;
  EXPECT_NE(run.output.find(part), std::string::npos) << arguments << '\n' << run.output;
}

void expectRefuses(const std::string &arguments, int status, const std::string &part) {
  test::ToolRun run = show(arguments);
  EXPECT_EQ(run.status, status) << arguments << '\n' << run.output;
  EXPECT_NE(run.output.find(part), std::string::npos) << arguments << '\n' << run.output;
  EXPECT_EQ(run.output.find("a cell is"), std::string::npos) << "a drawing all the same";
}

TEST(ShowLayout, DrawsTheTableOfTheRfc) {
  test::ToolRun run = show("'#wg_map<sg_layout = [2, 2], sg_data = [32, 128]>' --shape 128x128");
  EXPECT_EQ(run.status, 0);
  // tests/ir/drawing tests the drawing itself.
  EXPECT_TRUE(run.output.starts_with("#wg_map<sg_layout = [2, 2], sg_data = [32, 128]> on 128x128\n"
                                     "\n"
                                     "subgroups; a cell is 32x128\n"
                                     "       0\n"
                                     " 0   0,1\n"))
      << run.output;
}

TEST(ShowLayout, FindsLayoutsByNameAndBySpelling) {
  const std::string a = "#wg_map<sg_layout = [8, 4], sg_data = [32, 32]> on 256x32\n";
  expectPrints("'#mp_a' --shape 256x32 %in/layouts.xt", a);
  expectPrints("mp_a --shape 256x32 %in/layouts.xt", a);
  expectPrints("'#tile' --shape 256x32 %in/layouts.xt", a);
  expectPrints("'#tile_attr<wg = #mp_a>' --shape 256x32 %in/layouts.xt", a);
  expectPrints("'#wg_map<sg_layout = [$ROWS, 4], sg_data = [32, 32]>' --shape 256x32 %in/layouts.xt", a);
  expectPrints("'#mp_a' -D ROWS=16 --shape 256x32 %in/layouts.xt", "sg_layout = [16, 4], sg_data = [16, 32]");
  expectPrints("'#mp_a' --shape 256x256 %src/examples/01_gemm.xt", "32x64 = 2048 of 65536 elements, in 1x2 blocks of 32x32");
  // The user's spelling is printed first, then the usual one.
  expectPrints("'#layout<[8:sg*4, 32], [32], copies = [4:sg*1]>' --shape 256x32",
               "#layout<[8:sg*4, 32], [32], copies = [4:sg*1]> on 256x32\nequal to #wg_map<");
  expectPrints("'#sg_map<wi_layout = [1, 16], wi_data = [1, 1]>' --shape 8x16", "lanes; a cell is 8x1\n");
  const std::string nested = "'#nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], "
                             "thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [1, 0], "
                             "thread_strides = [1, 16]>' --shape 64x64";
  expectPrints(nested, "lanes       64 per subgroup; each holds 2x16 = 32 elements, in 2x4 blocks of 1x4");
  expectPrints(nested, "\nequal to #layout<[2:sg*1, 2, 16:lane*1], [4, 4:lane*16, 4]>\n"
                       "each lane holds vector<2x4x1x1x1x4>, collapsed vector<2x16>\n\nsubgroups; a cell is");
  expectPrints("'#nested_layout<subgroup_tile = [2], batch_tile = [2], outer_tile = [1], thread_tile = [1], "
               "element_tile = [4], subgroup_strides = [1], thread_strides = [0]>' --shape 16",
               "each subgroup holds vector<2x1x4>, collapsed vector<8>\n");
  expectPrints("'#wg_map<sg_layout = [2, 1, 1, 1, 2], sg_data = [1, 1, 1, 1, 1]>' --shape 2x1x3x1x2", "at [1, 0, 0]:");
}

TEST(ShowLayout, FindsLayoutsOfImportedFiles) {
  test::TemporaryFolder folder;
  fs::create_directory(folder / "parts");
  auto write = [&](const char *name, const std::string &text) { std::ofstream(folder / name) << text; };
  write("parts/rows.xt", "param $ROWS : index = 8\n#rows = #wg_map<sg_layout = [$ROWS, 1], sg_data = [4, 32]>\n");
  write("parts/all.xt", "import \"rows\"\n");
  write("shown.xt", "import \"parts/all\"\n#own = #rows\n");
  write("lost.xt", "import \"parts/none\"\n#own = #wg_map<sg_layout = [1, 1], sg_data = [4, 4]>\n");
  write("empty.xt", "import \"parts/nothing\"\n");
  write("parts/nothing.xt", "");
  std::string at = " --shape 64x32 " + (folder / "shown.xt").string();
  const std::string drawn = "#wg_map<sg_layout = [8, 1], sg_data = [4, 32]> on 64x32\n";
  expectPrints("'#rows'" + at, drawn);
  expectPrints("'#own'" + at, drawn);
  expectPrints("'#own' -D ROWS=16" + at, "sg_layout = [16, 1]");
  expectRefuses("'#columns'" + at, 2, "shown.xt and its imports are #own, #rows");
  expectRefuses("'#own' --shape 4x4 " + (folder / "lost.xt").string(), 2, "cannot import \"parts/none\"");
  expectRefuses("'#own' --shape 4x4 " + (folder / "empty.xt").string(), 2, "empty.xt and its imports define no alias");
}

TEST(ShowLayout, LanesRegistersAndColors) {
  expectPrints("'#mp_xe' --shape 128x128 --lanes %in/layouts.xt", "lanes of subgroup 0; a cell is 1x2\n");
  expectPrints("'#mp_xe' --shape 128x128 --registers %in/layouts.xt", "registers of lane 0 in subgroup 0; a cell is 1x1\n");
  expectPrints("'#mp_a' --shape 256x32 --color=always %in/layouts.xt", "\x1b[38;5;16;48;5;");
  EXPECT_EQ(show("'#mp_a' --shape 256x32 %in/layouts.xt").output.find('\x1b'), std::string::npos);
}

TEST(ShowLayout, WritesSvg) {
  test::TemporaryFolder folder;
  std::string file = (folder / "a.svg").string();
  expectPrints("'#mp_xe' --shape 4096x4096 --lanes --registers --svg " + file + " %in/layouts.xt", "... and ");
  std::string svg = test::readText(file);
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_NE(svg.find("#wg_map&lt;sg_layout = [2, 2]"), std::string::npos);
  EXPECT_LT(svg.size(), 1000000u);
  // An error must leave the old file unchanged, and must not create another file.
  expectRefuses("'#mp_a' --shape 3x3 --svg " + file + " %in/layouts.xt", 2, "XT0401");
  EXPECT_EQ(test::readText(file), svg);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  test::ToolRun run = show("'#mp_a' --shape 256x32 %in/layouts.xt --svg " + (folder / "none" / "a.svg").string());
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.output.find("cannot write "), std::string::npos) << run.output;
}

TEST(ShowLayout, AHyphenIsStandardOutput) {
  test::TemporaryFolder folder;
  test::ToolRun named =
      test::runTool("cd " + folder.string() + " && %bin/xtc --show-layout '#mp_a' --shape 256x32 %in/layouts.xt -o -");
  EXPECT_EQ(named.status, 0);
  EXPECT_EQ(named.output, show("'#mp_a' --shape 256x32 %in/layouts.xt").output);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(ShowLayout, Mistakes) {
  expectRefuses("'#mp_c' --shape 256x32 %in/layouts.xt", 2, "did you mean `#mp_a`?");
  expectRefuses("'#mp_c' --shape 256x32 %in/layouts.xt", 2, "layouts.xt are #columns, #mp_a, #mp_xe, #tile");
  expectRefuses("'#mp_c' --shape 256x32", 2, "give the file that defines it");
  expectRefuses("'#mp_c' --shape 256x32 %in/good.xt", 2, "good.xt defines no alias");
  expectRefuses("'#columns' --shape 256x32 %in/layouts.xt", 2, "this attribute is not a layout");
  expectRefuses("'#mp_a' --shape 48x32 %in/layouts.xt", 2, "this layout does not fit 48x32: extent 48 is neither");
  expectRefuses("'#mp_a' --shape 256x32x2 %in/layouts.xt", 2, "has 2 entries, but the shape has 3 dimensions");
  expectRefuses("'#wg_map<sg_layout = [8, 4]' --shape 256x32", 2, "error[XT01");
  expectRefuses("'#wg_map<sg_layout = [8, 4]>' --shape 256x32", 2, "wg_map needs sg_layout and sg_data");
  expectRefuses("7 --shape 256x32", 2, "XT0408");
  expectRefuses("\"$(printf '#mp_a\\nkernel @k() {}')\" --shape 256x32 %in/layouts.xt", 2, "--show-layout takes one layout");
  expectRefuses("'#mp_a' -D COLUMNS=2 --shape 256x32 %in/layouts.xt", 2, "has no parameter `$COLUMNS`");
  expectRefuses("'#mp_a' -D ROWS=x --shape 256x32 %in/layouts.xt", 2, "`x` is not a value");
  expectRefuses("'#mp_a' --shape 256x32 %in/fail_unclosed.xt", 2, "fail_unclosed.xt");
  expectRefuses("'#mp_a' --shape 256x32 %in/absent.xt", 3, "cannot read ");
  for (const char *shape : {"256y32", "256x", "x32", "0x4", "-4", "1x1x1x1x1x1", "99999999999999999999", "4.5", "256x32 "})
    expectRefuses("'#mp_a' --shape '" + std::string(shape) + "' %in/layouts.xt", 64, "--shape takes one to 5 positive extents");
  expectRefuses("'#mp_a' %in/layouts.xt", 64, "needs the tile's shape");
  expectRefuses("'' --shape 4 %in/layouts.xt", 64, "needs a layout");
  expectRefuses("'#mp_a' --shape 256x32 %in/layouts.xt %in/good.xt", 64, "at most one file");
  test::ToolRun alone = test::runTool("%bin/xtc --lanes %in/good.xt");
  EXPECT_EQ(alone.status, 64);
  EXPECT_NE(alone.output.find("--lanes needs --show-layout"), std::string::npos);
}

// Layouts that can be drawn must also run: each kind of layout, on extents that are not powers of two.
TEST(ShowLayout, EachKindOfLayoutRuns) {
  test::ToolRun runs = test::runTool("%bin/xtrun --target=interp,cpu %in/layout_runs.xt");
  EXPECT_EQ(runs.status, 0) << runs.output;
  test::ToolRun wraps = test::runTool("%bin/xtrun --target=interp %in/layout_wraps.xt");
  EXPECT_EQ(wraps.status, 0) << wraps.output;
}

} // namespace
} // namespace xt
