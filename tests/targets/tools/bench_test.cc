// Tests xtrun --bench: its output apart from times, and its chart.
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace xt::test {
namespace {

TEST(Bench, SaysWhatTheTimesAreHeldAgainst) {
  TemporaryFolder folder;
  std::string chart = (folder / "chart.svg").string();
  ToolRun run = runTool("%bin/xtrun --bench --bench-time 0.2 --small --json --roofline " + chart +
                        " --test masked %src/stdlib/softmax.xt");
  ASSERT_EQ(run.status, 0) << run.output;
  auto json = nlohmann::json::parse(run.output, nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << run.output;
  size_t timed = 0;
  for (const auto &file : json["files"])
    for (const auto &test : file["tests"])
      for (const auto &one : test["runs"]) {
        const auto &bench = one["bench"];
        ++timed;
        EXPECT_GT(bench["operations"].get<double>(), 0);
        EXPECT_GT(bench["arrayBytes"].get<double>(), 0);
        EXPECT_GT(bench["compile"].get<double>(), 0);
        EXPECT_GT(bench["emptyLaunch"].get<double>(), 0);
        EXPECT_GT(bench["cold"].get<double>(), 0);
        EXPECT_GT(bench["machine"]["bytes"].get<double>(), 0);
      }
  EXPECT_GT(timed, 0U);
  std::stringstream text;
  text << std::ifstream(chart).rdbuf();
  EXPECT_NE(text.str().find("masked"), std::string::npos);
  EXPECT_NE(text.str().find("GB/s"), std::string::npos);
}

TEST(Bench, AChartThatCannotBeWritten) {
  ToolRun run =
      runTool("%bin/xtrun --bench --bench-time 0.2 --small --test masked --roofline /proc/none/x.svg %src/stdlib/softmax.xt");
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.output.find("/proc/none/x.svg"), std::string::npos) << run.output;
}

} // namespace
} // namespace xt::test
