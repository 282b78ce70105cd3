// Internal to the pass distribute-to-subgroups: exchanges of a vector's pieces through buffers in shared local memory.
#pragma once
#include "passes/exchange_barriers.h"
#include "passes/subgroup_places.h"
#include "passes/subgroup_values.h"

namespace xt {

class SlmExchange {
public:
  // `paddedBytes`: the largest buffer in bytes, with its padding, whose rows are padded so that they begin in different banks;
  // 0: none is padded.
  SlmExchange(Builder &builder, KernelPrologue &prologue, const SubgroupValues &values, SubgroupPlaces &places,
              ExchangeBarriers &barriers, int64_t paddedBytes)
      : b_(builder), prologue_(prologue), values_(values), places_(places), barriers_(barriers), paddedBytes_(paddedBytes) {}

  // A buffer that has at least this shape.
  Value *buffer(std::vector<int64_t> shape, Elem elem);
  // Calls `body` to create the ops that write a vector of layout `from` to a buffer, with barriers around them, so that the
  // buffer may be read afterwards. Of the subgroups that hold a copy, one writes.
  void write(const Layout &from, const std::function<void()> &body);
  // Does the same for a buffer that subgroups have already read in this exchange.
  void writeAgain(const Layout &from, const std::function<void()> &body);

  // Stores a matrix at this row and column of a buffer; null stands for 0.
  void store(Value *matrix, Value *buffer, Value *row, Value *column);
  // Loads a matrix of this shape from this row and column of a buffer; null stands for 0. `transposed`: the buffer holds its
  // transpose.
  Value *load(Value *buffer, Value *row, Value *column, std::vector<int64_t> shape, bool transposed = false);

  // Creates a buffer of the matrix's shape, to which the subgroups write their pieces. All may read it afterwards.
  Value *publish(const Value *matrix);

private:
  void writeCopy(const Layout &from, const std::function<void()> &body);

  Builder &b_;
  KernelPrologue &prologue_;
  const SubgroupValues &values_;
  SubgroupPlaces &places_;
  ExchangeBarriers &barriers_;
  int64_t paddedBytes_;
};

} // namespace xt
