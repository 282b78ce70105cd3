#include "tests/targets/differential/child.h"

#include "ir/base/descriptor.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

namespace xt {
namespace {

constexpr int kReturned = 100; // larger exit statuses are kReturned plus the result of `run`

// Reads the child's output until the child ends. Returns false if the child has not ended at the time `over`.
bool readUntil(int file, std::chrono::steady_clock::time_point over, std::string &to) {
  std::array<char, 4096> buffer;
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(over - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    pollfd waited{file, POLLIN, 0};
    if (::poll(&waited, 1, static_cast<int>(left)) <= 0) continue;
    ssize_t got = ::read(file, buffer.data(), buffer.size());
    if (got <= 0) return true;
    constexpr size_t kMost = size_t{1} << 20;
    if (to.size() < kMost) to.append(buffer.data(), static_cast<size_t>(got));
  }
}

} // namespace

ChildEnd inChild(const std::function<int(const std::function<void(const std::string &)> &)> &run, unsigned seconds) {
  int ends[2];
  if (::pipe(ends) != 0) return {ChildEnd::How::Exited, -1, "there is no pipe"};
  std::fflush(nullptr);
  pid_t child = ::fork();
  if (child < 0) return {ChildEnd::How::Exited, -1, "there is no process"};
  if (child == 0) {
    ::setpgid(0, 0);
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO), ::dup2(ends[1], STDERR_FILENO);
    int value = run([&](const std::string &text) { (void)writeAll(ends[1], text); });
    std::fflush(nullptr);
    ::_exit(kReturned + value);
  }
  ::close(ends[1]);
  ChildEnd end;
  bool inTime = readUntil(ends[0], std::chrono::steady_clock::now() + std::chrono::seconds(seconds), end.said);
  if (!inTime) ::kill(-child, SIGKILL), ::kill(child, SIGKILL);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  if (!inTime)
    end.how = ChildEnd::How::Late;
  else if (WIFSIGNALED(status))
    end.how = ChildEnd::How::Signal, end.value = WTERMSIG(status);
  else if (WEXITSTATUS(status) >= kReturned)
    end.value = WEXITSTATUS(status) - kReturned;
  else
    end.how = ChildEnd::How::Exited, end.value = WEXITSTATUS(status);
  return end;
}

} // namespace xt
