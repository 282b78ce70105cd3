// Internal to ir/layout/layout_make.cc: tables, for messages, of the nearest numbers for which a layout would fit.
#pragma once
#include "ir/layout/layout_builder.h"

namespace xt {

// One dimension of a wg_map or sg_map, which distributes `extent` indices round-robin over `count` owners in blocks of
// `block`.
struct Deal {
  std::string_view layoutName, dataName; // such as "sg_layout" and "sg_data"
  int64_t extent, count, block;
  int64_t whole = 0;          // a number that count * block must divide too (the data that lanes repeat over); 0: none
  bool wholeIsSgData = false; // whether `whole` is sg_data; otherwise it is the extent
  size_t dim = 0;
};
// Lists the values of `block` that fit `count`, and the values of `count` that fit `block`; "" if a number is too large to try
// its divisors. Lines end in '\n'.
std::string fittingDeals(const Deal &deal);
bool fits(const Deal &deal);

// A factor of a product that must equal an extent and does not.
struct NamedNumber {
  std::string name; // "thread_tile[0]"
  int64_t value;
  bool varies = true;
};
// Lists the value of each factor that `varies` with which the product of `numbers` would equal `extent` if no other factor
// changes; "" if there is none.
std::string fittingProducts(int64_t extent, size_t dim, std::span<const NamedNumber> numbers);

} // namespace xt
