// Internal to the pass distribute-to-subgroups: prints and asserts of the workgroup's vectors, which the user of a running
// kernel sees.
#pragma once
#include "passes/element_exchange.h"

namespace xt {

class SubgroupOutput {
public:
  SubgroupOutput(Builder &builder, SubgroupValues &values, SubgroupPlaces &places, SlmExchange &slm, ElementExchange &elements,
                 ExchangeBarriers &barriers)
      : b_(builder), values_(values), places_(places), slm_(slm), elements_(elements), barriers_(barriers) {}

  void print(const Op &op);
  void check(const Op &op); // for an assert

private:
  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
  SlmExchange &slm_;
  ElementExchange &elements_;
  ExchangeBarriers &barriers_;
};

} // namespace xt
