// Recognises operands of products whose rows lie anywhere in a matrix, or are 0 where a mask says so.
#pragma once
#include "ir/builder.h"
#include "ir/module.h"

#include <vector>

namespace xt {

// Where the rows of an operand come from, if they are not those of a tile one after the other.
struct NestRows {
  Value *numbers = nullptr; // Mx1 of index: the row of the matrix that row i is; null: row i of the tile
  std::vector<Value *> masks; // Mx1 of i1: a row that one of them does not select is 0
  Value *first = nullptr; // index: rows from this one on are 0; null: none
  bool any() const { return numbers || first || !masks.empty(); }
};

// Whether each row of a mask of MxK elements is all true or all false; adds to `rows` what decides it. Columns may also be cut
// off at the end of `matrix` (null: not): the first column of the mask is column `column` of it then.
bool addRowMask(const Value *mask, const Value *matrix, const Value *column, NestRows &rows);

// The whole rows that a `load_gather` reads of a matrix.
struct GatheredRows {
  Value *matrix = nullptr; // a memref of rank 2
  Value *numbers = nullptr; // Mx1 of index
  Value *column = nullptr; // the column with which each row begins; null: 0
};
// Matches a gather through offsets as they are computed for `init_tile %matrix[%numbers, (%along + %column)]`: elements out of
// bounds of the matrix have an offset below 0. Null matrix: it is none.
GatheredRows gatheredRows(const Op &load);

// Creates the operand `rows` of a nest whose sums have type `sum`.
Value *rowNumbers(Builder &build, const NestRows &rows, Type sum);

} // namespace xt
