// Tests the text files that hold the fastest values of parameters.
#include "targets/tune/tune_file.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

namespace xt {
namespace {

class TuneFile : public testing::Test {
protected:
  Result<std::vector<TuneRecord>> read(const std::string &text) {
    std::ofstream(path_) << text;
    return readTuneFile(path_);
  }
  std::string errorOf(const std::string &text) {
    Result<std::vector<TuneRecord>> found = read(text);
    return found ? "" : found.error().message.substr(path_.size());
  }
  test::TemporaryFolder folder_;
  std::string path_ = (folder_ / "twice.tune").string();
};

TuneRecord record() {
  TuneRecord record;
  record.kernel = "gemm", record.target = "cpu", record.device = "znver5, 2 threads", record.threads = 2;
  record.arrays = {{1000, 777}, {777}, {}};
  record.given = {{"T", "f32"}};
  record.values = {{"BM", "512"}, {"BN", "256"}};
  record.best = {0.0042, 0.0041, 0.0043};
  record.defaults = {0.0051, 0.005, 0.0052};
  record.timed = 9, record.candidates = 32;
  return record;
}

TEST_F(TuneFile, WhatIsWrittenIsRead) {
  TuneRecord other = record();
  other.kernel = "softmax", other.threads = 0, other.given.clear(), other.arrays.clear();
  const std::string text = tuneText({record(), other});
  Result<std::vector<TuneRecord>> found = read(text);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ(tuneText(*found), text);
  EXPECT_EQ((*found)[0].arrays, record().arrays);
  EXPECT_EQ((*found)[0].values, record().values);
  EXPECT_EQ((*found)[0].best.high, 0.0043);
  EXPECT_NE(text.find("\narrays 1000x777 777 scalar\n"), std::string::npos) << text;
}

TEST_F(TuneFile, NoFileHasNoRecords) {
  Result<std::vector<TuneRecord>> found = readTuneFile(path_ + ".absent");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
}

TEST_F(TuneFile, ErrorsSayWhichLineIsWrong) {
  EXPECT_EQ(errorOf("tune\n"), ":1: expected `xt tune 1`, not `tune`; mend the line, or delete the file");
  const std::string begin = "xt tune 1\n# a comment\n\nkernel gemm\n";
  EXPECT_EQ(errorOf(begin + "target cpu\nvalues BM\n"),
            ":6: expected NAME = VALUE, not `BM`; mend the line, or delete the file");
  EXPECT_EQ(errorOf(begin + "arrays 5x-3\n"),
            ":5: expected extents such as 512x512, not `5x-3`; mend the line, or delete the file");
  EXPECT_EQ(errorOf(begin + "seconds 1\n"),
            ":5: expected MEDIAN (LOW to HIGH) in seconds, not `1`; mend the line, or delete the file");
  EXPECT_EQ(errorOf(begin + "colour red\n"), ":5: unknown word `colour`; mend the line, or delete the file");
  EXPECT_EQ(errorOf(begin + "threads many\n"), ":5: expected a number, not `many`; mend the line, or delete the file");
  EXPECT_EQ(errorOf("xt tune 1\ntarget cpu\n"),
            ":2: expected `kernel NAME` before `target`; mend the line, or delete the file");
  EXPECT_EQ(errorOf(begin), ":4: the record of @gemm has no `values` line; mend the line, or delete the file");
}

TEST_F(TuneFile, RecordsForTheSameSizeAreReplaced) {
  std::vector<TuneRecord> all = {record()};
  TuneRecord faster = record(), larger = record();
  faster.values[0].second = "1024";
  larger.arrays[0][0] = 2000;
  addRecord(all, faster);
  addRecord(all, larger);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].values, faster.values);
}

TEST_F(TuneFile, DistancesOfSizes) {
  EXPECT_EQ(sizeDistance({{8, 8}, {}}, {{8, 8}, {}}), 0);
  EXPECT_EQ(sizeDistance({{8, 8}}, {{16, 2}}), 3);
  EXPECT_EQ(sizeDistance({{0}}, {{4}}), 2);
  EXPECT_TRUE(std::isinf(sizeDistance({{8, 8}}, {{64}})));
  EXPECT_TRUE(std::isinf(sizeDistance({{8}}, {{8}, {8}})));
}

TEST_F(TuneFile, EachLineStandsOnceInARecord) {
  const std::string record = "xt tune 1\nkernel a\ntarget cpu\nvalues X = 1\n";
  EXPECT_TRUE(read(record + "kernel b\ntarget cpu\nvalues X = 2\n"));
  EXPECT_NE(errorOf(record + "values X = 2\n").find(":5: a second `values` line"), std::string::npos);
}

TEST_F(TuneFile, ARecordWithoutValuesIsNamedWhereItBegins) {
  EXPECT_NE(errorOf("xt tune 1\nkernel a\ntarget cpu\nkernel b\ntarget cpu\nvalues X = 2\n").find(":2: the record of @a"),
            std::string::npos);
}

} // namespace
} // namespace xt
