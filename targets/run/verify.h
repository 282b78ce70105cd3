// Verifies one run of a test: its checks, and whether they prove anything.
#pragma once
#include "targets/run/expected_values.h"
#include "targets/run/launch_plan.h"
#include "targets/run/report.h"

#include <functional>

namespace xt {

// Evaluates every check of the test except those on `out` buffers that no launch writes. An Error is either an error of the
// test (Diagnosed) or of the environment. `onAnyRank`, for a test that several ranks run: returns true if one of the ranks
// passes true. All ranks call it once for each check. A check that does not pass on the contents before the launches on one
// rank proves something on all of them. `expected`: takes sides of checks from an earlier run with the same initial contents,
// and keeps those of this one; may be null.
Result<std::vector<CheckReport>> verifyChecks(const HostTest &test, TestState &state, const std::vector<LaunchPlan> &launches,
                                              const std::function<Result<bool>(bool)> &onAnyRank = {},
                                              ExpectedValues *expected = nullptr);

// The region where `mask` is set, in words with a leading ": "; "" if it has no pattern.
std::string regionText(const Elements<uint8_t> &mask, std::span<const int64_t> shape);

} // namespace xt
