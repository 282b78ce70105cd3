// The front end as programs run it: source text to a verified module.
#pragma once
#include "lang/lower/lower.h"

#include <chrono>
#include <functional>

namespace xt {

// Runs a function and returns how long that took, in milliseconds.
template <class F> double timed(F &&f) {
  auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Receives the name of a step and the milliseconds that it took.
using StepTiming = std::function<void(std::string step, double milliseconds)>;

// Parses, checks, lowers and verifies file `index` of `sources`, and reports remarks on what moves between subgroups if they are
// wanted.
Result<std::unique_ptr<Module>> loadModule(
    SourceManager &sources, uint32_t index, Context &context, const LowerOptions &options, Diagnostics &diagnostics,
    const StepTiming &timing = [](std::string, double) {});

} // namespace xt
