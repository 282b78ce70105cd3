#include "targets/process/external_tool.h"

#include "ir/base/text.h"
#include "targets/process/program.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace xt {

Result<ToolOutput> runTool(const std::string &program, std::string_view package, const std::vector<std::string> &arguments,
                           const ToolSetting &setting) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Error::environment(str("cannot make a pipe to ", program, ": ", std::strerror(errno)));
  ChildProgram started{program, arguments, str("no program `", program, "` in PATH: install the package ", package),
                       setting.directory, setting.environment};
  started.output = started.errors = ends[1];
  Result<pid_t> child = startProgram(started);
  close(ends[1]);
  ToolOutput result;
  std::array<char, 4096> buffer;
  for (ssize_t n; child && (n = read(ends[0], buffer.data(), buffer.size())) != 0;) {
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) break;
    uint64_t room = setting.mostOutput - result.output.size();
    result.output.append(buffer.data(), std::min(static_cast<uint64_t>(n), room));
  }
  close(ends[0]);
  if (!child) return child.error();
  result.status = waitForEnd(*child);
  return result;
}

Result<ScratchDirectory> ScratchDirectory::make() {
  std::error_code failed;
  std::string path = (std::filesystem::temp_directory_path(failed) / "xt-XXXXXX").string();
  if (failed || !mkdtemp(path.data()))
    return Error::environment(str("cannot make a directory for temporary files: ", std::strerror(errno)));
  return ScratchDirectory(std::move(path));
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

} // namespace xt
