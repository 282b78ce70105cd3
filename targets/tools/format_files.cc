#include "targets/tools/format_files.h"

#include "ir/base/input_file.h"
#include "ir/base/process.h"
#include "ir/base/text.h"
#include "lang/format/format.h"
#include "targets/tools/session.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace xt {
namespace {

std::string_view lineAt(std::string_view text, size_t begin) { return text.substr(begin, text.find('\n', begin) - begin); }

// The first line that differs between the two texts, in the style of a diff.
std::string firstDifference(const std::string &name, const std::string &before, const std::string &after) {
  uint32_t line = 1;
  size_t a = 0, b = 0;
  while (a < before.size() && b < after.size() && lineAt(before, a) == lineAt(after, b)) {
    a = std::min(before.size(), a + lineAt(before, a).size() + 1);
    b = std::min(after.size(), b + lineAt(after, b).size() + 1);
    ++line;
  }
  std::string out = str(name, ":", line, ": not formatted\n");
  if (a < before.size()) out += str("-", lineAt(before, a), "\n");
  if (b < after.size()) out += str("+", lineAt(after, b), "\n");
  return out;
}

Result<int> formatFile(const XtcOptions &options, Session &session, const std::string &path) {
  bool standard = path == "-";
  Result<std::string> text = standard ? readDescriptor(STDIN_FILENO, "standard input", kMostSourceBytes) : readFile(path);
  if (!text) return text.error();
  std::string name = standard ? "<stdin>" : path;
  uint32_t index = session.sources().add(name, *text);
  Result<std::string> formatted = formatSource(session.sources(), index, session.diagnostics());
  if (!formatted) return formatted.error();
  if (options.checkOnly) {
    if (*formatted == *text) return 0;
    std::fputs(firstDifference(name, *text, *formatted).c_str(), stdout);
    return kExitCheckFailed;
  }
  bool toStandard = options.output.empty() ? standard : options.output == "-";
  if (toStandard) {
    std::fwrite(formatted->data(), 1, formatted->size(), stdout);
    return 0;
  }
  const std::string &to = options.output.empty() ? path : options.output;
  if (to == path && *formatted == *text) return 0; // keeps the modification time
  Result<void> written = writeOutputFile(to, {*formatted});
  if (!written) return written.error();
  return 0;
}

} // namespace

int formatFiles(const XtcOptions &options) {
  int status = 0;
  std::vector<std::unique_ptr<Session>> sessions;
  for (const std::string &path : options.files) {
    sessions.push_back(std::make_unique<Session>(options));
    Result<int> done = formatFile(options, *sessions.back(), path);
    if (done) {
      status = std::max(status, *done);
    } else if (done.error().kind == Error::Kind::Diagnosed) {
      status = std::max(status, kExitCompile);
    } else {
      std::fprintf(stderr, "xtc: %s\n", done.error().message.c_str());
      status = std::max(status, kExitEnvironment);
    }
  }
  // Without messages, no JSON is printed, because standard output may have the formatted text or the list of files.
  bool any =
      std::any_of(sessions.begin(), sessions.end(), [](const auto &session) { return !session->diagnostics().all().empty(); });
  if (any) printDiagnostics(options, sessions);
  return status;
}

} // namespace xt
