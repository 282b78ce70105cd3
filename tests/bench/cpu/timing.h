// Times the sides of a row in turn, and compares them.
#pragma once
#include "tests/bench/cpu/matrix.h"

#include <vector>

namespace xt::bench {

using Times = std::vector<std::vector<double>>; // seconds per call, by side and round

// Measures CPU time of this process if there is one thread, so that other processes on the machine do not matter; with several
// threads, wall-clock time. `quick`: fewer and shorter rounds.
Times measure(const std::vector<Side> &sides, int threads, bool quick);

double quantile(std::vector<double> values, double share);
double median(const std::vector<double> &values);

// Prints the columns of a row from the fifth on. For each side except the first: its rate, which `reached` computes from its
// median seconds, with `digits` decimals and `note`. Then the best of these sides relative to the first one: the median of the
// time ratios of all rounds, and its quartiles.
void printTheirs(const std::vector<Side> &sides, const Times &times, const std::function<double(double seconds)> &reached,
                 int digits, const char *note = "");

} // namespace xt::bench
