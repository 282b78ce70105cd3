// Runs the built tools as a user does and captures their output.
#pragma once
#include "tests/shell.h"

#include <regex>
#include <string>

namespace xt::test {

using ToolRun = ShellRun; // standard output and standard error together

// Removes AddressSanitizer's warning that fibers may mislead it. The warning appears once, or twice if two threads
// trigger it at the same time.
inline void dropSanitizerNote(std::string &output) {
  for (size_t from; (from = output.find("WARNING: ASan doesn't fully support makecontext")) != std::string::npos;) {
    size_t end = output.find('\n', from);
    if (end == std::string::npos) return;
    from = output.rfind('\n', from) + 1; // npos + 1 is 0: the first line
    output.erase(from, end + 1 - from);
  }
}

// Runs a shell command line, in which %bin is the folder of the tools, %src the repository, and %in this folder's inputs.
inline ToolRun runTool(std::string command) {
  auto replaceAll = [&](std::string_view what, const std::string &by) {
    for (size_t at; (at = command.find(what)) != std::string::npos;) command.replace(at, what.size(), by);
  };
  replaceAll("%bin", XT_BINARY_DIR "/bin");
  replaceAll("%in", XT_SOURCE_DIR "/tests/targets/tools/inputs");
  replaceAll("%src", XT_SOURCE_DIR);
  ToolRun run = runShell("( " + command + " ) 2>&1 </dev/null");
  dropSanitizerNote(run.output);
  return run;
}

// Returns a report without the times of launches.
inline std::string withoutTimes(const std::string &text) {
  static const std::regex time("\\]  [0-9.e+-]+ (us|ms|s)\\b");
  return std::regex_replace(text, time, "]  (time)");
}

} // namespace xt::test
