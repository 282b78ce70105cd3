// The crash bundle: a folder with everything needed to reproduce a compiler bug. It is written when the process encounters a
// bug.
#pragma once
#include "ir/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace xt {

// Adds a file to the bundle for the lifetime of the object. The text is not copied, so it must outlive the object. `name` may
// contain folders. At most kMostCrashNotes exist at a time; later ones are ignored.
class CrashNote {
public:
  CrashNote(std::string_view name, std::string_view text);
  ~CrashNote();
  CrashNote(const CrashNote &) = delete;
  CrashNote &operator=(const CrashNote &) = delete;

private:
  int slot_ = -1;
};
inline constexpr int kMostCrashNotes = 512;

// Enables writeCrashBundle(). `facts` is the content of README.txt: versions, the command line and so on. Bundles are folders
// xt-crash-1, xt-crash-2 … in the first of `folders` where one can be created; "" is the working directory. If other users can
// write to that folder, only this user can read the bundle.
void enableCrashBundles(std::string facts, const std::string (&folders)[2]);
void disableCrashBundles(); // called in a child process whose parent reports its crash

// Makes SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT write a bundle too, then end the process with kExitCompilerBug. Handlers
// set later run first and should pass on signals that they do not handle. Does nothing under the sanitizers, which report these
// signals themselves.
void catchCrashSignals();

// Reports a compiler bug that a library detects, such as an instruction that LLVM cannot select. Writes a bundle if bundles are
// enabled, and records that the process must end with kExitCompilerBug. The Error says "compiler bug: TEXT".
Error internalError(const std::string &text);
bool internalErrorSeen();

// Writes a bundle, at most once per process, and prints its path on standard error. Async-signal-safe: allocates no memory.
// Returns false if no bundle was written.
bool writeCrashBundle(std::string_view what);

} // namespace xt
