#include "targets/tools/tool_process.h"
#include "targets/compile/version.h"

#include "ir/base/crash.h"
#include "ir/base/text.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/Host.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

namespace xt {

namespace {

// Versions, command line and other facts that the process depends on.
std::string factsOf(int argc, const char *const *argv) {
  std::error_code failed;
  std::string folder = std::filesystem::current_path(failed).string();
  utsname system{};
  uname(&system);
  std::string text = str("version: ", kVersion, "\nLLVM: ", LLVM_VERSION_STRING,
                         "\nprocessor: ", llvm::sys::getHostCPUName().str(), "\nsystem: ", system.sysname, " ", system.release,
                         " ", system.machine, "\nfolder: ", failed ? "(deleted)" : folder, "\ncommand:");
  for (int i = 0; i < argc; ++i) text += " " + shellQuoted(argv[i]);
  text += "\nvariables:";
  for (char **variable = environ; *variable; ++variable)
    for (std::string_view prefix : {"XT_", "ZE_", "NEO", "IGC_"})
      if (std::string_view(*variable).starts_with(prefix)) text += " " + shellQuoted(*variable);
  return text + "\n";
}

} // namespace

std::string shellQuoted(const std::string &text) {
  constexpr const char *kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,+:@%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

void startTool(const char *tool, int argc, const char *const *argv) {
  startProcess(tool);
  const char *own = std::getenv("XT_CRASH_DIR"), *temporary = std::getenv("TMPDIR");
  if (own && !*own) return;
  std::string first = own ? own : "", second = own ? own : temporary && *temporary ? temporary : "/tmp";
  enableCrashBundles(factsOf(argc, argv), {first, second});
  catchCrashSignals();
}

} // namespace xt
