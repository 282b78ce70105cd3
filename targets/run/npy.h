// NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1, 2 and 3.
#pragma once
#include "targets/run/raw_array.h"

#include <string>

namespace xt {

struct NpyHeader {
  std::string descr; // numpy's type string: "<f2", "|i1", "<V2" …
  bool fortran = false;
  std::vector<int64_t> shape;
  int64_t dataOffset = 0; // bytes from the start of the file
};

// Reads a file whose shape and type must be those given: numpy's dtype of the same name, either byte order; for types
// that numpy lacks, raw bytes ('<V2' for bf16, '|V1' for f8) or unsigned integers of that width. i1 is bool, i4 is int8
// with values that fit. C and Fortran order. Errors are Error::environment and start with the path.
Result<RawArray> readNpy(const std::string &path, std::span<const int64_t> shape, Elem elem, MemoryBudget &budget,
                         int threads);
Result<NpyHeader> readNpyHeader(const std::string &path);

// Writes version 1 in C order, under a temporary name in the same folder that is renamed at the end: a file that was
// there is replaced as a whole or not at all.
Result<void> writeNpy(const std::string &path, const RawArray &array);

// "<f4": the type string with which an element type is written.
std::string npyDescr(Elem elem);

} // namespace xt
