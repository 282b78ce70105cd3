// Internal to the pass distribute-to-lanes: ops that depend on the index of each element or address a single element.
#pragma once
#include "passes/fragment_exchange.h"
#include "passes/fragment_values.h"

namespace xt {

class LaneElements {
public:
  LaneElements(Builder &builder, FragmentValues &values, const LaneLayouts &layouts, LanePlaces &places,
               FragmentExchange &exchange)
      : b_(builder), values_(values), layouts_(layouts), places_(places), exchange_(exchange) {}

  void iota(const Op &op);
  void createMask(const Op &op);
  void insert(const Op &op);
  void extract(const Op &op);

private:
  // Multiplies or divides `x` by a constant, or takes the remainder. No op is created if the constant 1 leaves `x` unchanged.
  Value *arith(OpKind kind, Value *x, int64_t constant);

  Builder &b_;
  FragmentValues &values_;
  const LaneLayouts &layouts_;
  LanePlaces &places_;
  FragmentExchange &exchange_;
};

} // namespace xt
