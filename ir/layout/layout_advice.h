// Internal to ir/layout/layout_make.cc: the nearest numbers for which a layout would fit, as a table for the message.
#pragma once
#include "ir/layout/layout_builder.h"

namespace xt {

// One dimension of a wg_map or sg_map: `count` owners take `block` of `extent` indices in turn.
struct Deal {
  std::string_view layoutName, dataName; // sg_layout, sg_data
  int64_t extent, count, block;
  int64_t whole = 0;          // count * block must divide this too (the data that lanes repeat over); 0: no such number
  bool wholeIsSgData = false; // whether `whole` is sg_data, else it is the extent
  size_t dim = 0;
};
// Lists the blocks that fit the count, and the counts that fit the block; "" if a number is too large to try its divisors.
// Lines end in '\n'.
std::string fittingDeals(const Deal &deal);
bool fits(const Deal &deal);

// A factor of a product that must equal `extent` and does not; fittingProducts lists the values that one of them could have
// instead.
struct NamedNumber {
  std::string name; // "thread_tile[0]"
  int64_t value;
  bool varies = true;
};
std::string fittingProducts(int64_t extent, size_t dim, std::span<const NamedNumber> numbers);

} // namespace xt
