// Times the sides of a row in turn, and compares them.
#pragma once
#include "tests/bench/cpu/matrix.h"

#include <vector>

namespace xt::bench {

using Times = std::vector<std::vector<double>>; // seconds per call, by side and round

// On one thread, measures CPU time of this process, so that others on the machine do not count; on several, wall-clock time.
// `quick`: fewer and shorter rounds.
Times measure(const std::vector<Side> &sides, int threads, bool quick);

double quantile(std::vector<double> values, double share);
double median(const std::vector<double> &values);

// The rest of a row, from its fifth column: the rate that each side except the first reaches (`reached` of its median seconds,
// with `digits` decimals, and `note`), then the best of them relative to the first: the median of the time ratios of all
// rounds, and its quartiles.
void printTheirs(const std::vector<Side> &sides, const Times &times, const std::function<double(double seconds)> &reached,
                 int digits, const char *note = "");

} // namespace xt::bench
