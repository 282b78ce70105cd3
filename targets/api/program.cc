#include "targets/api/program.h"

#include "ir/base/text.h"
#include "ir/launch.h"
#include "targets/api/boundary/failure.h"

using namespace xt;

std::string LoadedProgram::whyUnsupported(const KernelInfo &info) const {
  auto why = compiled.unsupported.find(info.name());
  return why == compiled.unsupported.end() ? "" : why->second;
}

const Kernel *LoadedProgram::choose(const KernelInfo &info, const std::vector<LaunchArg> &args) const {
  if (tuned.empty()) return find(info);
  std::vector<std::vector<int64_t>> arrays;
  for (const LaunchArg &arg : args)
    if (arg.kind == LaunchArg::Kind::Buffer) arrays.push_back(arg.buffer.sizes);
  const Kernel *chosen = compiled.module->findKernel(tuned.choose(info.name(), arrays));
  return chosen && satisfiesRequirements(*chosen, args) ? chosen : find(info); // the target may be unable to run it
}

std::string LoadedProgram::placeText(SourceRange range) const {
  if (range.file == 0 || range.file >= sources.count()) return "";
  LineColumn at = sources.file(range.file).lineColumn(range.begin);
  return str(sources.file(range.file).name(), ":", at.line, ":", at.column, ": ");
}

xt_program::xt_program(std::shared_ptr<Graveyard> graveyard, std::shared_ptr<LoadedProgram> of)
    : Handle(HandleKind::Program, std::move(graveyard)), program(std::move(of)) {
  for (const KernelInfo &info : program->kernels) kernels.push_back(new xt_kernel(yard, program, info));
}

void xt_program::drop() {
  for (xt_kernel *kernel : kernels) freeHandle(kernel, HandleKind::Kernel);
  kernels.clear();
  program.reset();
}

void xt_program_free(xt_program *program) { freeHandle(program, HandleKind::Program); }

size_t xt_program_kernel_count(const xt_program *program) {
  return whyNotUsable(program, HandleKind::Program) ? 0 : program->kernels.size();
}

xt_kernel *xt_program_kernel_at(xt_program *program, size_t n) {
  return n < xt_program_kernel_count(program) ? program->kernels[n] : nullptr;
}

xt_status xt_program_kernel(xt_program *program, const char *name, xt_kernel **kernel, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(program, HandleKind::Program, "program")) return bad;
    if (!name) return invalid("name", "is NULL");
    if (!kernel) return invalid("kernel", "is NULL");
    const std::string wanted = *name == '@' ? name + 1 : name;
    std::vector<std::string> names;
    for (xt_kernel *of : program->kernels) {
      if (of->info->name() == wanted) return *kernel = of, Failure{};
      names.push_back("@" + of->info->name());
    }
    return {XT_NOT_FOUND,
            str("no kernel is called `", wanted, "`; ", names.empty() ? "there are none" : "there are " + join(names, ", ")),
            "name"};
  });
}

const xt_kernel_info *xt_kernel_describe(const xt_kernel *kernel) {
  return whyNotUsable(kernel, HandleKind::Kernel) ? nullptr : &kernel->info->info();
}

size_t xt_diagnostics_count(const xt_diagnostics *diagnostics) {
  return whyNotUsable(diagnostics, HandleKind::Diagnostics) ? 0 : diagnostics->list->all().size();
}

const xt_diagnostic *xt_diagnostics_at(const xt_diagnostics *diagnostics, size_t n) {
  return n < xt_diagnostics_count(diagnostics) ? &diagnostics->list->all()[n] : nullptr;
}

void xt_diagnostics_free(xt_diagnostics *diagnostics) { freeHandle(diagnostics, HandleKind::Diagnostics); }
