// Tests the tuner on kernels for the CPU: what it varies, and what it does with combinations that are wrong.
#include "targets/tune/tuner.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace xt {
namespace {

// $ROWS and $SCALE are varied: $ROWS = 48 does not compile, and $SCALE is right at one value. The shape of the test's buffers depends on
// $WIDTH, the kernel not on $OTHER, and a launch gives $COLUMNS.
constexpr const char *kText = R"(param $ROWS : index = 16 in [8, 16, 48]
param $SCALE : index = 2 in [2, 3]
param $WIDTH : index = 64 in [64, 128]
param $OTHER : index = 1 in [1, 2]
param $COLUMNS : index = 32 in [32, 64]
#rows = #wg_map<sg_layout = [8, 1], sg_data = [$ROWS / 8, $COLUMNS]>
kernel @twice(%X: memref<?x?xf32>, %Y: memref<?x?xf32>)
    grid (%i = 0 to dim(%X, 0) step $ROWS, %j = 0 to dim(%X, 1) step $COLUMNS) {
  %tx = init_tile %X[%i, %j] -> tile<$ROWS x $COLUMNS x f32, #rows>
  %x  = load_tile %tx
  %s  = constant $SCALE : i32
  %by = cast(%s, f32)
  %ty = init_tile %Y[%i, %j] -> tile<$ROWS x $COLUMNS x f32, #rows>
  store_tile (%x * %by), %ty
}
test "twice" {M = 100} small {M = 20} {
  %X = random(seed = 1) : memref<$M x $WIDTH x f32>
  %Y = out : memref<$M x $WIDTH x f32>
  launch @twice(%X, %Y) {COLUMNS = 64}
  check %Y == %X * 2
}
test "never" {
  %X = random(seed = 1) : memref<8x$WIDTH x f32>
  %Y = out : memref<8x$WIDTH x f32>
  launch @twice(%X, %Y)
  check %Y == %X * 5
}
)";

class Tuner : public testing::Test {
protected:
  void SetUp() override {
    options_.path = (folder_ / "twice.xt").string();
    std::ofstream(options_.path) << kText;
    options_.target = findTarget("cpu");
    options_.seconds = 600;
  }
  // Puts text into that of the file, behind a part of it.
  void insertBehind(const std::string &part, const std::string &inserted) {
    std::string text = kText;
    size_t at = text.find(part);
    ASSERT_NE(at, std::string::npos);
    std::ofstream(options_.path) << text.insert(at + part.size(), inserted);
  }
  std::vector<TuneReport> run() {
    Result<std::vector<TuneReport>> reports = tune(options_, sources_, diagnostics_, {});
    EXPECT_TRUE(reports) << reports.error().message;
    return reports ? *reports : std::vector<TuneReport>();
  }
  test::TemporaryFolder folder_;
  TuneOptions options_;
  SourceManager sources_;
  Diagnostics diagnostics_;
};

TEST_F(Tuner, VariesWhatChangesTheKernelsAlone) {
  options_.tests = {"twice"};
  std::vector<TuneReport> reports = run();
  ASSERT_EQ(reports.size(), 1u);
  const TuneReport &report = reports[0];
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.parameters, (std::vector<std::string>{"ROWS", "SCALE"}));
  EXPECT_TRUE(report.complete);
  EXPECT_GT(report.wrong, 0u) << "a scale of 3 is wrong";
  EXPECT_NE(report.firstWrong.find("SCALE = 3: "), std::string::npos) << report.firstWrong;
  EXPECT_NE(report.firstWrong.find("elements are wrong"), std::string::npos) << report.firstWrong;
  ASSERT_EQ(report.records.size(), 1u);
  const TuneRecord &record = report.records[0];
  EXPECT_EQ(record.kernel, "twice");
  EXPECT_EQ(record.arrays, (std::vector<std::vector<int64_t>>{{100, 64}, {100, 64}}));
  EXPECT_EQ(record.given, (TuneValues{{"WIDTH", "64"}, {"COLUMNS", "64"}}));
  EXPECT_EQ(record.values[1], (TuneValues::value_type{"SCALE", "2"}));
  EXPECT_GT(record.best.median, 0);
  EXPECT_LE(record.best.low, record.defaults.low);
  EXPECT_EQ(record.candidates, 6u);
}

TEST_F(Tuner, ParametersThatAreGivenAreNotVaried) {
  options_.tests = {"twice"};
  options_.defines = {{"SCALE", "2"}};
  std::vector<TuneReport> reports = run();
  ASSERT_EQ(reports.at(0).records.size(), 1u) << reports[0].problem;
  EXPECT_EQ(reports[0].parameters, (std::vector<std::string>{"ROWS"}));
  EXPECT_EQ(reports[0].wrong, 0u);
  EXPECT_EQ(reports[0].records[0].given, (TuneValues{{"SCALE", "2"}, {"WIDTH", "64"}, {"COLUMNS", "64"}}));
  options_.defines = {{"SCALE", "2"}, {"ROWS", "8"}};
  EXPECT_NE(run().at(0).problem.find("it has no parameter to tune"), std::string::npos);
}

TEST_F(Tuner, NothingIsRecordedWhereNothingIsRight) {
  options_.tests = {"never"};
  std::vector<TuneReport> reports = run();
  EXPECT_TRUE(reports.at(0).records.empty());
  EXPECT_NE(reports[0].problem.find("no combination is right; "), std::string::npos) << reports[0].problem;
}

TEST_F(Tuner, CombinationsThatCannotBeLaunchedAreNotWrong) {
  insertBehind("step $COLUMNS)", " requires (dim(%X, 0) > 15 * $SCALE - 15)");
  options_.tests = {"twice"};
  std::vector<TuneReport> reports = run();
  ASSERT_EQ(reports.at(0).records.size(), 1u) << reports[0].problem;
  EXPECT_EQ(reports[0].wrong, 0u) << reports[0].firstWrong;
  EXPECT_GT(reports[0].unfit, 0u) << "at a small size of 20 rows, a scale of 3 is refused";
  EXPECT_NE(reports[0].firstUnfit.find("SCALE = 3: @twice"), std::string::npos) << reports[0].firstUnfit;
  EXPECT_NE(reports[0].firstUnfit.find("requires dim(%X, 0) > "), std::string::npos) << reports[0].firstUnfit;
}

TEST_F(Tuner, AFailingAssertIsWrong) {
  insertBehind("%s  = constant $SCALE : i32\n", "  assert (%s < 3), \"the scale\"\n");
  options_.tests = {"twice"};
  std::vector<TuneReport> reports = run();
  ASSERT_EQ(reports.at(0).records.size(), 1u) << reports[0].problem;
  EXPECT_EQ(reports[0].unfit, 0u) << reports[0].firstUnfit;
  EXPECT_NE(reports[0].firstWrong.find("SCALE = 3: "), std::string::npos) << reports[0].firstWrong;
}

TEST_F(Tuner, WhatWasFoundIsKeptWhenTheSearchIsStopped) {
  options_.tests = {"twice"};
  int measured = 0;
  options_.progress = [&](const std::string &) { ++measured; };
  options_.stopped = [&] { return measured > 0; };
  std::vector<TuneReport> reports = run();
  EXPECT_FALSE(reports.at(0).complete);
  ASSERT_EQ(reports[0].records.size(), 1u) << reports[0].problem;
  EXPECT_EQ(reports[0].records[0].values, (TuneValues{{"ROWS", "16"}, {"SCALE", "2"}})) << "the declared values come first";
  EXPECT_EQ(reports[0].records[0].timed, 1u);
}

TEST_F(Tuner, AFileThatDoesNotCompile) {
  std::ofstream(options_.path) << "kernel @k(\n";
  EXPECT_FALSE(tune(options_, sources_, diagnostics_, {}));
  EXPECT_GT(diagnostics_.errorCount(), 0u);
}

} // namespace
} // namespace xt
