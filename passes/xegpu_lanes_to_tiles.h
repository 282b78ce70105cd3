// The part of xegpu-to-tiles for kernels at lane scope.
#pragma once
#include "ir/builder.h"

namespace xt {

// Blocks become tiles of one element, which a lane moves to each of its elements in turn; their accesses stand between
// subgroup barriers, as the lanes do them together. For dpas a lane collects the whole matrix a by shuffles, multiplies
// it with its columns of b, and adds to its columns of c. Lanes with offsets become scatter tiles of one lane.
void lanesToTiles(Context &context, Kernel &kernel);

// The operands of init_tile for the base of a create_nd_tdesc, which may be an address, and a matrix of one row where
// the base has one dimension.
std::vector<Value *> blockOperands(Builder &build, const Op &createNdTdesc);
// A base of init_tile: addresses are i64 there.
Value *tileBase(Builder &build, Value *base);

} // namespace xt
