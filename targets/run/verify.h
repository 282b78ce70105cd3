// Verifies one run of a test: its checks, and whether they prove anything.
#pragma once
#include "targets/run/launch_plan.h"
#include "targets/run/report.h"

#include <functional>

namespace xt {

// Evaluates every check of the test except those on `out` buffers that no launch writes. An Error is either an error
// of the test (Diagnosed) or of the environment.
// `onAnyRank`: where several ranks run the test, whether something holds on one of them, which all of them ask for each check; a
// check that proves something on one rank proves something.
Result<std::vector<CheckReport>> verifyChecks(const HostTest &test, TestState &state, const std::vector<LaunchPlan> &launches,
                                              const std::function<Result<bool>(bool)> &onAnyRank = {});

// The region where `mask` is set, in words with a leading ": "; "" if it has no pattern.
std::string regionText(const Elements<uint8_t> &mask, std::span<const int64_t> shape);

} // namespace xt
