// Compares the times of a run with those of an earlier one.
#pragma once
#include "ir/base/result.h"
#include "targets/run/report.h"

#include <map>
#include <string>

namespace xt {

// The times in the output of `xtrun --bench --json`.
class BenchBase {
public:
  // An Error (environment) if the file cannot be read or is not such output.
  static Result<BenchBase> read(const std::string &path);

  // The comparison of one run: "1.04 times the median of base.json"; "" if the base has no time for it. `slower`: the run is
  // slower by more than the fraction `limit`, and the intervals are disjoint.
  struct Verdict {
    std::string text;
    bool slower = false;
  };
  Verdict compare(const std::string &file, const std::string &test, const RunReport &run, std::optional<double> limit) const;

private:
  static std::string keyOf(const std::string &file, const std::string &test, const std::string &target, bool small);
  struct Times {
    double median, high;
  };
  std::string path_;
  std::map<std::string, Times> times_;
};

} // namespace xt
