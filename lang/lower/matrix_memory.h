// Memory of joint matrices.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// Where a matrix is in memory. A memref of two or more dimensions with an index each, or a pointer and a stride as in
// joint_matrix_load of sycl_ext_oneapi_matrix: an address, or a memref of one dimension with an index. Element (r, c) of memory is
// then r * stride + c elements further.
struct MatrixBase {
  Value *memory;
  std::vector<Value *> indices; // none for an address
  Value *stride = nullptr; // elements between rows or, if the matrix is col_major, between columns
};

// Reads operand i and the stride after it. Nullopt if an error was reported.
std::optional<MatrixBase> matrixBase(const CompositeClause &clause, size_t i);

// Whether memory holds a matrix in VNNI form, and the shape of what it holds.
bool packedInMemory(Type matrix, MatrixMemory memory);
std::vector<int64_t> shapeInMemory(Type matrix, MatrixMemory memory);

// Loads and stores a matrix as a tile. RowMajor: rows of memory are rows of the matrix. ColMajor: rows of memory are columns of
// the matrix. Packed, as b: each row of memory holds f rows of the matrix, where f elements fill 32 bits: element (r, c) is at
// row r / f, column c * f + r % f ("VNNI/Packed Layout"); as a, whose neighbours along K are neighbours in rows, the same as
// RowMajor.
class MatrixMemoryOps {
public:
  MatrixMemoryOps(const CompositeClause &clause, const MatrixBase &base, MatrixMemory memory)
      : clause_(clause), ops_(clause), base_(base), memory_(memory) {}

  // Elements out of bounds are 0. Returns null if an error was reported.
  Value *load(Type matrix);
  // Elements out of bounds are not written. These functions return false if an error was reported.
  bool store(Value *matrix);
  bool prefetch(Type matrix);

private:
  std::vector<Value *> tiles(Type matrix);

  const CompositeClause &clause_;
  CompositeOps ops_;
  const MatrixBase &base_;
  MatrixMemory memory_;
};

} // namespace xt
