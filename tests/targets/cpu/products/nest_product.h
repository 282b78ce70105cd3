// A product in a loop over K, for tests that compare the nest with the loop that it replaces.
#pragma once
#include "tests/targets/cpu/compare.h"

#include <optional>
#include <vector>

namespace xt {

struct NestProduct {
  Elem input = Elem::F32;
  std::vector<int64_t> sizes; // rows and columns of the result, and K
  GemmShape tile;
  bool transposeA = false, transposeB = false; // the tiles are stored transposed and loaded with a transpose
  bool columnsA = false, columnsB = false; // the matrices are column-major
  int64_t shift = 0; // offset of the first tiles, in all dimensions
  int64_t shiftOfA = 0; // additional offset of the tiles of A along K
  // Whether the rows of the first workgroup are far after the last row, those of the second in bounds, and those of the others
  // far before the first row.
  bool beginsFar = false;
  bool adds = false; // whether the sum starts at the contents of C
  std::optional<Elem> other = {}; // element type of B, if it is not that of A
  bool fused = false; // whether the result is twice the sum plus a row, as f16
  int64_t fewerRows = 0; // A has this many rows fewer than C
  // Bytes from one row of B to the next; then the first row begins at a cache line. 0: rows have a gap of 3 elements and may
  // begin anywhere.
  int64_t bytesApart = 0;
};

// Builds the kernel of the loop.
void make(KernelMaker &m, const NestProduct &p);

// Replaces loops by nests, and returns the number of nests in the kernel.
size_t formIn(KernelMaker &m);

// Fills an array with small integers, so that every sum is exact in any order.
void fill(Array &array, int64_t seed);

// Expects that the nest, on each of the processors, has the results of the loop on the interpreter.
void expectAsLoop(const NestProduct &p, const std::vector<CpuInfo> &cpus, int threads = 1);

// Returns the processors of processors(), and variants of this machine with one property inverted each: loads across lines, the
// L3 cache, hidden conversions. These properties decide what is copied and converted first, and how deep blocks of K are.
std::vector<CpuInfo> processorsOfAllFacts();

} // namespace xt
