// The matrix product of tile_mma.
#pragma once
#include "ir/interp/scalar_eval.h"

namespace xt {

struct MmaExtents {
  size_t rows, columns, depth; // rows and columns of the result; depth: the number of products in each sum (K)
};

// acc (rows x columns) += a (rows x depth) * b (depth x columns), all row-major, in ascending order of depth. Products are
// exact, and each sum is rounded to the result's type. f16 and bf16 results are accumulated in f32 and rounded after every 8
// products and at the end; integers wrap around. tf32 operands are rounded to tf32 first.
void multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b, Number *acc);

} // namespace xt
