// Internal to the pass distribute-to-subgroups: ops whose result elements come from other positions of their operands. Decides
// which elements stay inside a subgroup and which go through shared local memory.
#pragma once
#include "passes/element_exchange.h"

namespace xt {

class SubgroupMovement {
public:
  SubgroupMovement(Builder &builder, SubgroupValues &values, SubgroupPlaces &places, SlmExchange &slm,
                   ElementExchange &elements)
      : b_(builder), values_(values), places_(places), slm_(slm), elements_(elements) {}

  void loadTransposed(const Op &op);
  void tileMma(const Op &op);
  void transpose(const Op &op);
  void broadcast(const Op &op);
  void reshape(const Op &op);
  void extract(const Op &op);
  void extractSlice(const Op &op);
  void insertSlice(const Op &op);

private:
  Values loadPieces(Value *buffer, Type type, const std::vector<int64_t> &offsets);

  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
  SlmExchange &slm_;
  ElementExchange &elements_;
};

} // namespace xt
