// The part of the pass xegpu-to-tiles for kernels at lane scope.
#pragma once
#include "ir/builder.h"

namespace xt {

// Replaces the XeGPU ops of a kernel at lane scope. Blocks become tiles of one element, which a lane moves to each of its
// elements in turn. Subgroup barriers surround their accesses, because the lanes access a block together. For dpas, a lane
// collects the whole matrix `a` by shuffles, multiplies it by its columns of `b`, and adds the product to its columns of `c`.
// Descriptors of lanes with offsets become scatter tiles of one lane.
void lanesToTiles(Context &context, Kernel &kernel);

// The operands of an init_tile that replaces a create_nd_tdesc. The base may be an address; a base of one dimension becomes a
// matrix of one row.
std::vector<Value *> blockOperands(Builder &build, const Op &createNdTdesc);
// Converts the base to an operand of init_tile: an address becomes an i64.
Value *tileBase(Builder &build, Value *base);

} // namespace xt
