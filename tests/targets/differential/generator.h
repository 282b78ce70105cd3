// Random well-typed kernels, as text. All values are integers small enough for their element type to hold them, and their
// sums, exactly: whatever the order of the operations, every bit of the result is determined.
#pragma once
#include <cstdint>
#include <string>

namespace xt {

// One file with `kernel @k(%A: memref<?x?xE>, %I: memref<?xi32>, %C: memref<?x?xF>, %S: memref<?x?xi32>, %L: memref<?xF>,
// %D: i64, %n: index)`, at workgroup or at subgroup scope. %A, 37x41, and %I are inputs, %C takes stored tiles, %S sums up
// atomics, %L takes scattered elements; %D is the address of %A.
std::string randomKernel(uint64_t seed);

} // namespace xt
