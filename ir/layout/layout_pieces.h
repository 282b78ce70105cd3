// The part of one dimension that a subgroup holds, as runs of consecutive indices: index = start + place + k for k < length.
// The starts are the same for every subgroup; the place is computed from the subgroup's id.
#pragma once
#include "ir/layout/layout.h"

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
  std::vector<SubgroupDigit> digits; // their sum is the place
  bool whole() const { return digits.empty() && starts.size() == 1; }
  bool operator==(const DimPieces &) const = default;
};

DimPieces dimPieces(const Layout &layout, int dim);
// The digits (weight 1) that are all zero for exactly one of the subgroups that hold an element.
std::vector<SubgroupDigit> copyDigits(const Layout &layout);

// Describes a conversion where each subgroup already holds every element it needs under another layout. Its id selects one of
// `count` parts of the held data; the digits compute the number of that choice.
struct SubgroupChoice {
  struct Digit {
    size_t dim;
    SubgroupDigit place; // the offset it adds to the first index along `dim`
    int64_t unit;        // the amount it adds to the number of the choice
  };
  std::vector<Digit> digits;
  int64_t count = 1;
  // The start of a choice's part along `dim`, relative to the start without these digits.
  int64_t offset(size_t dim, int64_t choice) const;
};
inline constexpr int64_t kMostSubgroupChoices = 8; // more choices are no cheaper than shared local memory
// Null if a subgroup needs elements that others hold, if a piece under `to` is spread over several pieces under `from`, or if
// there are more than kMostSubgroupChoices choices.
std::optional<SubgroupChoice> choiceWithin(const Layout &from, const Layout &to);
// How the lanes of a subgroup hold the elements of each of its pieces: a layout of one subgroup for the shape of a piece. Null if
// the layout has no lanes, or if its lanes hold whole pieces in place of parts of each (a lane digit above a subgroup digit).
const Layout *lanesOfPiece(LayoutTable &table, const Layout &layout);
// The index of the piece along a dimension that contains the `length` indices from `first` on; -1 if none does.
int64_t pieceAround(const DimPieces &dim, int64_t first, int64_t length);

} // namespace xt
