#include "ir/base/temporary_files.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace xt {
namespace {

// A signal handler must not allocate, nor read memory that another thread may free, so paths are kept in fixed slots.
enum SlotState : int { kFree, kFilling, kKnown };
struct Slot {
  std::atomic<int> state{kFree};
  char path[PATH_MAX];
};
constexpr int kSlots = 64;
Slot slots[kSlots];

// A directory entry as the system call getdents64 returns it; opendir would allocate.
struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[1];
};

// Removes the files in a folder without subfolders, then the folder.
void removeFolder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  alignas(DirectoryEntry) char buffer[4096];
  // Some file systems skip entries when others are removed during the iteration, so it is repeated.
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds && rmdir(path) != 0; ++round) {
    lseek(folder, 0, SEEK_SET);
    for (long n; (n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
      for (long at = 0; at < n;) {
        const auto *entry = reinterpret_cast<const DirectoryEntry *>(buffer + at);
        unlinkat(folder, entry->name, 0);
        at += entry->length;
      }
  }
  close(folder);
}

void onSignal(int signal) {
  removeTemporaries();
  raise(signal); // SA_RESETHAND: the default action applies
}

} // namespace

TemporaryPath::TemporaryPath(std::string_view path) {
  if (path.size() >= PATH_MAX) return;
  for (int i = 0; i < kSlots; ++i) {
    int free = kFree;
    if (!slots[i].state.compare_exchange_strong(free, kFilling)) continue;
    std::memcpy(slots[i].path, path.data(), path.size());
    slots[i].path[path.size()] = 0;
    slots[i].state = kKnown;
    slot_ = i;
    return;
  }
}

TemporaryPath::~TemporaryPath() {
  if (slot_ >= 0) slots[slot_].state = kFree;
}

void removeTemporaries() {
  int error = errno;
  for (Slot &slot : slots)
    if (slot.state == kKnown && unlink(slot.path) != 0 && errno == EISDIR) removeFolder(slot.path);
  errno = error;
}

void forgetTemporaries() {
  for (Slot &slot : slots) slot.state = kFree;
}

std::string randomDigits() {
  uint64_t random = 0;
  // getrandom() never delivers so few bytes in part. It fails until the system has collected enough randomness.
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    static std::atomic<uint64_t> calls{0};
    random = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
    random = (random ^ static_cast<uint64_t>(getpid()) << 40) + ++calls;
  }
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(random));
  return digits;
}

void removeTemporariesOnSignals() {
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action.sa_handler = onSignal;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

} // namespace xt
