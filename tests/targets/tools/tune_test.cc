// Tests `xtrun --tune`, and what xtrun and xtc make of its file.
#include "tests/targets/tools/run_tool.h"
#include "tests/targets/tune/tuned_kernel.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace xt::test {
namespace {

class Tune : public testing::Test {
protected:
  void SetUp() override { write("twice.xt", kTunedKernel); }
  ToolRun in(const std::string &command) { return runTool("cd " + folder_.string() + " && " + command); }
  void write(const char *name, const std::string &text) { std::ofstream(folder_ / name) << text; }
  std::string read(const char *name) {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  // Tunes, and then writes a record for each pair of rows of X and value of $ROWS, for this machine's device.
  void writeRecords(const std::vector<std::pair<int, int>> &records) {
    ASSERT_EQ(in("%bin/xtrun --tune twice.xt").status, 0);
    const std::string found = read("twice.xt.tune");
    size_t at = found.find("\ndevice ");
    std::string text = "xt tune 1\n";
    for (auto [rows, value] : records) {
      const std::string x = std::to_string(rows) + "x64 ";
      text += "kernel twice\ntarget cpu\n" + found.substr(at + 1, found.find('\n', at + 1) - at) + "arrays " + x + x +
              "1\nvalues ROWS = " + std::to_string(value) + "\n";
    }
    write("twice.xt.tune", text);
  }
  TemporaryFolder folder_;
};

TEST_F(Tune, WritesWhatItFinds) {
  ToolRun tuned = in("%bin/xtrun --tune --budget 600s --json twice.xt");
  ASSERT_EQ(tuned.status, 0) << tuned.output;
  nlohmann::json json = nlohmann::json::parse(tuned.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << tuned.output;
  const nlohmann::json &test = json["tests"][0];
  EXPECT_EQ(test["test"], "first");
  EXPECT_EQ(test["complete"], true);
  EXPECT_EQ(test["kernels"][0]["arrays"], nlohmann::json::parse("[[64, 64], [64, 64], [1]]"));
  const std::string value = test["kernels"][0]["values"]["ROWS"];
  EXPECT_NE(read("twice.xt.tune").find("\nvalues ROWS = " + value + "\n"), std::string::npos);
  ToolRun text = in("%bin/xtrun --tune --small twice.xt");
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.output.rfind("twice.xt, \"first\" [cpu]: timed 3 of 3 combinations of ROWS in ", 0), 0u) << text.output;
  EXPECT_NE(text.output.find("\n  @twice: ROWS = "), std::string::npos) << text.output;
}

TEST_F(Tune, MistakesOfTheCommandLine) {
  struct Wrong {
    const char *command, *message;
    int status;
  };
  for (const Wrong &wrong :
       {Wrong{"--budget 3s twice.xt", "--budget needs --tune", 64},
        Wrong{"--tune --budget none twice.xt", "--budget takes", 64},
        Wrong{"--tune --bench twice.xt", "--tune cannot be combined with --bench", 64},
        Wrong{"--tune --target=cpu,interp twice.xt", "--tune takes one target", 64},
        Wrong{"--tune -D ROWS=8,16 twice.xt", "-D ROWS fixes one value", 64},
        Wrong{"--tune -D ROWS=8 twice.xt", "not tuned: it has no parameter to tune", 4},
        Wrong{"--tune -D MORE=8 twice.xt", "the file has no parameter `$MORE`", 2},
        Wrong{"--tune --test second twice.xt", "no test has that name", 3}, Wrong{"--tune absent.xt", "absent.xt", 3}}) {
    ToolRun run = in(std::string("%bin/xtrun ") + wrong.command);
    EXPECT_EQ(run.status, wrong.status) << wrong.command << ": " << run.output;
    EXPECT_NE(run.output.find(wrong.message), std::string::npos) << wrong.command << ": " << run.output;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "twice.xt.tune"));
  write("twice.xt.tune", "xt tune 1\nkernel twice\nrows 8\n");
  ToolRun broken = in("%bin/xtrun --tune twice.xt");
  EXPECT_EQ(broken.status, 3);
  EXPECT_NE(broken.output.find("twice.xt.tune:3: unknown word `rows`"), std::string::npos) << broken.output;
}

// After the first test has been written, the search for the second one, which has thousands of combinations, is interrupted.
TEST_F(Tune, InterruptsKeepWhatWasFound) {
  std::string text = kTunedKernel, values = "1";
  for (int i = 2; i < 5000; ++i) values += ", " + std::to_string(i);
  text += "param $BY : index = 1 in [" + values + R"(]
kernel @times(%X: memref<?xf32>, %Y: memref<?xf32>) grid (%i = 0 to 64 step 64) {
  %tx = init_tile %X[%i] -> tile<64xf32>
  %x  = load_tile %tx
  %n = constant $BY : i32
  %m = cast(%n, f32)
  %ty = init_tile %Y[%i] -> tile<64xf32>
  store_tile (%x + %m - %m), %ty
}
test "second" {
  %X = ints(1, 9, seed = 1) : memref<64xf32>
  %Y = out : memref<64xf32>
  launch @times(%X, %Y)
  check %Y == %X
}
)";
  write("twice.xt", text);
  ToolRun run = in("{ %bin/xtrun --tune --budget 100000 twice.xt > out 2>&1 & p=$!; for i in $(seq 4000); do "
                   "grep -q first out && break; sleep 0.05; done; kill -INT $p; wait $p; s=$?; cat out; exit $s; }");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("interrupted: what was found until then is kept"), std::string::npos) << run.output;
  EXPECT_NE(read("twice.xt.tune").find("kernel twice\n"), std::string::npos);
}

TEST_F(Tune, LaunchesOnTheCommandLineTakeTheValues) {
  writeRecords({{64, 8}, {4096, 16}});
  auto used = [&](const std::string &rows, const std::string &more = "") {
    ToolRun run = in("%bin/xtrun twice.xt --kernel twice --arg X=random:" + rows + "x64xf32 --out Y=y.npy:" + rows +
                     "x64 --out R=r.npy:1 " + more + " && od -An -td4 -j128 r.npy | tr -d ' '");
    size_t line = run.output.rfind('\n', run.output.size() - 2);
    return run.status == 0 ? run.output.substr(line + 1) : run.output;
  };
  EXPECT_EQ(used("100"), "8\n");
  EXPECT_EQ(used("3000"), "16\n");
  EXPECT_EQ(used("100", "-D ROWS=16"), "16\n");
  EXPECT_EQ(used("100", "--tuning none"), "32\n");
  EXPECT_NE(used("100", "--tuning absent").find("--tuning: there is no file absent"), std::string::npos);
}

TEST_F(Tune, LibrariesChooseByTheSizeOfALaunch) {
  if (runTool("cc --version && ar --version").status != 0) GTEST_SKIP() << "cc and ar are not installed";
  writeRecords({{64, 8}, {4096, 16}, {1, 32}});
  ASSERT_EQ(in("%bin/xtc --emit=lib -o twice twice.xt").status, 0);
  write("main.c", R"(#include "twice.h"
#include <stdio.h>
static float x[3000 * 64], y[3000 * 64];
int main(void) {
  const int64_t rows[] = {1, 100, 64, 3000, 0};
  for (int i = 0; i < 5; ++i) {
    int32_t used = 0;
    const xt_array_2_f32 X = {x, {rows[i], 64}, {64, 1}}, Y = {y, {rows[i], 64}, {64, 1}};
    const xt_array_1_i32 R = {&used, {1}, {1}};
    x[0] = (float)i;
    int status = twice_twice(&X, &Y, &R, 0, 0);
    printf("%d %d %g\n", status, used, y[0]);
  }
  printf("%d\n", twice_twice(0, 0, 0, 0, 0));
  return 0;
}
)");
  ToolRun run = in("cc -Wall -Wextra -Werror main.c libtwice.a -lm -lpthread -o main && ./main");
  EXPECT_EQ(run.output, "0 32 0\n0 8 2\n0 8 4\n0 16 6\n0 0 6\n1\n");
  nlohmann::json json = nlohmann::json::parse(read("twice.json"), nullptr, false);
  ASSERT_EQ(json["kernels"].size(), 1u) << json;
  EXPECT_EQ(json["kernels"][0]["variants"][0]["name"], "twice$ROWS=8");
  EXPECT_EQ(json["kernels"][0]["variants"][2]["name"], "twice");
  ASSERT_EQ(in("%bin/xtc --emit=lib --tuning none -o plain twice.xt").status, 0);
  EXPECT_EQ(nlohmann::json::parse(read("plain.json"), nullptr, false)["kernels"][0]["variants"], nlohmann::json::array());
}

} // namespace
} // namespace xt::test
