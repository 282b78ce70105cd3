#include "ir/base/text.h"
#include "targets/api/arguments.h"

using namespace xt;

namespace {

Failure failureOf(const LoadedProgram &program, const Error &error) {
  xt_status status = error.kind == Error::Kind::Kernel ? XT_KERNEL_FAILED : XT_ENVIRONMENT;
  return {status, program.placeText(error.range) + error.message};
}

Failure run(LoadedProgram &program, const Kernel &kernel, const std::vector<LaunchArg> &args,
            const std::vector<GridRange> &grid) {
  std::lock_guard lock(program.launching);
  Result<void> done = program.compiled.executable->launch(kernel, args, grid);
  return done ? Failure{} : failureOf(program, done.error());
}

// What a launch needs of its kernel and its arguments.
struct Launch {
  const Kernel *kernel = nullptr;
  std::vector<LaunchArg> args;
  std::vector<GridRange> grid;
};

Failure prepare(xt_kernel *kernel, const xt_argument *arguments, size_t count, const xt_launch_options *options, Launch &out) {
  if (Failure bad = checkHandle(kernel, HandleKind::Kernel, "kernel")) return bad;
  const LoadedProgram &program = *kernel->program;
  if (std::string why = program.whyUnsupported(*kernel->info); !why.empty())
    return {XT_UNSUPPORTED,
            str("the target ", program.compiled.target->name(), " cannot run @", kernel->info->name(), ": ", why), "kernel"};
  out.kernel = program.find(*kernel->info);
  if (Failure bad = readArguments(*out.kernel, *kernel->info, arguments, count, out.args)) return bad;
  out.kernel = program.choose(*kernel->info, out.args);
  return readGrid(*out.kernel, out.args, options, out.grid);
}

} // namespace

xt_status xt_launch(xt_kernel *kernel, const xt_argument *arguments, size_t argument_count, const xt_launch_options *options,
                    xt_error *error) {
  return guarded(error, [&]() -> Failure {
    Launch launch;
    if (Failure bad = prepare(kernel, arguments, argument_count, options, launch)) return bad;
    return run(*kernel->program, *launch.kernel, launch.args, launch.grid);
  });
}

xt_status xt_prepare(xt_kernel *kernel, const xt_argument *arguments, size_t argument_count, const xt_launch_options *options,
                     xt_prepared **prepared, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (!prepared) return invalid("prepared", "is NULL");
    Launch launch;
    if (Failure bad = prepare(kernel, arguments, argument_count, options, launch)) return bad;
    auto made = std::make_unique<xt_prepared>(kernel->yard, kernel->program);
    made->kernel = launch.kernel;
    made->args = std::move(launch.args);
    made->grid = std::move(launch.grid);
    *prepared = made.release();
    return {};
  });
}

xt_status xt_prepared_run(xt_prepared *prepared, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(prepared, HandleKind::Prepared, "prepared")) return bad;
    return run(*prepared->program, *prepared->kernel, prepared->args, prepared->grid);
  });
}

void xt_prepared_free(xt_prepared *prepared) { freeHandle(prepared, HandleKind::Prepared); }
