// The instruction that multiplies the operands of a tile_mma.
#pragma once
#include "ir/gpu/target_info.h"

#include <string>

namespace xt {

class Op;

// The hardware product for a tile_mma. Its element types may be wider than those of the op: f8 is multiplied as f16 where the
// hardware has no products of f8, and sums of f16 and bf16 are kept in f32 and rounded once at the end where the hardware has no 16-bit accumulator.
// `shape` is null if there is no such product: then the op multiplies and adds element by element.
struct MmaChoice {
  const MmaShape *shape = nullptr;
  std::string reason; // why there is no product
  // Whether the hardware also has this product with 1, 2 and 4 rows, … up to those of `shape`. Otherwise blocks with fewer rows
  // are padded with zeros, as blocks with fewer columns or a smaller depth always are.
  bool fewerRows = false;
};
MmaChoice chooseMma(const TargetInfo &target, const Op &mma);

} // namespace xt
