// Verifies one run of a test: its checks, and whether they prove anything.
#pragma once
#include "targets/run/launch_plan.h"
#include "targets/run/report.h"

namespace xt {

// Evaluates every check of the test but those on `out` buffers that no launch writes. Errors are mistakes of the test
// (Diagnosed) or of the environment.
Result<std::vector<CheckReport>> verifyChecks(const HostTest &test, TestState &state,
                                              const std::vector<LaunchPlan> &launches);

// Where `difference` of a buffer's elements is set, as a region in words with a leading ": ", or nothing.
std::string regionText(const Elements<uint8_t> &mask, std::span<const int64_t> shape);

} // namespace xt
