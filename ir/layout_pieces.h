// What a subgroup holds of one dimension as runs of neighbours: index = start + place + k for k < length, where the starts
// are the same for every subgroup and its place follows from its id.
#pragma once
#include "ir/layout.h"

#include <optional>
#include <vector>

namespace xt {

struct SubgroupDigit { // (id / stride) mod extent, times weight
  int64_t stride, extent, weight;
  bool operator==(const SubgroupDigit &) const = default;
};

struct DimPieces {
  int64_t length = 1;                // of each run
  std::vector<int64_t> starts = {0}; // ascending
  std::vector<SubgroupDigit> digits; // whose sum is the place
  bool whole() const { return digits.empty() && starts.size() == 1; }
  bool operator==(const DimPieces &) const = default;
};

DimPieces dimPieces(const Layout &layout, int dim);
// Digits (weight 1) that are all zero for exactly one of the subgroups that hold an element.
std::vector<SubgroupDigit> copyDigits(const Layout &layout);

// The subgroups' numbers decide which part of what a subgroup holds already it takes, where it holds all that it needs
// under another layout: one of `count` choices, counted by these digits.
struct SubgroupChoice {
  struct Digit {
    size_t dim;
    SubgroupDigit place; // what it adds to the first index along `dim`
    int64_t unit;        // what it adds to the choice's number
  };
  std::vector<Digit> digits;
  int64_t count = 1;
  // Where the part of a choice begins along `dim`, against where it would without these digits.
  int64_t offset(size_t dim, int64_t choice) const;
};
inline constexpr int64_t kMostSubgroupChoices = 8; // more are no cheaper than shared local memory
// Null where a subgroup needs what others hold, where a piece under `to` is put together of several under `from`, or where
// there are more choices than that.
std::optional<SubgroupChoice> choiceWithin(const Layout &from, const Layout &to);
// The piece along a dimension in which `length` indices from `first` on lie; -1: none.
int64_t pieceAround(const DimPieces &dim, int64_t first, int64_t length);

} // namespace xt
