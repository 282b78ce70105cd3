// Joint matrices at lane scope, where each lane has the part of a matrix that matrixSgMap() gives it (ir/gpu/lane_fragments.h).
// Until the kernel is lowered, values have the type of the whole matrix, so that messages and functions know it;
// makeTypesPlain() then replaces it by that of the part.
#pragma once
#include "ir/gpu/lane_fragments.h"
#include "lang/lower/matrix_memory.h"

namespace xt {

class LaneMatrix {
public:
  // `matrix`: a type that the lanes of the kernel can hold.
  LaneMatrix(const CompositeClause &clause, Type matrix);

  // The rows and the columns of the elements that the lane holds, as vectors of indices of the part's shape.
  std::vector<Value *> coordinates();

  // These functions access memory as MatrixMemoryOps describes. A matrix in a memref of two or more dimensions is a block that the
  // lanes access together; in a memref of one dimension or at an address each lane accesses its own elements. They return null or
  // false if an error was reported.
  Value *load(const MatrixBase &base, MatrixMemory memory);
  bool store(Value *matrix, const MatrixBase &base, MatrixMemory memory);
  bool prefetch(const MatrixBase &base, MatrixMemory memory);

private:
  // Whether each lane accesses its own elements.
  static bool ofEachLane(const MatrixBase &base);
  // Whether a load can bring b into VNNI form.
  bool packs(MatrixMemory memory) const;
  Value *unpacked(Value *value);
  Value *block(const MatrixBase &base, MatrixMemory memory, bool loads);
  Value *ownElements(const MatrixBase &base, MatrixMemory memory);
  Value *everyElement();
  Value *ofAnySize(Value *memory);
  Value *coordinate(int dim);
  // Ops on vectors of indices of the part's shape and one index for all.
  Value *spread(Value *index);
  Value *times(Value *vector, int64_t factor);
  Value *quotient(Value *vector, int64_t divisor);
  Value *remainder(Value *vector, int64_t divisor);
  Value *sum(Value *a, Value *b);

  const CompositeClause &clause_;
  CompositeOps ops_;
  Type matrix_, part_, indices_;
  SgMap map_;
};

} // namespace xt
