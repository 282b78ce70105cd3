// Runs shell commands and captures what they print.
#pragma once
#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace xt::test {

struct ShellRun {
  int status = -1;    // exit status; 128 + n if signal n ended it; -1: it was not started
  std::string output; // text of its standard output
};

inline ShellRun runShell(const std::string &command) {
  ShellRun run;
  std::FILE *pipe = popen(command.c_str(), "r");
  if (!pipe) return run;
  std::array<char, 4096> buffer;
  size_t n;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) run.output.append(buffer.data(), n);
  int status = pclose(pipe);
  run.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return run;
}

} // namespace xt::test
