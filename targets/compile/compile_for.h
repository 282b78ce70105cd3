// Makes a target's code of a module: what every program that compiles does between the front end and the first launch.
#pragma once
#include "targets/target.h"

#include <map>

namespace xt {

// A module compiled for one target, with everything that it depends on.
struct CompiledModule {
  Target *target = nullptr;
  std::unique_ptr<Module> module; // after the target's passes
  std::unique_ptr<Executable> executable;
  std::map<std::string, std::string> unsupported; // kernels that the target cannot run (not in the module), and why
};

// What a caller does between the steps.
struct CompileSteps {
  // Runs the target's pipeline() for this hardware (null: the passes depend on none).
  std::function<Result<void>(Module &, const TargetInfo *)> runPasses;
  // Called before code is generated; `hardware` is the name of the hardware, or of the target if there is none.
  std::function<void(const Module &, std::string_view hardware)> beforeCode = {};
  // Generates the code by calling the argument; for measuring how long that takes.
  std::function<void(const std::function<void()> &)> generateCode = [](const std::function<void()> &run) { run(); };
};

// The name of the hardware, or of the target if it has none: for messages, and for the values of parameters (LowerOptions::target).
std::string hardwareName(const Target &target, const TargetInfo *hardware);
std::string namedHardwareName(const Target &target); // for the hardware that the target is named after
// The same for the hardware on which compileFor() would run the code. The name of the target if the device is not available.
std::string hardwareName(Target &target, const CompileOptions &options);

// Removes kernels that the target cannot run, and the tests that launch them. Returns the kernels, and why not.
std::map<std::string, std::string> dropUnsupported(Module &module, const Target &target, const TargetInfo *hardware);

// Removes the tests, and the kernels that were made for the parameters with which tests launch them.
void dropTests(Module &module);

// Removes the tests, and all kernels but the one of this name. Returns an Error if there is none, because the sources have changed.
Result<void> keepKernel(Module &module, std::string_view name);

// Runs the target's pipeline() for this hardware (null: the passes depend on none), without verifying between passes.
// `stop` is that of PassOptions.
Result<void> runPipeline(const Target &target, Module &module, const TargetInfo *hardware, Diagnostics &diagnostics,
                         std::function<bool()> stop = {});

// Removes what the target cannot run, runs the passes, checks the limits of the hardware (`sources` are those of the module), and
// generates the code.
Result<CompiledModule> compileFor(Target &target, std::unique_ptr<Module> module, const SourceManager &sources,
                                  const CompileOptions &options, const CompileSteps &steps, Diagnostics &diagnostics);

} // namespace xt
