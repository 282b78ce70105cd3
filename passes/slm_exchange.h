// Internal to the pass distribute-to-subgroups: exchanges of a vector's pieces through buffers in shared local memory.
#pragma once
#include "passes/exchange_barriers.h"
#include "passes/subgroup_places.h"
#include "passes/subgroup_values.h"

namespace xt {

class SlmExchange {
public:
  SlmExchange(Builder &builder, KernelPrologue &prologue, const SubgroupValues &values, SubgroupPlaces &places,
              ExchangeBarriers &barriers)
      : b_(builder), prologue_(prologue), values_(values), places_(places), barriers_(barriers) {}

  Value *buffer(std::vector<int64_t> shape, Elem elem);
  // Lets `body` write a vector of layout `from` to a buffer, with barriers around it; the buffer may be read afterwards. One
  // of the subgroups that hold a copy writes.
  void write(const Layout &from, const std::function<void()> &body);
  // The same for a buffer that subgroups have read in this exchange.
  void writeAgain(const Layout &from, const std::function<void()> &body);

  // Stores a matrix to its place in a buffer; a null row or column is 0.
  void store(Value *matrix, Value *buffer, Value *row, Value *column);
  // Loads a matrix of this shape from there. `transposed`: the buffer holds its transpose.
  Value *load(Value *buffer, Value *row, Value *column, std::vector<int64_t> shape, bool transposed = false);

  // A buffer of a matrix's shape to which the subgroups write their pieces, and from which all may read.
  Value *publish(const Value *matrix);

private:
  void writeCopy(const Layout &from, const std::function<void()> &body);

  Builder &b_;
  KernelPrologue &prologue_;
  const SubgroupValues &values_;
  SubgroupPlaces &places_;
  ExchangeBarriers &barriers_;
};

} // namespace xt
