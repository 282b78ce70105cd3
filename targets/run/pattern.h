// Guesses the cause of a wrong result from the positions and the values of its errors.
#pragma once
#include "targets/run/check.h"

#include <functional>
#include <string>
#include <vector>

namespace xt {

// Describes where a mask is set: "rows 8–15 of each block of 16", "only columns >= 96", "the rectangle of rows 0–7
// and columns 16–31", "every element". Dimensions before the last two are batches. Empty: no pattern, or no element
// is set.
std::string describeRegion(const Elements<uint8_t> &mask, std::span<const int64_t> shape);

// The terms a[i, k] * b[k, j] that an element sums up, for each k; empty where the reference is not a matmul.
using TermSource = std::function<std::vector<double>(int64_t linear)>;

// Common properties of the wrong values: a factor, transposition, a shift by one, missing terms of a sum or terms
// counted twice. Each guess holds for all samples. The likeliest guess comes first.
std::vector<std::string> guessValues(const Comparison &comparison, const Elements<uint8_t> &mask, const TermSource &terms);

} // namespace xt
