// Reductions, scans and broadcasts of vectors of other than two dimensions, which the IR has for matrices only.
#pragma once
#include "lang/lower/composite_clause.h"
#include "lang/lower/op_draft.h"

namespace xt {

// Vectors of a shape as matrices, one of whose dimensions is dimension `dim` of the vector; matrices stay as they are. The
// functions return null if they get null.
class MatrixView {
public:
  MatrixView(CompositeOps &ops, std::span<const int64_t> shape, size_t dim);

  int64_t dim() const { return isFirst_ ? 0 : 1; } // of the matrix
  // What the vector is reshaped to first; if it has three dimensions, a transpose follows.
  std::vector<int64_t> folded() const;
  Value *matrixOfFolded(Value *folded);
  Value *foldedOf(Value *matrix);
  Value *matrixOf(Value *vector) { return matrixOfFolded(ops_.reshape(vector, folded())); }
  // The vector of a matrix, which may have another extent in dimension dim().
  Value *vectorOf(Value *matrix);

private:
  bool turns() const { return outer_ != 1 && inner_ != 1; }
  CompositeOps &ops_;
  std::vector<int64_t> shape_;
  size_t dim_;
  // The numbers of elements in the dimensions before `dim`, in it, and behind it.
  int64_t outer_, extent_, inner_;
  bool isFirst_; // whether dim() is 0
};

// Whether the op of the draft works along one dimension of a vector that is no matrix.
bool needsMatrixForm(const OpDraft &draft);

// Makes the op of such a draft, whose types have been checked, of the same op on a matrix: a reshape, or a transpose of blocks,
// makes the dimension that the op works along one of a matrix, and the last reshape makes `result` of what the op gives.
// Returns the last reshape; null if an error was reported.
Op *emitMatrixForm(KernelState &state, OpDraft &draft, Type result);

} // namespace xt
