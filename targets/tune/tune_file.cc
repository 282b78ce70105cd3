#include "targets/tune/tune_file.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "lang/lower/disk.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <unistd.h>

namespace xt {
namespace {

constexpr std::string_view kFirstLine = "xt tune 1";

std::string numberText(double value) {
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6).ptr;
  return {text, end};
}

std::string timesText(const BenchTimes &times) {
  return str(numberText(times.median), " (", numberText(times.low), " to ", numberText(times.high), ")");
}

std::string arraysText(const std::vector<std::vector<int64_t>> &arrays) {
  std::vector<std::string> all;
  for (const auto &extents : arrays) all.push_back(extents.empty() ? "scalar" : join(extents, "x"));
  return join(all, " ");
}

// Splits at a separator, without blanks around the parts.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    size_t end = std::min(text.find(separator), text.size());
    std::string_view part = text.substr(0, end);
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    if (!part.empty()) parts.push_back(part);
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
  return parts;
}

template <class T> bool readNumber(std::string_view text, T &out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// Reads the lines of a tune file.
class TuneReader {
public:
  explicit TuneReader(std::string path) : path_(std::move(path)) {}

  Result<std::vector<TuneRecord>> read(std::string_view text) {
    bool begun = false;
    while (!text.empty()) {
      ++line_;
      size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (line.empty() || line[0] == '#') continue;
      if (!begun && line != kFirstLine) return wrong(str("expected `", kFirstLine, "`, not `", line, "`"));
      if (begun)
        if (std::string problem = readLine(line); !problem.empty()) return wrong(problem);
      begun = true;
    }
    for (size_t i = 0; i < records_.size(); ++i)
      if (const TuneRecord &record = records_[i]; record.values.empty() || record.target.empty()) {
        line_ = lines_[i];
        return wrong(str("the record of @", record.kernel, " has no `", record.values.empty() ? "values" : "target", "` line"));
      }
    return std::move(records_);
  }

private:
  Error wrong(const std::string &problem) const {
    return Error::environment(str(path_, ":", line_, ": ", problem, "; mend the line, or delete the file"));
  }

  // Returns what is wrong, or "".
  std::string readLine(std::string_view line) {
    size_t blank = std::min(line.find(' '), line.size());
    std::string_view key = line.substr(0, blank), rest = line.substr(std::min(blank + 1, line.size()));
    if (key == "kernel") {
      if (rest.empty()) return "a kernel needs a name";
      records_.emplace_back().kernel = rest;
      lines_.push_back(line_);
      keys_.clear();
      return "";
    }
    if (records_.empty()) return str("expected `kernel NAME` before `", key, "`");
    if (!keys_.emplace(key).second) return str("a second `", key, "` line for one kernel");
    TuneRecord &record = records_.back();
    if (key == "target") return record.target = rest, "";
    if (key == "device") return record.device = rest, "";
    if (key == "threads") return readNumber(rest, record.threads) && record.threads >= 0 ? "" : notText("a number", rest);
    if (key == "arrays") return readArrays(rest, record);
    if (key == "given") return readValues(rest, record.given);
    if (key == "values") return readValues(rest, record.values);
    if (key == "seconds") return readTimes(rest, record.best);
    if (key == "defaults") return readTimes(rest, record.defaults);
    if (key == "timed") return readCounts(rest, record);
    return str("unknown word `", key, "`");
  }

  static std::string notText(std::string_view expected, std::string_view found) {
    return str("expected ", expected, ", not `", found, "`");
  }

  static std::string readArrays(std::string_view text, TuneRecord &record) {
    for (std::string_view array : split(text, " ")) {
      std::vector<int64_t> &extents = record.arrays.emplace_back();
      for (std::string_view extent : split(array == "scalar" ? "" : array, "x"))
        if (!readNumber(extent, extents.emplace_back()) || extents.back() < 0) return notText("extents such as 512x512", array);
    }
    return "";
  }

  static std::string readValues(std::string_view text, TuneValues &values) {
    for (std::string_view part : split(text, ",")) {
      std::vector<std::string_view> sides = split(part, "=");
      if (sides.size() != 2) return notText("NAME = VALUE", part);
      values.emplace_back(sides[0], sides[1]);
    }
    return "";
  }

  // "0.0042 (0.0041 to 0.0043)"
  static std::string readTimes(std::string_view text, BenchTimes &times) {
    std::vector<std::string_view> words = split(text, " ");
    bool good = words.size() == 4 && words[1].starts_with("(") && words[2] == "to" && words[3].ends_with(")") &&
                readNumber(words[0], times.median) && readNumber(words[1].substr(1), times.low) &&
                readNumber(words[3].substr(0, words[3].size() - 1), times.high);
    return good ? "" : notText("MEDIAN (LOW to HIGH) in seconds", text);
  }

  // "9 of 32"
  static std::string readCounts(std::string_view text, TuneRecord &record) {
    std::vector<std::string_view> words = split(text, " ");
    bool good =
        words.size() == 3 && words[1] == "of" && readNumber(words[0], record.timed) && readNumber(words[2], record.candidates);
    return good ? "" : notText("NUMBER of NUMBER", text);
  }

  std::string path_;
  int line_ = 0;
  std::vector<TuneRecord> records_;
  std::vector<int> lines_;              // where each record begins
  std::set<std::string, std::less<>> keys_; // those that the last record has
};

} // namespace

std::string valuesText(const TuneValues &values) {
  std::vector<std::string> all;
  for (const auto &[name, value] : values) all.push_back(str(name, " = ", value));
  return join(all, ", ");
}

std::string tunePath(const std::string &kernels) { return kernels + ".tune"; }

Result<std::vector<TuneRecord>> readTuneFile(const std::string &path) {
  if (access(path.c_str(), F_OK) != 0) return std::vector<TuneRecord>();
  Result<std::string> text = readFile(path);
  if (!text) return text.error();
  return TuneReader(path).read(*text);
}

std::string tuneText(const std::vector<TuneRecord> &records) {
  std::string out =
      str(kFirstLine, "\n# The fastest values of parameters, found by `xtrun --tune`. Where this file lies beside the file of "
                      "kernels,\n# launches use them. Times are in seconds: the median and its 95% interval.\n");
  for (const TuneRecord &record : records) {
    out += str("\nkernel ", record.kernel, "\ntarget ", record.target, "\n");
    if (!record.device.empty()) out += str("device ", record.device, "\n");
    if (record.threads > 0) out += str("threads ", record.threads, "\n");
    if (!record.arrays.empty()) out += str("arrays ", arraysText(record.arrays), "\n");
    if (!record.given.empty()) out += str("given ", valuesText(record.given), "\n");
    out += str("values ", valuesText(record.values), "\nseconds ", timesText(record.best), "\ndefaults ",
               timesText(record.defaults), "\ntimed ", record.timed, " of ", record.candidates, "\n");
  }
  return out;
}

void addRecord(std::vector<TuneRecord> &records, TuneRecord record) {
  for (TuneRecord &old : records)
    if (old.kernel == record.kernel && old.target == record.target && old.device == record.device &&
        old.threads == record.threads && old.arrays == record.arrays && old.given == record.given) {
      old = std::move(record);
      return;
    }
  records.push_back(std::move(record));
}

double sizeDistance(const std::vector<std::vector<int64_t>> &a, const std::vector<std::vector<int64_t>> &b) {
  constexpr double kOther = std::numeric_limits<double>::infinity();
  if (a.size() != b.size()) return kOther;
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return kOther;
    for (size_t d = 0; d < a[i].size(); ++d)
      sum += std::fabs(std::log2(static_cast<double>(std::max<int64_t>(a[i][d], 1))) -
                       std::log2(static_cast<double>(std::max<int64_t>(b[i][d], 1))));
  }
  return sum;
}

} // namespace xt
