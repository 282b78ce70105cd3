#include "ir/base/crash.h"

#include "ir/base/check.h"
#include "ir/base/descriptor.h"
#include "ir/base/temporary_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

// GCC announces sanitizers by macros, Clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define XT_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define XT_SANITIZED
#endif
#endif

namespace xt {
namespace {

enum SlotState : int { kFree, kFilling, kKnown };
struct Slot {
  std::atomic<int> state{kFree};
  char name[512];
  const char *text;
  size_t bytes;
};
Slot slots[kMostCrashNotes];

std::atomic<bool> enabled{false}, written{false}, internalErrors{false};
const std::string *facts = nullptr;              // freed only when replaced
const std::string *parents[2] = {nullptr, nullptr}; // freed only when replaced

// A path that is built without heap memory.
class Path {
public:
  void set(std::string_view text) { length_ = 0, add(text); }
  void add(std::string_view text) {
    size_t n = std::min(text.size(), sizeof text_ - 1 - length_);
    std::memcpy(text_ + length_, text.data(), n);
    length_ += n;
    text_[length_] = 0;
  }
  void add(unsigned number) {
    char digits[10];
    int n = 0;
    do digits[n++] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    while (n > 0) add(std::string_view(&digits[--n], 1));
  }
  size_t length() const { return length_; }
  void cut(size_t length) { text_[length_ = length] = 0; }
  const char *text() const { return text_; }
  char *text() { return text_; }

private:
  char text_[PATH_MAX] = {};
  size_t length_ = 0;
};

void put(int descriptor, std::string_view text) { (void)writeAll(descriptor, text); }

int makeFile(const Path &path) { return open(path.text(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666); }

// Whether users other than the owner of `folder` can create files in it, as in /tmp.
bool isShared(const char *folder) {
  struct stat info{};
  return stat(*folder ? folder : ".", &info) == 0 && (info.st_mode & S_IWOTH) != 0;
}

// Creates a new folder for the bundle. If all users can create files in the parent folder, only this user can read the bundle,
// because it contains the user's sources.
bool makeFolder(Path &path) {
  constexpr unsigned kMostBundles = 10000;
  for (const std::string *parent : parents) {
    mode_t mode = parent && isShared(parent->c_str()) ? 0700 : 0777;
    for (unsigned number = 1; parent && number <= kMostBundles; ++number) {
      path.set(*parent);
      if (!parent->empty()) path.add("/");
      path.add("xt-crash-");
      path.add(number);
      if (mkdir(path.text(), mode) == 0) return true;
      if (errno != EEXIST) break;
    }
  }
  return false;
}

// Creates the parent folders of a file in the bundle.
void makeFoldersTo(Path &path, size_t bundle) {
  for (size_t at = bundle + 1; at < path.length(); ++at) {
    if (path.text()[at] != '/') continue;
    path.text()[at] = 0;
    mkdir(path.text(), 0777);
    path.text()[at] = '/';
  }
}

void writeNotes(Path &path) {
  size_t bundle = path.length();
  for (Slot &slot : slots) {
    if (slot.state != kKnown) continue;
    path.cut(bundle);
    path.add("/");
    path.add(slot.name);
    makeFoldersTo(path, bundle);
    int file = makeFile(path);
    if (file < 0) continue; // the file cannot be created, for example because an earlier note has the same name
    put(file, {slot.text, slot.bytes});
    close(file);
  }
  path.cut(bundle);
}

void writeBacktrace(Path &path) {
  size_t bundle = path.length();
  path.add("/backtrace.txt");
  int file = makeFile(path);
  path.cut(bundle);
  if (file < 0) return;
  constexpr int kMostFrames = 200;
  void *frames[kMostFrames];
  backtrace_symbols_fd(frames, backtrace(frames, kMostFrames), file);
  close(file);
}

constexpr std::string_view kReadme =
    "A crash report of xt: the compiler failed because of a bug. Please report the bug with this folder.\n"
    "  README.txt      what happened, the versions, and the command line\n"
    "  backtrace.txt   the stack of calls\n"
    "  before.xt       the module before the step that failed; its first line is the command that repeats the failure\n"
    "  files/          the files that the program read, under their paths\n"
    "The folder holds your source files: look through it before you publish it.\n\n";

void writeReadme(Path &path, std::string_view what) {
  size_t bundle = path.length();
  path.add("/README.txt");
  int file = makeFile(path);
  path.cut(bundle);
  if (file < 0) return;
  put(file, kReadme);
  put(file, "what happened: ");
  put(file, what);
  put(file, "\n");
  if (facts) put(file, *facts);
  close(file);
}

constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

const char *describe(int signal) {
  switch (signal) {
  case SIGSEGV: return "the program accessed an invalid address (SIGSEGV)";
  case SIGBUS: return "the program accessed an invalid address (SIGBUS)";
  case SIGILL: return "the program executed an instruction that the processor does not have (SIGILL)";
  case SIGFPE: return "the program divided by zero (SIGFPE)";
  default: return "the program aborted (SIGABRT)";
  }
}

void onCrash(int signal) {
  put(STDERR_FILENO, "\nxt: compiler bug: ");
  put(STDERR_FILENO, describe(signal));
  put(STDERR_FILENO, "\n");
  removeTemporaries();
  writeCrashBundle(describe(signal));
  _exit(kExitCompilerBug);
}

} // namespace

CrashNote::CrashNote(std::string_view name, std::string_view text) {
  for (int i = 0; i < kMostCrashNotes; ++i) {
    int free = kFree;
    Slot &slot = slots[i];
    if (!slot.state.compare_exchange_strong(free, kFilling)) continue;
    size_t length = std::min(name.size(), sizeof slot.name - 1);
    std::memcpy(slot.name, name.data(), length);
    slot.name[length] = 0;
    slot.text = text.data();
    slot.bytes = text.size();
    slot.state = kKnown;
    slot_ = i;
    return;
  }
}

CrashNote::~CrashNote() {
  if (slot_ >= 0) slots[slot_].state = kFree;
}

void enableCrashBundles(std::string text, const std::string (&folders)[2]) {
  enabled = false; // a signal handler must not read `facts` and `parents` while they are replaced
  delete std::exchange(facts, new std::string(std::move(text)));
  for (int i = 0; i < 2; ++i) delete std::exchange(parents[i], new std::string(folders[i]));
  void *frame[1];
  backtrace(frame, 1); // the first call loads libraries, which a signal handler must not do
  enabled = true;
  written = false;
}

void disableCrashBundles() {
  enabled = false;
  for (int signal : kSignals) {
    struct sigaction now{};
    if (sigaction(signal, nullptr, &now) == 0 && now.sa_handler == onCrash) std::signal(signal, SIG_DFL);
  }
}

void catchCrashSignals() {
#ifndef XT_SANITIZED
  // A signal may be caused by stack overflow, so the handlers get a separate stack, which is never freed. Other threads have
  // no such stack: if theirs overflows, the process ends without a bundle.
  constexpr size_t kStackBytes = size_t{1} << 16;
  static char stack[kStackBytes];
  stack_t own{};
  own.ss_sp = stack;
  own.ss_size = sizeof stack;
  sigaltstack(&own, nullptr);
  struct sigaction action{};
  action.sa_handler = onCrash;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (int signal : kSignals) sigaction(signal, &action, nullptr);
#endif
}

Error internalError(const std::string &said) {
  constexpr std::string_view kPrefix = "compiler bug: ";
  std::string text = said.starts_with(kPrefix) ? said.substr(kPrefix.size()) : said; // a child process has added the prefix
  internalErrors = true;
  if (enabled) {
    put(STDERR_FILENO, "\nxt: compiler bug: this is an error in the compiler, not in your file.\n");
    writeCrashBundle(text);
  }
  return Error::environment(std::string(kPrefix) + text);
}

bool internalErrorSeen() { return internalErrors; }

bool writeCrashBundle(std::string_view what) {
  if (!enabled || written.exchange(true)) return false;
  Path path;
  if (!makeFolder(path)) {
    put(STDERR_FILENO, "No report was written: no folder for it can be created.\n");
    return false;
  }
  writeReadme(path, what);
  writeNotes(path);
  writeBacktrace(path);
  put(STDERR_FILENO, "A report with everything needed to find the bug is in the folder ");
  put(STDERR_FILENO, path.text());
  put(STDERR_FILENO, ": please send it. Its README.txt lists the contents.\n");
  return true;
}

} // namespace xt
