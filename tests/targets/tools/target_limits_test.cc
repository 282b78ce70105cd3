// Tests kernels that exceed the limits of a GPU. limits/fail_CODE_NAME.TARGET.xt is rejected for TARGET with the messages of
// the .txt file of the same name, the first of which has that code. Any other limits/NAME.TARGET.xt compiles without messages.
#include "ir/base/text.h"
#include "tests/targets/tools/gpu_kernels.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

std::string targetOf(const fs::path &path) { return path.stem().extension().string().substr(1); }
bool mustFail(const fs::path &path) { return path.filename().string().starts_with("fail_"); }

test::ToolRun compile(const fs::path &path, const std::string &options = "") {
  return test::runTool("cd " + path.parent_path().string() + " && %bin/xtc --target=" + targetOf(path) + " " + options + " " +
                       path.filename().string());
}

std::set<std::string> codesIn(const std::string &text) {
  std::set<std::string> codes;
  for (size_t at = text.find("[XT"); at != std::string::npos; at = text.find("[XT", at + 1))
    codes.insert(text.substr(at + 3, 4));
  return codes;
}

TEST(TargetLimits, EachIsReported) {
  size_t seen = 0;
  for (const auto &path : test::filesIn("targets/tools/limits", ".xt")) {
    if (!mustFail(path)) continue;
    SCOPED_TRACE(path.filename());
    test::ToolRun run = compile(path);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.output.rfind("error[XT" + path.filename().string().substr(5, 4) + "]", 0), 0u) << run.output;
    fs::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), run.output);
    ++seen;
  }
  EXPECT_GE(seen, 80u);
}

TEST(TargetLimits, WhatJustFitsCompiles) {
  for (const auto &path : test::filesIn("targets/tools/limits", ".xt")) {
    if (mustFail(path)) continue;
    test::ToolRun run = compile(path);
    EXPECT_EQ(run.status, 0) << path;
    std::set<std::string> codes = codesIn(run.output);
    codes.erase("0609"); // some kernels print their loads
    EXPECT_EQ(codes, std::set<std::string>()) << path << run.output;
  }
}

// The limits are also checked after passes chosen by the user, and nothing is written for a rejected kernel.
TEST(TargetLimits, AreCheckedAfterAnyPasses) {
  fs::path path = fs::path(XT_SOURCE_DIR) / "tests/targets/tools/limits/fail_0603_chunk.xe-pvc.xt";
  test::ToolRun all = compile(path), some = compile(path, "--run=cse --emit=ir"),
                none = test::runTool("%bin/xtc --run=cse " + path.string());
  EXPECT_EQ(some.status, 2);
  EXPECT_EQ(some.output, all.output);
  EXPECT_EQ(none.status, 0) << none.output;
}

// Returns what xtc prints when it refuses a file because each lane would have this many operations, with the time of each pass.
std::string refusalOf(const char *file, int64_t operations) {
  test::ToolRun run = compile(fs::path(XT_SOURCE_DIR) / "tests/targets/tools/limits" / file, "--emit=spirv --time-passes");
  EXPECT_EQ(run.status, 2);
  std::string text = str("error[XT0601]: the code of each lane of `@k` would have ", operations, " operations");
  EXPECT_NE(run.output.find(text), std::string::npos) << run.output;
  return run.output;
}

// A kernel whose blocks fit is refused where its lanes' code would not, before that code is made.
TEST(TargetLimits, CodeOfLanesIsNotMadeInVain) {
  std::string output = refusalOf("scan.xe-pvc.xt", 155504);
  EXPECT_EQ(output.find("pass sink-to-uses"), std::string::npos) << output;
}

// The products that lanes compute themselves are counted before the code of the lanes is made, which takes seconds.
TEST(TargetLimits, ProductsOfLanesAreCountedInBlocks) {
  std::string output = refusalOf("products_of_lanes.xe-pvc.xt", 205276);
  EXPECT_TRUE(std::regex_search(output, std::regex("pass distribute-to-lanes \\((\\d+) -> \\1 ops\\)"))) << output;
}

// A replacement in the source by which a value that a message suggests is used.
struct Mending {
  std::string_view file;
  const char *says; // a regular expression that captures the excessive value and the suggested one
  std::vector<std::pair<const char *, const char *>> replaced; // replaced everywhere; $1, $2, … refer to the message
};
const Mending kMendings[] = {
    {"fail_0601_wide_tile.xe-pvc", "fits: (\\d+x\\d+) instead of (\\d+x\\d+) of a subgroup", {{"<$2x", "<$1x"}}},
    {"fail_0601_no_messages.xe-dg2", "fits: (\\d+x\\d+) instead of (\\d+x\\d+) of a subgroup", {{"<$2x", "<$1x"}}},
    {"fail_0601_workgroup.xe-bmg", "fits: (\\d+x\\d+) instead of (\\d+x\\d+) of a workgroup", {{"<$2x", "<$1x"}}},
    {"fail_0602_one.xe-dg2", "may have (\\d+) of its (\\d+) elements", {{"<$2x", "<$1x"}}},
    {"fail_0602_three_buffers.xe-pvc", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_shared.xe-dg2", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_columns.xe-pvc", "may have (\\d+) of its (\\d+) columns", {{"x$2x", "x$1x"}}},
    {"fail_0602_others_alone.spirv",
     "room for (\\d+) of the (\\d+) rows of `%b`, (\\d+) of the (\\d+) rows of `%a`",
     {{"<$2x", "<$1x"}}},
    {"fail_0610_store_rows.xe-pvc",
     "tensor_desc<(\\d+x\\d+)x\\w+>[\\s\\S]*size of one message: (\\d+x\\d+)x",
     {{"<$1x", "<$2x"}}},
    {"fail_0610_lanes.xe-pvc", "tensor_desc<(\\d+x\\d+)x\\w+>[\\s\\S]*size of one message: (\\d+x\\d+)x", {{"<$1x", "<$2x"}}},
    {"fail_0610_prefetch.xe-bmg",
     "tensor_desc<(\\d+x\\d+)x\\w+>[\\s\\S]*size of one message: (\\d+x\\d+)x",
     {{"<$1x", "<$2x"}}},
    {"fail_0610_store_columns.xe-bmg",
     "tensor_desc<(\\d+x\\d+)x\\w+>[\\s\\S]*size of one message: (\\d+x\\d+)x",
     {{"<$1x", "<$2x"}}},
    {"fail_0610_three_blocks.xe-pvc",
     "tensor_desc<32x(\\d+)x\\w+>[\\s\\S]*size of one message: 32x(\\d+)x",
     {{"32x$1x", "32x$2x"}, {"8x$1x", "8x$2x"}}},
    {"fail_0603_line_of_24_words.xe-pvc", "tensor_desc<(\\d+)x[\\s\\S]*size that works: (\\d+)x", {{"<$1x", "<$2x"}}},
    {"fail_0603_line_too_long.xe-dg2", "tensor_desc<(\\d+)x[\\s\\S]*size that works: (\\d+)x", {{"<$1x", "<$2x"}}},
    {"fail_0603_chunk.xe-pvc",
     "each lane takes (\\d+) [\\s\\S]*nearest is (\\d+)",
     {{"lane = $1", "lane = $2"}, {"<16x$1x", "<16x$2x"}}},
    {"fail_0603_lanes_with_offsets.xe-dg2", "no message of (\\d+) lanes[\\s\\S]*nearest is (\\d+)", {{"<$1x", "<$2x"}}},
    {"fail_0605_sizes.xe-pvc",
     "of (\\d+)x16x16\\n[\\s\\S]*size that works: (\\d+)x16x16",
     {{"%a = constant 1.0 : vector<$1x", "%a = constant 1.0 : vector<$2x"},
      {"vc} : vector<$1x", "vc} : vector<$2x"},
      {"-> vector<$1x", "-> vector<$2x"}}},
    {"fail_0606_count.xe-pvc", "has (\\d+) named barriers per workgroup, not (\\d+)", {{"constant $2 ", "constant $1 "}}},
    {"fail_0606_id.xe-bmg", "0 to (\\d+), not one with the id (\\d+)", {{"%id = constant $2 ", "%id = constant $1 "}}},
    {"fail_0607_lanes.spirv", "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups", {{"subgroups($1)", "subgroups($2)"}}},
    {"fail_0607_subgroups.xe-pvc",
     "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups",
     {{"subgroups($1)", "subgroups($2)"}}},
    {"fail_0607_with_products.xe-dg2",
     "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups",
     {{"subgroups($1)", "subgroups($2)"}}},
    {"fail_0607_layouts.spirv",
     "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups",
     {{"[$1, 1], sg_data = [1,", "[$2, 1], sg_data = [2,"}}},
    {"fail_0608_lanes.xe-pvc", "subgroups of (\\d+) lanes; xe-pvc has subgroups of (\\d+)", {{"lanes($1)", "lanes($2)"}}},
    {"fail_0601_workgroup.nv-sm90", "fits: (\\d+x\\d+) instead of (\\d+x\\d+) of a workgroup", {{"<$2x", "<$1x"}}},
    {"fail_0602_one.nv-sm80", "may have (\\d+) of its (\\d+) elements", {{"<$2x", "<$1x"}}},
    {"fail_0602_one.nv-sm89", "may have (\\d+) of its (\\d+) elements", {{"<$2x", "<$1x"}}},
    {"fail_0602_one.nv-sm90", "may have (\\d+) of its (\\d+) elements", {{"<$2x", "<$1x"}}},
    {"fail_0602_rows.nv", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_rows_of_bytes.nv-sm90", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_columns_of_doubles.nv-sm80", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_halves.nv-sm89", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_two_buffers.nv-sm80", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0602_shared.nv-sm89", "may have (\\d+) of its (\\d+) rows", {{"<$2x", "<$1x"}}},
    {"fail_0605_rows.nv-sm80",
     "of (\\d+)x8x16\\n[\\s\\S]*size that works: (\\d+)x8x16",
     {{"<$1x16xf16", "<$2x16xf16"}, {"<$1x8xf32", "<$2x8xf32"}}},
    {"fail_0605_columns.nv-sm89",
     "of 16x(\\d+)x8\\n[\\s\\S]*size that works: 16x(\\d+)x8",
     {{"<8x$1xbf16", "<8x$2xbf16"}, {"<16x$1xf32", "<16x$2xf32"}}},
    {"fail_0605_depth.nv-sm90",
     "of 16x8x(\\d+)\\n[\\s\\S]*size that works: 16x8x(\\d+)",
     {{"<16x$1xf16", "<16x$2xf16"}, {"<$1x8xf16", "<$2x8xf16"}}},
    {"fail_0605_tf32_depth.nv-sm80",
     "of 16x8x(\\d+)\\n[\\s\\S]*size that works: 16x8x(\\d+)",
     {{"<$1x8xtf32", "<$2x8xtf32"}, {"<16x$1xtf32", "<16x$2xtf32"}}},
    {"fail_0605_doubles.nv-sm80", "of (\\d+)x8x4\\n[\\s\\S]*size that works: (\\d+)x8x4", {{"<$1x", "<$2x"}}},
    {"fail_0606_count.nv-sm80", "has (\\d+) named barriers per workgroup, not (\\d+)", {{"constant $2 ", "constant $1 "}}},
    {"fail_0606_count.nv-sm90", "has (\\d+) named barriers per workgroup, not (\\d+)", {{"constant $2 ", "constant $1 "}}},
    {"fail_0606_id.nv", "0 to (\\d+), not one with the id (\\d+)", {{"%id   = constant $2 ", "%id   = constant $1 "}}},
    {"fail_0607_subgroups.nv", "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups", {{"subgroups($1)", "subgroups($2)"}}},
    {"fail_0607_subgroups.nv-sm80",
     "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups",
     {{"subgroups($1)", "subgroups($2)"}}},
    {"fail_0607_subgroups.nv-sm90",
     "has (\\d+) subgroups[\\s\\S]*at most (\\d+) subgroups",
     {{"subgroups($1)", "subgroups($2)"}}},
    {"fail_0607_layouts.nv-sm90",
     "maps that do:\\s+(#rows = .*>)",
     {{"#rows = #wg_map<sg_layout = [64, 1], sg_data = [1, 32]>", "$1"}}},
    {"fail_0607_squares.nv-sm89",
     "maps that do:\\s+(#map = .*>)",
     {{"#map = #wg_map<sg_layout = [8, 8], sg_data = [8, 8]>", "$1"}}},
    {"fail_0607_with_products.nv-sm80",
     "maps that do:\\s+(#a = .*>)\\s+(#b = .*>)\\s+(#c = .*>)",
     {{"#a = #wg_map<sg_layout = [8, 8], sg_data = [16, 32]>", "$1"},
      {"#b = #wg_map<sg_layout = [8, 8], sg_data = [32, 16]>", "$2"},
      {"#c = #wg_map<sg_layout = [8, 8], sg_data = [16, 16]>", "$3"}}},
    {"fail_0608_lanes.nv", "subgroups of (\\d+) lanes; nv\\S* has subgroups of (\\d+)", {{"lanes($1)", "lanes($2)"}}},
    {"fail_0608_lanes.nv-sm80", "subgroups of (\\d+) lanes; nv\\S* has subgroups of (\\d+)", {{"lanes($1)", "lanes($2)"}}},
    {"fail_0608_lanes.nv-sm90", "subgroups of (\\d+) lanes; nv\\S* has subgroups of (\\d+)", {{"lanes($1)", "lanes($2)"}}},
    {"fail_0608_layouts_of_lanes.nv",
     "`lanes\\((\\d+)\\)` is the nearest that works; 1 layout is for (\\d+) lanes",
     {{"lanes($2)", "lanes($1)"}, {"wi_layout = [$2]", "wi_layout = [$1]"}, {"<$2xi32", "<$1xi32"}}},
    {"fail_0612_rows.nv-sm80",
     "of (\\d+)x8x16\\n[\\s\\S]*size that works: (\\d+)x8x16",
     {{"<$1x16xf16", "<$2x16xf16"}, {"<$1x8xf32", "<$2x8xf32"}}},
    {"fail_0612_columns.nv-sm90",
     "of 16x(\\d+)x16\\n[\\s\\S]*size that works: 16x(\\d+)x16",
     {{"<16x$1xbf16, b", "<16x$2xbf16, b"}, {"<16x$1xf32", "<16x$2xf32"}}},
    {"fail_0612_depth.nv-sm89",
     "of 16x8x(\\d+)\\n[\\s\\S]*size that works: 16x8x(\\d+)",
     {{"<16x$1xi8", "<16x$2xi8"}, {"<$1x8xi8", "<$2x8xi8"}}},
    {"fail_0612_doubles.nv", "of (\\d+)x8x4\\n[\\s\\S]*size that works: (\\d+)x8x4", {{"<$1x", "<$2x"}}},
};

TEST(TargetLimits, WhatTheMessageSaysWouldWorkDoes) {
  test::TemporaryFolder folder;
  for (const Mending &mending : kMendings) {
    SCOPED_TRACE(mending.file);
    bool warns = mending.file.starts_with(str("fail_", test::kWarning));
    std::string name = str(mending.file, ".xt");
    fs::path path = fs::path(XT_SOURCE_DIR) / "tests/targets/tools" / (warns ? "warnings" : "limits") / name;
    std::string text = test::readText(path);
    test::ToolRun refused = compile(path);
    std::smatch said;
    ASSERT_TRUE(std::regex_search(refused.output, said, std::regex(mending.says))) << refused.output;
    for (auto [from, to] : mending.replaced) {
      std::string old = said.format(from), by = said.format(to);
      size_t count = 0;
      for (size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += by.size(), ++count)
        text.replace(at, old.size(), by);
      EXPECT_GE(count, 1u) << old;
    }
    std::ofstream(folder / name) << text;
    test::ToolRun run = compile(folder / name, "--emit=llvm"); // code generation must work too
    EXPECT_EQ(run.status, 0) << text << run.output;
    EXPECT_FALSE(codesIn(run.output).contains(std::string(test::kWarning))) << run.output;
  }
}

TEST(TargetLimits, KernelsThatAreThereAreWithinThem) {
  size_t refused = 0;
  for (std::string_view gpu : test::kGpus) {
    std::string files;
    for (const fs::path &path : test::gpuKernels()) {
      std::set<std::string> told = test::limitsTold(path, gpu);
      if (told.empty()) {
        files += " " + path.string();
        continue;
      }
      test::ToolRun run = test::runTool(str("%bin/xtc --target=", gpu, " ", path.string()));
      EXPECT_EQ(run.status, test::limitsBroken(path, gpu).empty() ? 0 : 2) << gpu << ": " << path.filename();
      EXPECT_EQ(codesIn(run.output), told) << gpu << ": " << path.filename() << '\n' << run.output;
      ++refused;
    }
    test::ToolRun run = test::runTool(str("%bin/xtc --target=", gpu, files));
    EXPECT_EQ(run.status, 0) << gpu;
    EXPECT_EQ(run.output, "") << gpu;
  }
  EXPECT_GE(refused, 1u);
}

} // namespace
} // namespace xt
