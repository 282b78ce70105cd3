// The exit statuses of all tools (lang/reference/tests_and_tolerances.md).
#pragma once
#include "ir/base/check.h"

namespace xt {

enum class ExitStatus : int {
  Passed = 0,
  CheckFailed = 1, // also: a file is not formatted; the command of --reduce fails on the file it is given
  DoesNotCompile = 2,
  EnvironmentFailed = 3, // a file, a device or a limit of the system
  NothingRun = 4,
  Usage = 64,
  CompilerBug = kExitCompilerBug,
};

// Some of these statuses as numbers, for _exit() and main(). kExitCompilerBug is in ir/base/check.h.
inline constexpr int kExitCheckFailed = static_cast<int>(ExitStatus::CheckFailed);
inline constexpr int kExitCompile = static_cast<int>(ExitStatus::DoesNotCompile);
inline constexpr int kExitEnvironment = static_cast<int>(ExitStatus::EnvironmentFailed);
inline constexpr int kExitUsage = static_cast<int>(ExitStatus::Usage);

} // namespace xt
