// Finds the fastest values of a file's parameters for its tests: compiles the kernels with other values that `param … in [...]` lists,
// checks each combination, and times it.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/lower/disk.h"
#include "targets/target.h"
#include "targets/tune/tune_file.h"

#include <functional>
#include <string>
#include <vector>

namespace xt {

struct TuneOptions {
  std::string path; // a file of kernels
  std::vector<std::string> tests; // names; empty: all
  TuneValues defines; // these parameters keep their values
  std::vector<std::pair<std::string, int64_t>> sizes; // of tests, as in LowerOptions
  // What reads imports; called once for each compilation, by several threads.
  std::function<ImportOptions()> imports = [] { return importsFromDisk(); };
  // Runs a compilation on a thread of its own; the caller may catch what ends it.
  std::function<void(const std::function<void()> &)> guard = [](const std::function<void()> &run) { run(); };
  Target *target = nullptr;
  DeviceChoice device = DeviceChoice::Any;
  int threads = 0; // that run a launch, 0: all
  double seconds = 60; // for each test; what has begun is finished
  bool small = false; // time the small sizes of tests
  std::string cacheDirectory = {};
  uint64_t cacheBytes = uint64_t{256} << 20;
  std::string hardware = {}; // LowerOptions::target; set by tune()
  std::function<bool()> stopped = {}; // asked often; true: end with what was found so far
  std::function<void(const std::string &stage)> progress = {}; // "\"square\": 3 of 32, the best takes 1.2 ms"
};

struct TuneReport {
  std::string test;
  std::vector<std::string> parameters; // that were varied
  std::vector<TuneRecord> records; // one for each launched kernel; empty: `problem` says why
  std::string problem;
  // Combinations that do not compile for the target, whose launches are refused, and that compute something wrong; the first of
  // each of the latter two, and why.
  size_t unusable = 0, unfit = 0, wrong = 0;
  std::string firstUnfit, firstWrong;
  double seconds = 0; // that the search took
  bool complete = false; // false: it was stopped, or the time was over
};

// Tunes each test. An Error, with the messages of the file in `diagnostics`, says that the file cannot be used at all.
Result<std::vector<TuneReport>> tune(const TuneOptions &given, SourceManager &sources, Diagnostics &diagnostics,
                                     const std::function<void(const TuneReport &)> &finished);

} // namespace xt
