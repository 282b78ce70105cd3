// Internal to the pass distribute-to-subgroups: exchanges with other subgroups element by element. They serve vectors that are
// not matrices, and reshapes, because the pieces of their results are not rectangles of the operand.
#pragma once
#include "passes/slm_exchange.h"

namespace xt {

class ElementExchange {
public:
  ElementExchange(Builder &builder, SubgroupValues &values, SubgroupPlaces &places, SlmExchange &slm)
      : b_(builder), values_(values), places_(places), slm_(slm) {}

  // Performs a transpose, a reshape or a change of layout: moves every element through shared local memory.
  void exchange(const Op &op);
  // Creates a buffer of one dimension, to which the subgroups write the vector's elements in row-major order, and returns it.
  Value *publish(const Value *vector);
  // Reads the whole vector from a buffer that publish() has returned for it.
  Value *whole(const Value *vector, Value *buffer);

private:
  void gatherPieces(const Op &op, Value *buffer, const std::vector<int64_t> &strides);
  Value *offsets(const Pieces &pieces, size_t k, const std::vector<int64_t> &strides);
  Value *scatterTile(Value *buffer, Value *offsets);
  Value *asRows(Value *vector);
  Value *allTrue(Type like);

  Builder &b_;
  SubgroupValues &values_;
  SubgroupPlaces &places_;
  SlmExchange &slm_;
};

} // namespace xt
