// Internal to the pass distribute-to-lanes: the windows through which a lane accesses its own elements of a tile.
#pragma once
#include "passes/fragment_values.h"
#include "passes/lane_places.h"

namespace xt {

class FragmentWindows {
public:
  FragmentWindows(Builder &builder, const FragmentValues &values, LanePlaces &places)
      : b_(builder), values_(values), places_(places) {}

  struct Piece { // part of a fragment whose elements one window holds
    std::vector<int64_t> own, shape; // first index in the fragment, and extents
    std::vector<int64_t> start;      // index in the vector, without the part that depends on the lane number
  };
  // The pieces that a lane holds of a tile's vector: runs of adjacent elements where a window may have their shape.
  std::vector<Piece> piecesOf(const Value *tile, const Layout *layout) const;
  // The window at a piece; `turned` swaps rows and columns.
  Value *at(const Value *tile, const Layout *layout, const Piece &piece, bool turned = false);

private:
  Builder &b_;
  const FragmentValues &values_;
  LanePlaces &places_;
};

} // namespace xt
