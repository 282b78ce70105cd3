// Internal to the pass block-tiles: ops that are performed on each block separately: elementwise ops, constants, and ops that
// depend on the index of each element or address a single element. Also has prints, which need the whole vector.
#pragma once
#include "passes/block_parts.h"

namespace xt {

class BlockwiseOps {
public:
  BlockwiseOps(Builder &builder, BlockValues &values, const BlockClasses &classes, BlockParts &parts)
      : b_(builder), values_(values), classes_(classes), parts_(parts) {}

  // Copies an op on scalars, or an op whose vectors and windows are already blocks.
  void plain(const Op &op);
  void eachBlock(const Op &op);
  void constantLike(const Op &op); // a constant or a splat
  void iota(const Op &op);
  void createMask(const Op &op);
  void insert(const Op &op);
  void extract(const Op &op);
  void check(const Op &op); // an assertion of a vector
  void print(const Op &op);

private:
  Builder &b_;
  BlockValues &values_;
  const BlockClasses &classes_;
  BlockParts &parts_;
};

} // namespace xt
