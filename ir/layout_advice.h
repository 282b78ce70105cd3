// Internal to ir/layout_make.cc: what would fit where a layout does not, as a table for the message.
#pragma once
#include "ir/layout_builder.h"

namespace xt {

// One dimension of a wg_map or sg_map: `count` owners take `block` of `extent` indices in turn.
struct Deal {
  std::string_view layoutName, dataName; // sg_layout, sg_data
  int64_t extent, count, block;
  int64_t whole = 0;          // what count * block must divide as well: what lanes go round; 0: nothing
  bool wholeIsSgData = false; // else the extent
  size_t dim = 0;
};
// The blocks that fit the count, and the counts that fit the block; "" if the extent is too large to try. Lines end in
// '\n'.
std::string fittingDeals(const Deal &deal);
bool fits(const Deal &deal);

// Numbers that must multiply to `extent` and do not: the values that one of them could have instead.
struct NamedNumber {
  std::string name; // "thread_tile[0]"
  int64_t value;
  bool varies = true;
};
std::string fittingProducts(int64_t extent, size_t dim, std::span<const NamedNumber> numbers);

} // namespace xt
