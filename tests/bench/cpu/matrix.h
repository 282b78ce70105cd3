// The matrices that the sides of a comparison read and write, and the sides.
#pragma once
#include "ir/elem.h"
#include "ir/elem_kinds.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace xt::bench {

// A row-major matrix without gaps, whose element type is known only at run time.
struct Matrix {
  Elem elem = Elem::F32;
  int64_t rows = 0, columns = 0;
  std::shared_ptr<void> data; // aligned to 64 bytes

  int64_t count() const { return rows * columns; }
  int64_t bytes() const { return count() * elemInfo(elem).storageBytes; }
  double at(int64_t row, int64_t column) const;
};
Matrix makeMatrix(Elem elem, int64_t rows, int64_t columns); // all elements are 0
void fill(Matrix &matrix, uint64_t seed);                    // floats in [-1, 1), or integers made of 8 random bits
Matrix converted(const Matrix &matrix, Elem elem);

uint64_t nextRandom(uint64_t &state); // SplitMix64

// Returns the relative error of one rounding to nearest; 0 for integers.
double roundOff(Elem elem);
// The error of a sum of n rounded terms is assumed to be at most kSumBound times sqrt(n), the type's roundOff and the sum of
// magnitudes, as in the tests' `check` (Higham and Mary 2019, probabilistic).
inline constexpr double kSumBound = 6;

// One of the compared implementations, ours or a library, and the matrix that it writes.
struct Side {
  std::string name;
  Matrix result;
  std::function<void()> call;
  double seconds = 0; // seconds per call, if another process has timed it; then `call` is empty
};

} // namespace xt::bench
