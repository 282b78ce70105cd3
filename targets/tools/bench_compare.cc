#include "targets/tools/bench_compare.h"

#include "ir/base/text.h"
#include "targets/tools/session.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace xt {

std::string BenchBase::keyOf(const std::string &file, const std::string &test, const std::string &target, bool small) {
  size_t slash = file.rfind('/'); // the same file may have different paths
  return str(slash == std::string::npos ? file : file.substr(slash + 1), '\n', test, '\n', target, small ? "\nsmall" : "");
}

Result<BenchBase> BenchBase::read(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text) return text.error();
  nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  auto listOf = [](const nlohmann::json &object, const char *name) {
    bool there = object.is_object() && object.contains(name) && object[name].is_array();
    return there ? object[name] : nlohmann::json::array();
  };
  auto textOf = [](const nlohmann::json &object, const char *name) {
    return object.is_object() && object.contains(name) && object[name].is_string() ? object[name].get<std::string>()
                                                                                   : std::string();
  };
  BenchBase base;
  base.path_ = path;
  for (const nlohmann::json &file : listOf(json, "files"))
    for (const nlohmann::json &test : listOf(file, "tests"))
      for (const nlohmann::json &run : listOf(test, "runs")) {
        if (!run.is_object() || !run.contains("bench") || !run["bench"].is_object()) continue;
        const nlohmann::json &bench = run["bench"];
        auto number = [&](const char *name) {
          return bench.contains(name) && bench[name].is_number() ? bench[name].get<double>() : 0.0;
        };
        bool small = run.contains("small") && run["small"].is_boolean() && run["small"].get<bool>();
        if (number("median") > 0)
          base.times_[keyOf(textOf(file, "file"), textOf(test, "test"), textOf(run, "target"), small)] = {number("median"),
                                                                                                          number("high")};
      }
  if (base.times_.empty()) return Error::environment(str(path, " has no times: write it with `xtrun --bench --json`"));
  return base;
}

BenchBase::Verdict BenchBase::compare(const std::string &file, const std::string &test, const RunReport &run,
                                      std::optional<double> limit) const {
  auto found = run.bench ? times_.find(keyOf(file, test, run.target, run.small)) : times_.end();
  if (found == times_.end()) return {};
  double ratio = run.bench->times.median / found->second.median;
  char number[40];
  std::snprintf(number, sizeof number, "%.3g times the median", ratio);
  Verdict verdict{str(number, " of ", path_), false};
  verdict.slower = limit && ratio > 1 + *limit && run.bench->times.low > found->second.high;
  if (verdict.slower) verdict.text += ": slower than allowed";
  return verdict;
}

} // namespace xt
