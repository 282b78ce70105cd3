#include "targets/soft/spirv_words.h"

#include "ir/base/descriptor.h"
#include "ir/base/text.h"
#include "targets/process/program.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace xt::soft {
namespace {

constexpr const char *kTool = "llvm-spirv-15"; // the command and Debian's package

// An anonymous file, which disappears however the process ends.
class ScratchFile {
public:
  explicit ScratchFile(const char *name) : descriptor_(memfd_create(name, MFD_CLOEXEC)) {}
  ~ScratchFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  bool fill(std::string_view bytes) { return writeAll(descriptor_, bytes) == 0 && lseek(descriptor_, 0, SEEK_SET) == 0; }
  std::string contents() const {
    std::string bytes;
    if (lseek(descriptor_, 0, SEEK_SET) != 0 || readAll(descriptor_, bytes) != 0) bytes.clear();
    return bytes;
  }

private:
  int descriptor_;
};

// The reader never ends for some invalid modules. It takes milliseconds for valid ones.
constexpr int kMostReaderSeconds = 10;

// Runs the tool and returns its exit status; an Error if it cannot be started.
Result<int> runReader(const ScratchFile &in, const ScratchFile &out, const ScratchFile &log) {
  ChildProgram program{kTool,
                       {"-r", "--spirv-target-env=SPV-IR", "/dev/stdin", "-o", "-"},
                       str("the software Xe device needs the command ", kTool,
                           " to read SPIR-V, and it is not in PATH; install Debian's package ", kTool)};
  program.input = in.descriptor(), program.output = out.descriptor(), program.errors = log.descriptor();
  program.processorSeconds = kMostReaderSeconds;
  Result<pid_t> child = startProgram(program);
  if (!child) return child.error();
  return waitForEnd(*child);
}

} // namespace

Result<std::string> readBack(std::span<const uint32_t> words) {
  ScratchFile in("xt.spv"), out("xt.bc"), log("xt.log");
  if (!in || !out || !log || !in.fill({reinterpret_cast<const char *>(words.data()), words.size_bytes()}))
    return Error::environment(str("cannot make a temporary file in memory: ", std::strerror(errno)));
  Result<int> status = runReader(in, out, log);
  if (!status) return status.error();
  if (*status == 128 + SIGXCPU)
    return Error::kernel(str(kTool, " has not read this SPIR-V after ", kMostReaderSeconds, " s of processor time"));
  std::string bitcode = out.contents();
  if (*status != 0 || bitcode.empty()) {
    std::string text = log.contents();
    text.resize(std::min(text.find("PLEASE submit"), text.size())); // drops the stack trace that follows a failed assertion
    return Error::kernel(str(kTool, " cannot read this SPIR-V (status ", *status, "): ", text));
  }
  return bitcode;
}

} // namespace xt::soft
