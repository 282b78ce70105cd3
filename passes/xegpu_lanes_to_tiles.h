// The part of xegpu-to-tiles for kernels at lane scope.
#pragma once
#include "ir/builder.h"

namespace xt {

// Blocks become tiles of one element, which a lane moves to each of its elements in turn. Subgroup barriers surround
// their accesses, because the lanes access a block together. For dpas, a lane collects the whole matrix a by
// shuffles, multiplies it with its columns of b, and adds to its columns of c. Lanes with offsets become scatter
// tiles of one lane.
void lanesToTiles(Context &context, Kernel &kernel);

// The operands of an init_tile for the base of a create_nd_tdesc. The base may be an address; a base of one dimension
// becomes a matrix of one row.
std::vector<Value *> blockOperands(Builder &build, const Op &createNdTdesc);
// The base as an operand of init_tile, where addresses are i64.
Value *tileBase(Builder &build, Value *base);

} // namespace xt
