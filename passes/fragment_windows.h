// Internal to the pass distribute-to-lanes: the windows through which a lane accesses its own elements of a tile.
#pragma once
#include "passes/fragment_values.h"
#include "passes/lane_places.h"

namespace xt {

class FragmentWindows {
public:
  FragmentWindows(Builder &builder, const FragmentValues &values, LanePlaces &places)
      : b_(builder), values_(values), places_(places) {}

  struct Piece { // part of a fragment that one window contains
    std::vector<int64_t> own, shape; // first index in the fragment, and extents
    std::vector<int64_t> start;      // index in the vector, without the part that depends on the lane number
  };
  // The pieces of a tile's vector that a lane holds: runs of adjacent elements if a window may have their shape, otherwise
  // single elements.
  std::vector<Piece> piecesOf(const Value *tile, const Layout *layout) const;
  // Creates the window for a piece of the tile. If `turned`, the piece and the layout are those of the tile's transpose.
  Value *at(const Value *tile, const Layout *layout, const Piece &piece, bool turned = false);

private:
  Builder &b_;
  const FragmentValues &values_;
  LanePlaces &places_;
};

} // namespace xt
