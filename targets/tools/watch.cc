#include "targets/tools/watch.h"

#include <array>
#include <csignal>
#include <ctime>
#include <sys/stat.h>

namespace xt {
namespace {

volatile std::sig_atomic_t ended = 0;

// What tells one state of a file from another; all zero where there is none.
using Stamp = std::array<int64_t, 4>;

Stamp stampOf(const std::string &path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return {};
  return {static_cast<int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

std::vector<Stamp> stampsOf(const std::vector<std::string> &paths) {
  std::vector<Stamp> stamps;
  for (const std::string &path : paths) stamps.push_back(stampOf(path));
  return stamps;
}

} // namespace

void watchFiles(const std::function<std::vector<std::string>()> &check) {
  struct sigaction action{};
  action.sa_handler = [](int) { ended = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  constexpr timespec kPause{0, 100'000'000};
  std::vector<std::string> paths;
  std::vector<Stamp> before;
  while (!ended) {
    // A change while it is being checked must not be missed: of the files known before, the stamps from before count.
    std::vector<std::string> looked = check();
    if (looked != paths) before = stampsOf(looked);
    paths = std::move(looked);
    while (!ended && stampsOf(paths) == before) nanosleep(&kPause, nullptr);
    before = stampsOf(paths);
  }
}

} // namespace xt
