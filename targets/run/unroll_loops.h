// Unrolls the loops of a test for the sizes of one run.
#pragma once
#include "targets/run/test_state.h"

namespace xt {

// A loop with more launches is an error.
inline constexpr size_t kMostLaunches = 10000;

// The test with each loop replaced by its iterations, in which the loop's variable is a number. Reports a step that is not
// positive, a bound that is no integer, and more than kMostLaunches launches and communications.
Result<HostTest> unrollLoops(const HostTest &test, bool small, const EvalSite &site, const RankInMesh &ranks = {});

} // namespace xt
