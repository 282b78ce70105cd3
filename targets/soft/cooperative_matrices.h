// Cooperative matrices (SPV_KHR_cooperative_matrix) of a subgroup: their instructions are calls of functions that extension_calls
// makes. The words of 32 bits that the lanes hold, one lane after the other, are the matrix in row-major order. Kernels must not
// depend on this, and it is not the order of Intel's products.
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"

#include <optional>
#include <string>

namespace xt::soft {

// A matrix as the names of the functions spell it, with elements of `bits` bits: "16b_8x16".
struct MatrixSize {
  int64_t bits = 0, rows = 0, columns = 0;
  int64_t bytes() const { return rows * columns * bits / 8; }
};
std::string text(const MatrixSize &size);

// The names of functions for subgroups of `lanes` lanes: a load or store through a pointer of this storage class, with a stride of
// `strideBits` bits, and a fill with one scalar. Load: pointer, layout, stride. Store: pointer, matrix, layout, stride.
std::string matrixLoadName(const MatrixSize &size, uint32_t lanes, uint32_t storageClass, uint32_t strideBits);
std::string matrixStoreName(const MatrixSize &size, uint32_t lanes, uint32_t storageClass, uint32_t strideBits);
std::string matrixFillName(const MatrixSize &size, uint32_t lanes);

// Whether the subgroup has all its lanes, among which a matrix is divided; otherwise reports a failure.
bool isWhole(Meeting &meeting, size_t lanes);
// takeMatrix() copies a matrix of `bytes` bytes from an argument that the lanes pass, giveMatrix() to the results of the lanes.
void takeMatrix(const Meeting &meeting, size_t argument, std::byte *matrix, size_t bytes);
void giveMatrix(const Meeting &meeting, const std::byte *matrix, size_t bytes);

// Returns the operation of these functions; nullopt for other names.
std::optional<Collective> matrixMovement(const BuiltinName &name);

} // namespace xt::soft
