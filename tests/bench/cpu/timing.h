// Times the sides of a row in turn, and compares them.
#pragma once
#include "tests/bench/cpu/matrix.h"

#include <vector>

namespace xt::bench {

using Times = std::vector<std::vector<double>>; // seconds of a call, by side and round

// Seconds of one thread are those of this process, as others on the machine do not count; of several, those of the clock
// on the wall. `quick`: fewer rounds and shorter ones.
Times measure(const std::vector<Side> &sides, int threads, bool quick);

double quantile(std::vector<double> values, double share);
double median(const std::vector<double> &values);

// The rest of a row, from its fifth column: what each side but the first reaches (`reached` in its median of seconds, with
// so many digits after the point, and `note`), then the best of them over the first: the median of the rounds' ratios of
// time, and its quartiles.
void printTheirs(const std::vector<Side> &sides, const Times &times, const std::function<double(double seconds)> &reached, int digits,
                 const char *note = "");

} // namespace xt::bench
