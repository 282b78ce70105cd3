// Compares what `xtc --prove` decides about each kernel of the standard library with the table in targets/prove/README.md.
#include "run_tool.h"
#include "tests/effort.h"
#include "tests/golden.h"

#include <map>
#include <set>

namespace xt {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = "| kernel of `stdlib` | outcome | why |\n|---|---|---|\n";

// Files for which Z3 takes up to the time limit of a minute; tests/run --full tries them, else their rows are kept.
constexpr std::string_view kLong[] = {"cholesky", "stream_k"};

struct Outcome {
  std::string verdict;
  std::set<std::string> reasons; // without names of parameters, so that one reason of several loads stands once
};

// The reason of a line such as "  line 9: undecided: the address of this load from `%K` depends on data …"; "" if it has none.
std::string reasonOf(const std::string &line) {
  for (const char *verdict : {": undecided: ", ": fails: "}) {
    size_t at = line.find(verdict);
    if (at == std::string::npos) continue;
    std::string reason = line.substr(at + std::string_view(verdict).size());
    constexpr std::string_view kExpired = "expired before Z3 decided"; // on a slow machine, before Z3 gives up by itself
    if (size_t expired = reason.find(kExpired); expired != std::string::npos)
      reason.replace(0, expired + kExpired.size(), "Z3 cannot decide");
    if (size_t sizes = reason.find(" at dim("), end = reason.find(", which "); sizes != std::string::npos)
      reason.erase(sizes, end == std::string::npos || end < sizes ? std::string::npos : end - sizes);
    for (std::string_view of : {" from `%", " to `%", " of `%"})
      if (size_t name = reason.find(of); name != std::string::npos)
        reason.erase(name, reason.find('`', name + of.size()) + 1 - name);
    return reason;
  }
  return "";
}

// The outcomes of the kernels of a file. Instances for other parameters count as the kernel, whose outcome is the worst of them.
std::map<std::string, Outcome> outcomesOf(const std::string &output) {
  constexpr std::string_view kVerdicts[] = {"proved", "undecided", "fails"}; // the worst last
  std::map<std::string, Outcome> outcomes;
  std::istringstream lines(output);
  Outcome *current = nullptr;
  for (std::string line; std::getline(lines, line);) {
    auto verdict = std::ranges::find_if(kVerdicts, [&](auto v) { return line.starts_with(std::string(v) + "  @"); });
    if (verdict != std::end(kVerdicts)) {
      std::string name = line.substr(verdict->size() + 3);
      current = &outcomes[name.substr(0, name.find('$'))];
      if (std::ranges::find(kVerdicts, current->verdict) < verdict || current->verdict.empty()) current->verdict = *verdict;
    } else if (std::string reason = reasonOf(line); current && !reason.empty()) {
      current->reasons.insert(reason);
    }
  }
  return outcomes;
}

std::string rowsOf(const std::string &file, const std::string &output) {
  std::string rows;
  for (const auto &[kernel, outcome] : outcomesOf(output)) {
    std::string reasons;
    for (const std::string &reason : outcome.reasons) reasons += (reasons.empty() ? "" : "; ") + reason;
    rows += "| `" + file + "`: `@" + kernel + "` | " + outcome.verdict + " | " + reasons + (reasons.empty() ? "|\n" : " |\n");
  }
  return rows;
}

// The rows of a file in the table.
std::string keptRows(const std::string &table, const std::string &file) {
  std::string rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| `" + file + "`: ")) rows += line + "\n";
  return rows;
}

TEST(ProveLibrary, TheTableSaysWhatIsProved) {
  if (test::runTool("%bin/xtc --prove %in/good.xt").output.find("package libz3-4") != std::string::npos)
    GTEST_SKIP() << "libz3 is not installed (Debian: libz3-4)";
  fs::path page = fs::path(XT_SOURCE_DIR) / "targets/prove/README.md";
  std::string text = test::readText(page);
  size_t begin = text.find(kHead), end = begin;
  ASSERT_NE(begin, std::string::npos);
  begin += kHead.size();
  for (end = begin; text.compare(end, 1, "|") == 0;) end = text.find('\n', end) + 1;
  std::string kept = text.substr(begin, end - begin), rows;
  for (const fs::path &path : test::filesIn("../stdlib", ".xt")) {
    std::string file = path.stem();
    if (!test::everything() && std::ranges::find(kLong, file) != std::end(kLong)) {
      rows += keptRows(kept, file);
      continue;
    }
    rows += rowsOf(file, test::runTool("%bin/xtc --prove " + path.string()).output);
  }
  test::expectGolden(page, text.substr(0, begin) + rows + text.substr(end));
}

} // namespace
} // namespace xt
