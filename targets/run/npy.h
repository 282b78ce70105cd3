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

// Whether the elements of a file can be read as element type `elem`, in either byte order. Most element types need numpy's
// dtype of the same name. bf16 and f8, which numpy lacks, are raw bytes ('<V2' and '|V1', as ml_dtypes writes them) or unsigned
// integers of that width; f8 may also be '<f1'. i1 is a bool or a byte, and i4 is a byte.
bool npyHolds(const NpyHeader &header, Elem elem);
// The element type that corresponds to numpy's dtype; nullopt for other dtypes, and for raw bytes, which several
// element types use.
std::optional<Elem> npyElem(const NpyHeader &header);
// "3x4 of numpy type '<c8' (complex numbers)"
std::string npyText(const NpyHeader &header);

// Reads a file of exactly this shape and element type, in C or Fortran order. Values of i1 and i4 must fit. Errors
// are Error::environment and start with the path. `corner`: also accepts a file of the same rank with larger extents,
// and reads the elements at the lowest indices.
Result<RawArray> readNpy(const std::string &path, std::span<const int64_t> shape, Elem elem, MemoryBudget &budget, int threads,
                         bool corner = false);
Result<NpyHeader> readNpyHeader(const std::string &path);

// Writes version 1 in C order, in the same way as all output files (ir/base/output_file.h).
Result<void> writeNpy(const std::string &path, const RawArray &array);

// The type string for an element type, e.g. "<f4".
std::string npyDescr(Elem elem);

} // namespace xt
