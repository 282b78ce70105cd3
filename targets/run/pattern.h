// Guesses what is wrong with a result from the places and the values that differ.
#pragma once
#include "targets/run/check.h"

#include <functional>
#include <string>
#include <vector>

namespace xt {

// Where a mask is set, in words: "rows 8–15 of each block of 16", "only columns >= 96", "the rectangle of rows 0–7 and
// columns 16–31", "every element". Dimensions before the last two are batches. Empty: no pattern, or nothing is set.
std::string describeRegion(const Elements<uint8_t> &mask, std::span<const int64_t> shape);

// The terms a[i, k] * b[k, j] whose sum an element is, for each k; empty where the reference is no matmul.
using TermSource = std::function<std::vector<double>(int64_t linear)>;

// What the values that differ have in common: a factor, transposition, a shift by one, terms of a sum that are missing
// or counted twice. Each guess holds for all samples taken. Likeliest first.
std::vector<std::string> guessValues(const Comparison &comparison, const Elements<uint8_t> &mask,
                                     const TermSource &terms);

} // namespace xt
