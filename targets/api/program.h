// The objects that handles of xt.h stand for.
#pragma once
#include "targets/api/boundary/failure.h"
#include "targets/api/boundary/handle.h"
#include "targets/api/diagnostic_list.h"
#include "targets/api/kernel_info.h"
#include "targets/compile/compile_for.h"
#include "targets/tune/tuned_kernels.h"

#include <map>
#include <mutex>

namespace xt {

// The kernels of one file, compiled for one target, with everything that launches need.
struct LoadedProgram {
  SourceManager sources;
  Context context;
  CompiledModule compiled;
  std::deque<KernelInfo> kernels; // those that the target cannot run, too
  std::map<std::string, std::string> imported; // texts by the paths under which they were read
  TunedKernels tuned;             // what the tune file beside the source says
  std::mutex launching;           // executables need not be thread-safe

  const Kernel *find(const KernelInfo &info) const { return compiled.module->findKernel(info.name()); }
  // The kernel that serves a launch on these arguments: find(), or one with other values of the file's parameters.
  const Kernel *choose(const KernelInfo &info, const std::vector<LaunchArg> &args) const;
  // Why the target cannot run the kernel; "" if it can.
  std::string whyUnsupported(const KernelInfo &info) const;
  // "FILE:LINE:COLUMN: " for a range in a source; "" for one without.
  std::string placeText(SourceRange range) const;
};

// When a launch ends before it is done, and what receives its time: members of xt_launch_options.
struct LaunchWishes {
  const int32_t *stop = nullptr;
  double seconds = 0;
  double *kernelSeconds = nullptr;
};

// A launch whose arguments have been checked.
struct ReadyLaunch {
  std::shared_ptr<LoadedProgram> program;
  const Kernel *kernel = nullptr;
  std::vector<LaunchArg> args;
  std::vector<GridRange> grid;
  LaunchWishes wishes;
};

// Memory of the device that runs a program.
class DeviceBytes {
public:
  static Result<std::shared_ptr<DeviceBytes>> make(std::shared_ptr<LoadedProgram> program, size_t bytes);
  DeviceBytes(const DeviceBytes &) = delete;
  DeviceBytes &operator=(const DeviceBytes &) = delete;
  ~DeviceBytes();

  std::byte *data() const { return data_; }
  size_t size() const { return size_; }
  // Copy from or to memory of the host; the range is one of this memory.
  Result<void> write(size_t offset, const void *from, size_t bytes);
  Result<void> read(size_t offset, void *to, size_t bytes);

private:
  DeviceBytes(std::shared_ptr<LoadedProgram> program, std::byte *data, size_t size)
      : program_(std::move(program)), data_(data), size_(size) {}

  std::shared_ptr<LoadedProgram> program_;
  std::byte *data_;
  size_t size_;
};

// Fails unless these bytes are in the buffer and the memory of the host is not null.
Failure checkBufferRange(const xt_buffer *buffer, size_t offset, const void *host, size_t bytes, const char *hostName);

// Runs a launch and waits for the end.
Failure runLaunch(const ReadyLaunch &launch);

} // namespace xt

struct xt_context : xt::Handle {
  xt_context() : Handle(xt::HandleKind::Context, std::make_shared<xt::Graveyard>()) {}
  void drop() override {}

  std::string cacheDirectory;
  uint64_t cacheBytes = 0;
};

struct xt_kernel : xt::Handle {
  xt_kernel(std::shared_ptr<xt::Graveyard> graveyard, std::shared_ptr<xt::LoadedProgram> of, const xt::KernelInfo &which)
      : Handle(xt::HandleKind::Kernel, std::move(graveyard)), program(std::move(of)), info(&which) {}
  void drop() override { program.reset(); }

  std::shared_ptr<xt::LoadedProgram> program;
  const xt::KernelInfo *info;
};

struct xt_program : xt::Handle {
  xt_program(std::shared_ptr<xt::Graveyard> graveyard, std::shared_ptr<xt::LoadedProgram> of);
  ~xt_program() override { drop(); }
  void drop() override;

  std::shared_ptr<xt::LoadedProgram> program;
  std::vector<xt_kernel *> kernels; // in the order of LoadedProgram::kernels
};

struct xt_prepared : xt::Handle {
  xt_prepared(std::shared_ptr<xt::Graveyard> graveyard, std::shared_ptr<const xt::ReadyLaunch> of)
      : Handle(xt::HandleKind::Prepared, std::move(graveyard)), launch(std::move(of)) {}
  void drop() override { launch.reset(); }

  std::shared_ptr<const xt::ReadyLaunch> launch;
};

struct xt_buffer : xt::Handle {
  xt_buffer(std::shared_ptr<xt::Graveyard> graveyard, std::shared_ptr<xt::DeviceBytes> of)
      : Handle(xt::HandleKind::Buffer, std::move(graveyard)), bytes(std::move(of)) {}
  void drop() override { bytes.reset(); }

  std::shared_ptr<xt::DeviceBytes> bytes;
};

struct xt_diagnostics : xt::Handle {
  xt_diagnostics(std::shared_ptr<xt::Graveyard> graveyard, std::unique_ptr<xt::DiagnosticList> of)
      : Handle(xt::HandleKind::Diagnostics, std::move(graveyard)), list(std::move(of)) {}
  void drop() override { list.reset(); }

  std::unique_ptr<xt::DiagnosticList> list;
};
