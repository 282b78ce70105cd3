// Generates random well-typed kernels, as text. All values are integers so small that their element type holds them and their
// sums exactly, so every bit of the result is independent of the order of operations.
#pragma once
#include <cstdint>
#include <string>

namespace xt {

// Returns a file with `kernel @k(%A: memref<?x?xE>, %I: memref<?xi32>, %C: memref<?x?xF>, %S: memref<?x?xi32>, %L: memref<?xF>,
// %D: i64, %n: index)`, at workgroup or subgroup scope. %A, of 37x41 elements, and %I are inputs. Tiles are stored to %C,
// atomics accumulate in %S, and elements are scattered to %L. %D is the address of %A.
std::string randomKernel(uint64_t seed);

} // namespace xt
