// Internal to the pass distribute-to-subgroups: convert_layout, which gives subgroups other parts of a vector. The op costs
// nothing if the parts stay the same, is done in registers if each subgroup already holds what it needs, and needs an exchange
// otherwise.
#pragma once
#include "passes/element_exchange.h"

namespace xt {

class LayoutConversion {
public:
  // `slmLimit`: maximum number of bytes of shared local memory that one exchange may use; 0: unlimited.
  LayoutConversion(Builder &builder, SubgroupValues &values, SubgroupPlaces &places, SlmExchange &slm,
                   ElementExchange &elements, int64_t slmLimit)
      : b_(builder), values_(values), places_(places), slm_(slm), elements_(elements), slmLimit_(slmLimit) {}

  void convert(const Op &op);

private:
  struct Bands {
    size_t dim;
    int64_t count;
  };
  void convertLanes(const Op &op);
  void convertInRegisters(const Op &op, const SubgroupChoice &choice);
  std::optional<Bands> bandsOf(Type type, const Pieces &source, const Pieces &target) const;
  void convertInBands(const Op &op, const Bands &bands);
  Value *inBand(Value *first, int64_t band, int64_t length);

  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
  SlmExchange &slm_;
  ElementExchange &elements_;
  int64_t slmLimit_;
};

} // namespace xt
