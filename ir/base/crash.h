// The crash bundle: a folder with all that is needed to find a mistake of ours, written when the process meets one.
#pragma once
#include "ir/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace xt {

// A file of the bundle, while the object lives. The text is not copied: it outlives the object. `name` may have folders
// in it. What there is no more room for (kMostCrashNotes) is left out.
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

// From here on writeCrashBundle() writes bundles. `facts` are the versions, the command line and the like, for README.txt. Bundles
// are folders xt-crash-1, xt-crash-2 … in the first of `folders` where one can be made; "" is the working directory.
void enableCrashBundles(std::string facts, const std::string (&folders)[2]);
void disableCrashBundles(); // in a child process whose parent tells of its end

// Also SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT of the process write one, then end it with kExitCompilerBug. Handlers
// that are set later come first, and should pass on what is not theirs. Not under the sanitizers, which tell of these.
void catchCrashSignals();

// For a mistake of ours that a library finds, such as an instruction that LLVM cannot select: writes a bundle if that is
// enabled, and notes that the process must end with kExitCompilerBug. The Error says "compiler bug: TEXT".
Error internalError(const std::string &text);
bool internalErrorSeen();

// Writes a bundle, once in the life of the process, and says on standard error where it is. Async-signal-safe: no memory is
// taken. False where none was written.
bool writeCrashBundle(std::string_view what);

} // namespace xt
