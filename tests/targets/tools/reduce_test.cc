// Tests xtc --reduce as a user runs it.
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <csignal>

namespace xt {
namespace {

namespace fs = std::filesystem;

const char *const kProgram = R"(kernel @k(%A: memref<?x?xf16>, %B: memref<?x?xf16>) {
  %ta = init_tile %A[0, 0] -> tile<8x16xf16>
  %tb = init_tile %B[0, 0] -> tile<16x16xf16>
  %a = load_tile %ta
  %b = load_tile %tb {padding = 1.0}
  barrier
  %c = tile_mma %a, %b
  %d = exp %c
}

kernel @other() {
  barrier
}
)";

// A folder with a.xt.
class ReduceFile : public testing::Test {
protected:
  void SetUp() override {
    std::ofstream(folder_ / "a.xt") << kProgram;
    before_ = test::readText(folder_ / "a.xt");
  }
  void TearDown() override { EXPECT_EQ(test::readText(folder_ / "a.xt"), before_) << "the input was changed"; }
  test::ToolRun run(const std::string &arguments) {
    return test::runTool("cd " + folder_.string() + " && PATH=%bin:$PATH && xtc " + arguments);
  }
  std::string text(const char *name) { return test::readText(folder_ / name); }
  size_t files() {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()));
  }

  test::TemporaryFolder folder_;
  std::string before_;
};

TEST_F(ReduceFile, KeepsWhatTheCommandFinds) {
  test::ToolRun reduced = run("--reduce 'xtc --check {} && grep -q tile_mma {}' a.xt");
  EXPECT_EQ(reduced.status, 0) << reduced.output;
  EXPECT_NE(reduced.output.find("xtc: a.reduced.xt: "), std::string::npos) << reduced.output;
  std::string left = text("a.reduced.xt");
  EXPECT_NE(left.find("tile_mma"), std::string::npos);
  EXPECT_LT(left.size(), 230u) << left;
  EXPECT_FALSE(left.find("barrier") != std::string::npos || left.find("exp") != std::string::npos) << left;
  EXPECT_EQ(run("--check a.reduced.xt").status, 0);
  EXPECT_EQ(files(), 2u); // no candidate is left behind
}

// The symptom of a compiler error is a message here. If a command has no placeholder, the file is appended to it.
TEST_F(ReduceFile, TakesTheFileAtTheEnd) {
  std::ofstream(folder_ / "find.sh") << "xtc --check \"$1\" 2>&1 | grep -q XT0202\n";
  std::ofstream(folder_ / "b.xt")
      << "kernel @a() {\n  barrier\n}\n\nkernel @k(%A: memref<8x8xf32>) {\n  %x = 1 + 2\n  %y = %unknown + %x\n}\n";
  test::ToolRun reduced = run("--reduce 'sh find.sh' -o small.xt b.xt");
  EXPECT_EQ(reduced.status, 0) << reduced.output;
  std::string left = text("small.xt");
  EXPECT_LT(left.size(), 45u) << left;
  EXPECT_NE(run("--check small.xt").output.find("XT0202"), std::string::npos) << left;
}

TEST_F(ReduceFile, FindsImportsAndBlanksInNames) {
  fs::create_directory(folder_ / "a folder");
  std::ofstream(folder_ / "a folder/helper.xt") << "func @f(%x: f32) -> f32 {\n  return %x\n}\n";
  std::ofstream(folder_ / "a folder/it's.xt") << "import \"helper\"\n\nkernel @k() {\n  %y = @f(1.0)\n  barrier\n}\n";
  test::ToolRun reduced = run("--reduce 'xtc --check {} && grep -q @f {}' \"a folder/it's.xt\"");
  EXPECT_EQ(reduced.status, 0) << reduced.output;
  std::string left = text("a folder/it's.reduced.xt");
  EXPECT_NE(left.find("import"), std::string::npos) << left;
  EXPECT_EQ(left.find("barrier"), std::string::npos) << left;
}

TEST_F(ReduceFile, SaysWhatIsWrong) {
  test::ToolRun dull = run("--reduce false a.xt");
  EXPECT_EQ(dull.status, 1);
  EXPECT_NE(dull.output.find("the command fails on the original file a.xt with status 1"), std::string::npos) << dull.output;
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(run("--reduce true none.xt").status, 3);
  EXPECT_EQ(run("--reduce true -o none/b.xt a.xt").status, 3);
  EXPECT_EQ(run("--reduce true a.xt a.xt").status, 64);
  EXPECT_EQ(run("--reduce ' ' a.xt").status, 64);
  EXPECT_EQ(run("--reduce true --check a.xt").status, 64);
  EXPECT_EQ(run("--reduce true").status, 64);
}

// The signals that xtc ignores must not be ignored in the command: a program whose reader has ended must end too.
TEST_F(ReduceFile, SignalsHaveTheirUsualEffectOnTheCommand) {
  for (const char *signal : {"PIPE", "XFSZ"}) {
    test::ToolRun run_ = run("--reduce 'kill -" + std::string(signal) + " $$; true' a.xt");
    EXPECT_EQ(run_.status, 1) << run_.output;
    EXPECT_NE(
        run_.output.find("a.xt with status " + std::to_string(128 + (signal == std::string_view("PIPE") ? SIGPIPE : SIGXFSZ))),
        std::string::npos)
        << run_.output;
  }
}

// After Ctrl-C, the smallest text so far is kept, and the running command is ended with all its processes.
TEST_F(ReduceFile, KeepsWhatItHasWhenItIsInterrupted) {
  std::ofstream(folder_ / "slow.sh")
      << "grep -q tile_mma \"$1\" || exit 1\necho x >>asked\n[ $(wc -l <asked) -lt 4 ] || sleep 100\n";
  test::ToolRun reduced = test::runTool("cd " + folder_.string() +
                                        "; PATH=%bin:$PATH; xtc --reduce 'sh slow.sh' a.xt & it=$!; while [ ! -e asked ] || [ "
                                        "$(wc -l <asked) -lt 4 ]; do sleep 0.02; done; kill -INT $it; wait $it");
  EXPECT_EQ(reduced.status, 128 + SIGINT) << reduced.output;
  EXPECT_NE(reduced.output.find("it was stopped, and more may be removable"), std::string::npos) << reduced.output;
  std::string left = text("a.reduced.xt");
  EXPECT_NE(left.find("tile_mma"), std::string::npos);
  EXPECT_LT(left.size(), before_.size());
  EXPECT_EQ(files(), 4u);
}

} // namespace
} // namespace xt
