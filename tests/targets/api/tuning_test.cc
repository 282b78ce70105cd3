// Tests that xt_tune finds values of parameters, and that launches use what its files say.
#include "tests/effort.h"
#include "tests/targets/api/api.h"
#include "tests/targets/tune/tuned_kernel.h"
#include "tests/temporary_folder.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace xt::test {
namespace {

class Tuning : public Api {
protected:
  void SetUp() override {
    Api::SetUp();
    path_ = (folder_ / "twice.xt").string();
    std::ofstream(path_) << kTunedKernel;
  }

  xt_tune_options tuneOptions() {
    xt_tune_options options = XT_INIT(xt_tune_options);
    options.path = path_.c_str();
    options.threads = 2;
    options.seconds = 600;
    options.report = [](void *user, const char *text, size_t bytes) {
      static_cast<std::vector<std::string> *>(user)->emplace_back(text, bytes);
      return 0;
    };
    options.user = &reports_;
    return options;
  }
  std::string tuneFile() const {
    std::ostringstream text;
    text << std::ifstream(path_ + ".tune").rdbuf();
    return text.str();
  }
  // Writes a tune file with a record for each pair of rows of X and value of $ROWS, for this machine's device.
  void writeRecords(const std::vector<std::pair<int, int>> &records) {
    xt_tune_options options = tuneOptions();
    options.defines = nullptr;
    ASSERT_EQ(xt_tune(context_.get(), &options, &error_), XT_OK) << message();
    const std::string found = tuneFile();
    size_t at = found.find("\ndevice ");
    const std::string device = found.substr(at + 1, found.find('\n', at + 1) - at);
    std::ofstream file(path_ + ".tune");
    file << "xt tune 1\n";
    for (auto [rows, value] : records)
      file << "kernel twice\ntarget cpu\n"
           << device << "threads 2\narrays " << rows << "x64 " << rows << "x64 1\nvalues ROWS = " << value << "\n";
  }
  xt_compile_options fileOptions() const {
    xt_compile_options options = XT_INIT(xt_compile_options);
    options.path = path_.c_str();
    options.threads = 2;
    return options;
  }
  // Launches the kernel on an X with this number of rows. Returns the value of $ROWS that its code was compiled with; -1 if the
  // launch fails or Y is wrong.
  int used(const xt_compile_options &options, int64_t rows) {
    Owned<xt_program> program = compile(options);
    xt_kernel *kernel = nullptr;
    if (!program || xt_program_kernel(program.get(), "twice", &kernel, &error_) != XT_OK) return -1;
    std::vector<float> from(static_cast<size_t>(rows * 64), 3.0f), to(from.size());
    std::vector<int32_t> value(1);
    Array x(from, XT_F32, {rows, 64}), y(to, XT_F32, {rows, 64}), r(value, XT_I32, {1});
    if (launch(kernel, {x.get(), y.get(), r.get()}) != XT_OK) return -1;
    return to == std::vector<float>(to.size(), 6.0f) ? value[0] : -1;
  }

  TemporaryFolder folder_;
  std::string path_;
  std::vector<std::string> reports_;
};

TEST_F(Tuning, ResultsAreReportedAndWritten) {
  xt_tune_options options = tuneOptions();
  ASSERT_EQ(xt_tune(context_.get(), &options, &error_), XT_OK) << message();
  ASSERT_EQ(reports_.size(), 1u);
  nlohmann::json report = nlohmann::json::parse(reports_[0], nullptr, false);
  ASSERT_TRUE(report.is_object()) << reports_[0];
  EXPECT_EQ(report["parameters"], nlohmann::json({"ROWS"}));
  EXPECT_EQ(report["kernels"][0]["candidates"], 3);
  const std::string value = report["kernels"][0]["values"]["ROWS"];
  EXPECT_NE(tuneFile().find("\nvalues ROWS = " + value + "\n"), std::string::npos) << tuneFile();
  EXPECT_EQ(used(fileOptions(), 64), std::stoi(value));
}

TEST_F(Tuning, TheNearestSizeIsUsed) {
  writeRecords({{64, 8}, {4096, 16}});
  EXPECT_EQ(used(fileOptions(), 64), 8);
  EXPECT_EQ(used(fileOptions(), 65), 8);
  EXPECT_EQ(used(fileOptions(), 3), 8);
  EXPECT_EQ(used(fileOptions(), 2000), 16);
  writeRecords({{64, 32}, {128, 16}});
  EXPECT_EQ(used(fileOptions(), 64), 32) << "the declared value is the fastest here";
}

TEST_F(Tuning, WhatTheUserSaysComesFirst) {
  writeRecords({{64, 8}});
  xt_compile_options options = fileOptions();
  options.tuning = "";
  EXPECT_EQ(used(options, 64), 32);
  options.tuning = "/absent/twice.xt.tune";
  EXPECT_EQ(used(options, 64), -1);
  EXPECT_EQ(status_, XT_NOT_FOUND);
  EXPECT_EQ(argument(), "options.tuning");
  options = fileOptions();
  const xt_define rows{"ROWS", "16"};
  options.defines = &rows;
  options.define_count = 1;
  EXPECT_EQ(used(options, 64), 16);
  options = textOptions(kTunedKernel);
  options.path = path_.c_str();
  EXPECT_EQ(used(options, 64), 32) << "a text is not the file beside which the tune file lies";
  const std::string tuned = path_ + ".tune";
  options.tuning = tuned.c_str();
  EXPECT_EQ(used(options, 64), 8);
}

TEST_F(Tuning, ProgramsOfAnEarlierHeader) {
  writeRecords({{64, 8}});
  xt_compile_options options = fileOptions();
  options.size = offsetof(xt_compile_options, tuning);
  options.tuning = reinterpret_cast<const char *>(1); // behind the end of the structure
  EXPECT_EQ(used(options, 64), 8);
}

TEST_F(Tuning, FilesThatDoNotFit) {
  std::ofstream(path_ + ".tune") << "xt tune 2\n";
  EXPECT_EQ(used(fileOptions(), 64), -1);
  EXPECT_EQ(status_, XT_ENVIRONMENT);
  EXPECT_EQ(argument(), "options.tuning");
  EXPECT_NE(message().find("twice.xt.tune:1: expected `xt tune 1`"), std::string::npos) << message();
  std::filesystem::remove(path_ + ".tune");
  writeRecords({{64, 0}}); // a tile has rows
  EXPECT_EQ(used(fileOptions(), 64), -1);
  EXPECT_EQ(status_, XT_ENVIRONMENT);
  EXPECT_NE(message().find("does not fit the kernels any more: @twice with ROWS = 0: "), std::string::npos) << message();
}

TEST_F(Tuning, Misuse) {
  EXPECT_EQ(xt_tune(nullptr, nullptr, &error_), XT_INVALID_ARGUMENT);
  EXPECT_EQ(xt_tune(context_.get(), nullptr, &error_), XT_INVALID_ARGUMENT);
  auto wrong = [&](xt_status status, const char *name, auto change) {
    xt_tune_options options = tuneOptions();
    change(options);
    error_ = XT_INIT(xt_error);
    EXPECT_EQ(xt_tune(context_.get(), &options, &error_), status) << message();
    EXPECT_EQ(argument(), name) << message();
  };
  wrong(XT_INVALID_ARGUMENT, "options.path", [](xt_tune_options &options) { options.path = nullptr; });
  wrong(XT_ENVIRONMENT, "", [](xt_tune_options &options) { options.path = "absent.xt"; });
  wrong(XT_NOT_FOUND, "options.target", [](xt_tune_options &options) { options.target = "tpu"; });
  wrong(XT_INVALID_ARGUMENT, "options.seconds", [](xt_tune_options &options) { options.seconds = NAN; });
  wrong(XT_INVALID_ARGUMENT, "options.seconds", [](xt_tune_options &options) { options.seconds = -1; });
  wrong(XT_INVALID_ARGUMENT, "options.threads", [](xt_tune_options &options) { options.threads = -1; });
  wrong(XT_INVALID_ARGUMENT, "options.tests", [](xt_tune_options &options) { options.test_count = 1; });
  static const char *const names[] = {"first", "thrice"};
  wrong(XT_NOT_FOUND, "options.tests[1]", [](xt_tune_options &options) { options.tests = names, options.test_count = 2; });
  EXPECT_NE(message().find("thrice"), std::string::npos) << message();
  reports_.clear();
  wrong(XT_ENVIRONMENT, "options.output", [](xt_tune_options &options) { options.output = "/absent/folder/out.tune"; });
  EXPECT_TRUE(reports_.empty()) << "it searched what it cannot write";
}

TEST_F(Tuning, ACallbackEndsTheSearch) {
  xt_tune_options options = tuneOptions();
  options.progress = [](void *, const char *, size_t) { return 1; };
  ASSERT_EQ(xt_tune(context_.get(), &options, &error_), XT_OK) << message();
  ASSERT_EQ(reports_.size(), 1u);
  nlohmann::json report = nlohmann::json::parse(reports_[0], nullptr, false);
  EXPECT_EQ(report["complete"], false);
  EXPECT_EQ(report["kernels"][0]["timed"], 1);
  EXPECT_NE(tuneFile().find("\nvalues ROWS = 32\n"), std::string::npos) << tuneFile();
}

} // namespace
} // namespace xt::test
