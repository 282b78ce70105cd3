// NumPy's .npy files (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1, 2 and 3.
#pragma once
#include "targets/run/raw_array.h"

#include <optional>
#include <string>

namespace xt {

struct NpyHeader {
  std::string descr; // numpy's type string: "<f2", "|i1", "<V2" …
  bool fortran = false;
  std::vector<int64_t> shape;
  int64_t dataOffset = 0; // bytes from the start of the file
};

// Whether a file's elements are those of an element type, in either byte order: numpy's dtype of the same name; for
// bf16 and f8, which numpy lacks, raw bytes ('<V2', '|V1': so ml_dtypes writes them) or unsigned integers of that
// width, and
// '<f1' for f8; i1 is bool or a byte, i4 a byte.
bool npyHolds(const NpyHeader &header, Elem elem);
// The element type that numpy's own dtype is; nothing for dtypes that have none, and for raw bytes, which may be
// several.
std::optional<Elem> npyElem(const NpyHeader &header);
// "3x4 of numpy type '<c8' (complex numbers)"
std::string npyText(const NpyHeader &header);

// Reads a file whose shape and type must be those given. i1 and i4 need values that fit. C and Fortran order. Errors
// are Error::environment and start with the path. `corner`: a file of the same rank with larger extents will do, of
// which the elements at the lowest indices are taken.
Result<RawArray> readNpy(const std::string &path, std::span<const int64_t> shape, Elem elem, MemoryBudget &budget,
                         int threads, bool corner = false);
Result<NpyHeader> readNpyHeader(const std::string &path);

// Writes version 1 in C order, as every output is written (ir/base/output_file.h).
Result<void> writeNpy(const std::string &path, const RawArray &array);

// "<f4": the type string with which an element type is written.
std::string npyDescr(Elem elem);

} // namespace xt
