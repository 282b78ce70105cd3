// Times of a run against those of an earlier one.
#pragma once
#include "ir/base/result.h"
#include "targets/run/report.h"

#include <map>
#include <string>

namespace xt {

// The times in what `xtrun --bench --json` has printed.
class BenchBase {
public:
  // An Error of the environment if the file cannot be read, or is no such text.
  static Result<BenchBase> read(const std::string &path);

  // What became of one run: "1.04 times the 2.2 ms of base.json"; "" where the base has no time of it. `slower`: by more
  // than the part `limit`, and the intervals are apart.
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
