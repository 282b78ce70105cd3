// Launches without a test block: xtrun --kernel --arg --out --expect, and --describe.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"

#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

class Launch : public testing::Test {
protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("xt-launch-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "scale.xt") << "param $W : index = 16 in [16, 32]\n"
                                           "kernel @scale(%A: memref<?x?xf32>, %factor: f32, %B: memref<?x?xf32>)\n"
                                           "    grid (%i = 0 to dim(%A, 0) step 8, %j = 0 to dim(%A, 1) step $W) {\n"
                                           "  %t = init_tile %A[%i, %j] -> tile<8 x $W x f32>\n"
                                           "  %v = load_tile %t\n  %w = %v * %factor\n"
                                           "  %o = init_tile %B[%i, %j] -> tile<8 x $W x f32>\n  store_tile %w, %o\n}\n"
                                           "kernel @other(%n: index) {\n}\n";
    std::ofstream(folder_ / "make.xt") << "test \"make\" {\n  %A = random(seed = 1) : memref<30x50xf32>\n  save %A \"A.npy\"\n"
                                          "  %B = fill(2) : memref<30x50xf32>\n  save %B \"two.npy\"\n}\n";
    EXPECT_EQ(run("make.xt").status, 0);
  }
  void TearDown() override { fs::remove_all(folder_); }
  test::ToolRun run(const std::string &arguments) { return test::runTool("cd " + folder_.string() + " && %bin/xtrun " + arguments); }
  fs::path folder_;
};

TEST_F(Launch, SavesAndCompares) {
  test::ToolRun first = run("scale.xt --kernel scale --arg A=A.npy --arg factor=2.0 --out B=twice.npy:30x50");
  EXPECT_EQ(first.status, 0) << first.output;
  ASSERT_TRUE(fs::exists(folder_ / "twice.npy"));
  // What was saved is compared, on both targets and with another parameter.
  test::ToolRun again = run("scale.xt -D W=32 --target=interp,cpu --kernel @scale --arg A=A.npy --arg factor=2.0 --expect B=twice.npy");
  EXPECT_EQ(again.status, 0) << again.output;
  test::ToolRun other = run("scale.xt --kernel scale --arg A=A.npy --arg factor=2.0001 --expect B=twice.npy");
  EXPECT_EQ(other.status, 1) << other.output;
  EXPECT_NE(other.output.find("to repeat: xtrun --target=cpu --kernel scale --arg A=A.npy"), std::string::npos) << other.output;
  EXPECT_EQ(run("scale.xt --kernel scale --arg A=A.npy --arg factor=2.0001 --expect B=twice.npy --rtol 0.001").status, 0);
}

TEST_F(Launch, MakesItsInputs) {
  EXPECT_EQ(run("scale.xt --kernel scale --arg A=random:9x17xf32 --arg factor=1 --out B=b.npy:9x17").status, 0);
  EXPECT_EQ(run("scale.xt --kernel scale --arg 'A=ints(-3, 3):9x17' --arg factor=1 --out B=b.npy:9x17xf32").status, 0);
}

TEST_F(Launch, SaysWhatIsWrong) {
  struct Case {
    const char *arguments;
    int status;
    const char *message;
  } cases[] = {
      {"scale.xt --arg A=A.npy", 64, "--kernel is missing: scale.xt has @scale, @other"},
      {"scale.xt --kernel skale", 64, "no kernel of scale.xt is called `skale`"},
      {"scale.xt --kernel scale --arg A=A.npy --arg factor=1", 64, "--arg B=… or --out B=… is missing"},
      {"scale.xt --kernel scale --arg A=A.npy --out B=b.npy:30x50", 64, "--arg factor=… is missing"},
      {"scale.xt --kernel scale --arg X=1", 64, "has no parameter `X`; it has A, factor, B"},
      {"scale.xt --kernel scale --arg A=absent.npy --arg factor=1 --out B=b.npy:1x1", 3, "absent.npy"},
      {"scale.xt --kernel scale --arg A=A.npy --arg factor=1 --out B=b.npy", 64, "the shape of B is not known"},
      {"scale.xt --kernel scale --arg A=random:9x17xf16 --arg factor=1 --out B=b.npy", 64, "`9x17xf16` is no shape of f32"},
      {"scale.xt --kernel scale --arg A=A.npy --arg A=A.npy", 64, "--arg A is given twice"},
      {"scale.xt --kernel scale --arg A", 64, "--arg takes NAME=VALUE"},
      {"scale.xt --kernel scale --arg A=A.npy --arg factor=x --out B=b.npy:30x50", 2, "command line:"},
      {"scale.xt --kernel scale --test t", 64, "one or the other"},
      {"scale.xt --rtol 1", 64, "belong to --expect"},
  };
  for (const Case &c : cases) {
    test::ToolRun got = run(c.arguments);
    EXPECT_EQ(got.status, c.status) << c.arguments << '\n' << got.output;
    EXPECT_NE(got.output.find(c.message), std::string::npos) << c.arguments << '\n' << got.output;
  }
}

TEST_F(Launch, OutputsAreReplacedAsAWhole) {
  EXPECT_EQ(run("scale.xt --kernel scale --arg A=A.npy --arg factor=2.0 --out B=twice.npy:30x50").status, 0);
  auto size = fs::file_size(folder_ / "twice.npy");
  // A launch that fails leaves the file as it was, and no temporary one.
  EXPECT_NE(run("scale.xt --kernel scale --arg A=absent.npy --arg factor=2.0 --out B=twice.npy:30x50").status, 0);
  EXPECT_EQ(fs::file_size(folder_ / "twice.npy"), size);
  for (const auto &entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos);
}

TEST_F(Launch, Describes) {
  test::ToolRun text = run("--describe scale.xt");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.output.find("kernel @scale(%A: memref<?x?xf32>, %factor: f32, %B: memref<?x?xf32>) grid"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("128.0 operations, 512.0 bytes read, 512.0 bytes written"), std::string::npos) << text.output;
  test::ToolRun json = run("--describe --json --kernel scale scale.xt");
  EXPECT_NE(json.output.find("\"operations\": 128.0"), std::string::npos) << json.output;
  EXPECT_EQ(json.output.find("other"), std::string::npos) << json.output;
}

TEST(Remarks, SayWhatLayoutsCost) {
  test::ToolRun run = test::runTool("%bin/xtc --remarks %src/examples/02_fused_reduce.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("remark[XT0420]: `transpose` moves"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("remark[XT0420]: `convert_layout` moves"), std::string::npos) << run.output;
  // With the map of appendix 2.3 the transpose stays inside each subgroup.
  test::ToolRun better = test::runTool("%bin/xtc --remarks %src/examples/03_transpose_layout.xt");
  EXPECT_EQ(better.output.find("`transpose` moves"), std::string::npos) << better.output;
  EXPECT_EQ(test::runTool("%bin/xtc %src/examples/02_fused_reduce.xt").output, "");
}

} // namespace
} // namespace xt
