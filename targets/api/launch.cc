#include "ir/base/text.h"
#include "targets/api/arguments.h"

using namespace xt;

namespace {

Failure failureOf(const LoadedProgram &program, const Error &error) {
  xt_status status = error.kind == Error::Kind::Kernel ? XT_KERNEL_FAILED : XT_ENVIRONMENT;
  return {status, program.placeText(error.range) + error.message};
}

Failure prepare(xt_kernel *kernel, const xt_argument *arguments, size_t count, const xt_launch_options *options,
                ReadyLaunch &out) {
  if (Failure bad = checkHandle(kernel, HandleKind::Kernel, "kernel")) return bad;
  const LoadedProgram &program = *kernel->program;
  if (std::string why = program.whyUnsupported(*kernel->info); !why.empty())
    return {XT_UNSUPPORTED,
            str("the target ", program.compiled.target->name(), " cannot run @", kernel->info->name(), ": ", why), "kernel"};
  out.program = kernel->program;
  out.kernel = program.find(*kernel->info);
  if (Failure bad = readArguments(*out.kernel, *kernel->info, arguments, count, out.args)) return bad;
  out.kernel = program.choose(*kernel->info, out.args);
  if (Failure bad = readOptions(*out.kernel, out.args, options, out.grid, out.wishes)) return bad;
  const bool stops = out.wishes.stop || out.wishes.seconds > 0;
  if (!stops || program.compiled.executable->stopsLaunches()) return {};
  return {XT_UNSUPPORTED, str("the target ", program.compiled.target->name(), " cannot end a launch before it is done"),
          out.wishes.stop ? "options.stop" : "options.seconds"};
}

using Clock = LaunchStop::Clock;

Result<void> runUntil(const ReadyLaunch &launch, bool &stopped) {
  Executable &executable = *launch.program->compiled.executable;
  LaunchStop stop;
  stop.flag = launch.wishes.stop;
  constexpr double kLongest = 1e9; // seconds; what the clock can add
  if (double seconds = launch.wishes.seconds; seconds > 0 && seconds < kLongest)
    stop.end = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  if (!stop.wanted()) return executable.launch(*launch.kernel, launch.args, launch.grid);
  return executable.launchUntil(*launch.kernel, launch.args, launch.grid, stop, stopped);
}

} // namespace

Failure xt::runLaunch(const ReadyLaunch &launch) {
  std::lock_guard lock(launch.program->launching);
  const bool timed = launch.wishes.kernelSeconds != nullptr;
  const Clock::time_point begun = timed ? Clock::now() : Clock::time_point();
  bool stopped = false;
  Result<void> done = runUntil(launch, stopped);
  if (timed && done) {
    const std::chrono::duration<double> elapsed = Clock::now() - begun;
    *launch.wishes.kernelSeconds = launch.program->compiled.executable->kernelSeconds().value_or(elapsed.count());
  }
  if (done) return {};
  Failure failure = failureOf(*launch.program, done.error());
  if (stopped) failure.status = XT_STOPPED;
  return failure;
}

xt_status xt_launch(xt_kernel *kernel, const xt_argument *arguments, size_t argument_count, const xt_launch_options *options,
                    xt_error *error) {
  return guarded(error, [&]() -> Failure {
    ReadyLaunch launch;
    if (Failure bad = prepare(kernel, arguments, argument_count, options, launch)) return bad;
    return runLaunch(launch);
  });
}

xt_status xt_prepare(xt_kernel *kernel, const xt_argument *arguments, size_t argument_count, const xt_launch_options *options,
                     xt_prepared **prepared, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (!prepared) return invalid("prepared", "is NULL");
    auto launch = std::make_shared<ReadyLaunch>();
    if (Failure bad = prepare(kernel, arguments, argument_count, options, *launch)) return bad;
    auto made = std::make_unique<xt_prepared>(kernel->yard, std::move(launch));
    *prepared = made.release();
    return {};
  });
}

xt_status xt_prepared_run(xt_prepared *prepared, xt_error *error) {
  return guarded(error, [&]() -> Failure {
    if (Failure bad = checkHandle(prepared, HandleKind::Prepared, "prepared")) return bad;
    return runLaunch(*prepared->launch);
  });
}

void xt_prepared_free(xt_prepared *prepared) { freeHandle(prepared, HandleKind::Prepared); }
