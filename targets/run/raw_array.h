// Plain content: the elements of a buffer in row-major order, as bytes of its element type. This is the form in which
// initialisers, .npy files and buffers exchange contents.
#pragma once
#include "ir/elem.h"
#include "targets/run/memory.h"

#include <cstddef>
#include <vector>

namespace xt {

struct RawArray {
  std::vector<int64_t> sizes;
  Elem elem = kF32Elem;
  Elements<std::byte> bytes; // elementCount(sizes) * storageBytes

  int64_t count() const { return bytes.count() / elemInfo(elem).storageBytes; }
  int64_t elemBytes() const { return elemInfo(elem).storageBytes; }

  // Makes an uninitialised array. An Error of the environment if it exceeds the budget.
  static Result<RawArray> make(MemoryBudget &budget, std::vector<int64_t> sizes, Elem elem, std::string_view what);
};

Result<RawArray> copyOf(const RawArray &array, MemoryBudget &budget, std::string_view what);
// Whether all elements have the same bytes (true for at most one element).
bool isConstant(const RawArray &array);

// Bulk conversion of `count` elements, in parallel on up to `threads` threads (0: all cores).
void toDoubles(Elem elem, const std::byte *from, int64_t count, double *to, int threads); // any element type
void toIntegers(Elem intType, const std::byte *from, int64_t count, int64_t *to, int threads);
void fromDoubles(Elem floatType, const double *from, int64_t count, std::byte *to, int threads); // rounds once
void fromIntegers(Elem intType, const int64_t *from, int64_t count, std::byte *to, int threads); // wraps

// Copies a box of elements between two strided memories. Strides are in elements of `elemBytes` bytes; those of the
// source may be 0 or negative. Adjacent dimensions are merged where possible, and the fastest loop order is used.
void copyStrided(std::span<const int64_t> sizes, int64_t elemBytes, const std::byte *from, std::span<const int64_t> fromStrides,
                 std::byte *to, std::span<const int64_t> toStrides, int threads);

// Row-major strides of a shape.
std::vector<int64_t> denseStrides(std::span<const int64_t> sizes);
// The indices, one for each dimension, of the element at row-major position `linear`.
std::vector<int64_t> indexOf(int64_t linear, std::span<const int64_t> sizes);
// "[3, 17]"
std::string indexText(std::span<const int64_t> index);

} // namespace xt
