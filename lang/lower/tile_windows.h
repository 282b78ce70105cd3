// Accesses to the elements of general tiles (general_tiles.h).
#pragma once
#include "lang/lower/slices.h"

namespace xt {

// What is left of a general tile: its base, and an offset for each dimension of the base.
struct TileWindow {
  Value *base = nullptr;
  std::vector<Value *> offsets;
};

// Makes the ops that replace an op on a tile. The functions return null or false if an error was reported.
class WindowAccess {
public:
  // `tile`: the type of the tile, whose dimensions are the last ones of the base.
  WindowAccess(KernelState &state, const Op &op, const TileWindow &window, Type tile)
      : state_(state), op_(op), ops_(state, op.range()), window_(window), tile_(tile) {}

  // By windows of rows and columns, one for each position in the leading dimensions. `mask`: which elements are accessed, of the
  // tile's shape; null: all.
  Value *load(const std::vector<Attr> &padding, Value *mask);
  bool store(Value *value, Value *mask);
  bool prefetch(const std::vector<Attr> &locality);
  // By an atomic that takes `values`, with the attributes of the op.
  Value *update(std::vector<Value *> values, Value *mask);

  // By single elements, of a tile of two dimensions.
  Value *gather(const std::vector<Attr> &padding, Value *mask);
  bool scatter(Value *value, Value *mask);
  Value *updateElements(std::vector<Value *> values, Value *mask);

private:
  bool mayBeCut();
  Slice slice();
  Slice::IndicesOf indices();
  Value *scatterTile();
  Value *everywhere();

  KernelState &state_;
  const Op &op_;
  CompositeOps ops_;
  const TileWindow &window_;
  Type tile_;
};

} // namespace xt
