// Internal to the pass distribute-to-subgroups: ops that a subgroup performs on its own pieces, without other subgroups.
#pragma once
#include "passes/subgroup_places.h"
#include "passes/subgroup_values.h"

namespace xt {

class PiecewiseOps {
public:
  PiecewiseOps(Builder &builder, SubgroupValues &values, SubgroupPlaces &places)
      : b_(builder), values_(values), places_(places) {}

  void plain(const Op &op);
  void eachPiece(const Op &op);
  void initTile(const Op &op);
  void iota(const Op &op);
  void createMask(const Op &op);
  void insert(const Op &op);
  // Writes the pieces of each subgroup. Of the subgroups that hold the same elements, only the first writes them.
  void writeOnce(const Op &op);
  void memoryStore(const Op &op);

private:
  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
};

} // namespace xt
