// Internal to the pass distribute-to-subgroups: reductions along a dimension that one or several subgroups hold.
#pragma once
#include "passes/slm_exchange.h"

namespace xt {

class SubgroupReduction {
public:
  SubgroupReduction(Builder &builder, SubgroupValues &values, SubgroupPlaces &places, SlmExchange &slm)
      : b_(builder), values_(values), places_(places), slm_(slm) {}

  void reduce(const Op &op);

private:
  Value *reducePiece(const Op &op, Value *piece, std::vector<int64_t> shape, int64_t size);
  void reduceAcross(const Op &op, const Pieces &source);

  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
  SlmExchange &slm_;
};

} // namespace xt
