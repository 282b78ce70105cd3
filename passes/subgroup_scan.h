// Internal to the pass distribute-to-subgroups: scans. Each subgroup scans its pieces; where other subgroups hold pieces before
// them, the combined elements of each piece are exchanged.
#pragma once
#include "passes/slm_exchange.h"

namespace xt {

class SubgroupScan {
public:
  SubgroupScan(Builder &builder, SubgroupValues &values, SubgroupPlaces &places, SlmExchange &slm)
      : b_(builder), values_(values), places_(places), slm_(slm) {}

  void scan(const Op &op);

private:
  Value *total(const Op &op, Value *piece);
  Value *scanOf(const Op &op, Value *value, bool exclusive);
  Value *combined(const Op &op, Value *piece, Value *before);
  void inOneSubgroup(const Op &op, const Pieces &pieces);
  void acrossSubgroups(const Op &op, const Pieces &pieces);
  Value *elementAt(const Op &op, Value *line, Value *number);

  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
  SlmExchange &slm_;
};

} // namespace xt
