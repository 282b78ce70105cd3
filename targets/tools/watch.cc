#include "targets/tools/watch.h"

#include <algorithm>
#include <csignal>
#include <ctime>
#include <sys/stat.h>

namespace xt {
namespace {

volatile std::sig_atomic_t ended = 0;

bool hasChanged(const WatchedFile &file) { return watchedFile(file.path).stamp != file.stamp; }

} // namespace

WatchedFile watchedFile(std::string path) {
  WatchedFile file{std::move(path)};
  struct stat info{};
  if (stat(file.path.c_str(), &info) == 0)
    file.stamp = {static_cast<int64_t>(info.st_ino), info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
  return file;
}

void watchFiles(const std::function<std::vector<WatchedFile>()> &check) {
  struct sigaction action{};
  action.sa_handler = [](int) { ended = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  constexpr timespec kPause{0, 100'000'000};
  while (!ended) {
    std::vector<WatchedFile> files = check();
    while (!ended && std::none_of(files.begin(), files.end(), hasChanged)) nanosleep(&kPause, nullptr);
  }
}

} // namespace xt
