// The objects that handles of xt.h stand for.
#pragma once
#include "targets/api/diagnostic_list.h"
#include "targets/api/handle.h"
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
  xt_prepared(std::shared_ptr<xt::Graveyard> graveyard, std::shared_ptr<xt::LoadedProgram> of)
      : Handle(xt::HandleKind::Prepared, std::move(graveyard)), program(std::move(of)) {}
  void drop() override { program.reset(), args.clear(), grid.clear(); }

  std::shared_ptr<xt::LoadedProgram> program;
  const xt::Kernel *kernel = nullptr;
  std::vector<xt::LaunchArg> args;
  std::vector<xt::GridRange> grid;
};

struct xt_diagnostics : xt::Handle {
  xt_diagnostics(std::shared_ptr<xt::Graveyard> graveyard, std::unique_ptr<xt::DiagnosticList> of)
      : Handle(xt::HandleKind::Diagnostics, std::move(graveyard)), list(std::move(of)) {}
  void drop() override { list.reset(); }

  std::unique_ptr<xt::DiagnosticList> list;
};
