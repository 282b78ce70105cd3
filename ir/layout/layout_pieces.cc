#include "ir/layout/layout_pieces.h"

#include "ir/layout/layout_builder.h"
#include "ir/layout/layout_table.h"

#include <algorithm>

namespace xt {

DimPieces dimPieces(const Layout &layout, int dim) {
  DimPieces pieces;
  int64_t weight = 1;
  std::span<const Factor> factors = layout.factors(dim);
  for (size_t k = factors.size(); k-- > 0; weight *= factors[k].extent) { // innermost first
    const Factor &factor = factors[k];
    if (factor.extent == 1) continue;
    if (factor.axis == Axis::Subgroup) {
      pieces.digits.push_back({factor.stride, factor.extent, weight});
    } else if (weight == pieces.length) { // all indices inside the factor are consecutive too
      pieces.length *= factor.extent;
    } else {
      std::vector<int64_t> starts;
      for (int64_t i = 0; i < factor.extent; ++i)
        for (int64_t start : pieces.starts) starts.push_back(i * weight + start);
      pieces.starts = std::move(starts);
    }
  }
  std::sort(pieces.starts.begin(), pieces.starts.end());
  return pieces;
}

int64_t SubgroupChoice::offset(size_t dim, int64_t choice) const {
  int64_t sum = 0;
  for (const Digit &digit : digits)
    if (digit.dim == dim) sum += choice / digit.unit % digit.place.extent * digit.place.weight;
  return sum;
}

int64_t pieceAround(const DimPieces &dim, int64_t first, int64_t length) {
  for (size_t i = 0; i < dim.starts.size(); ++i)
    if (dim.starts[i] <= first && first + length <= dim.starts[i] + dim.length) return static_cast<int64_t>(i);
  return -1;
}

std::optional<SubgroupChoice> choiceWithin(const Layout &from, const Layout &to) {
  SubgroupChoice choice;
  std::vector<DimPieces> source, target;
  for (int d = 0; d < from.rank(); ++d) {
    source.push_back(dimPieces(from, d));
    target.push_back(dimPieces(to, d));
    if (source.back().digits == target.back().digits) continue;
    if (!source.back().digits.empty()) return std::nullopt;
    for (const SubgroupDigit &digit : target.back().digits) {
      choice.digits.push_back({static_cast<size_t>(d), digit, choice.count});
      choice.count *= digit.extent;
      if (choice.count > kMostSubgroupChoices) return std::nullopt;
    }
  }
  for (size_t d = 0; d < source.size(); ++d)
    for (int64_t c = 0; c < choice.count; ++c)
      for (int64_t start : target[d].starts)
        if (pieceAround(source[d], choice.offset(d, c) + start, target[d].length) < 0) return std::nullopt;
  return choice;
}

const Layout *lanesOfPiece(LayoutTable &table, const Layout &layout) {
  if (layout.axisSize(Axis::Lane) == 1) return nullptr;
  LayoutBuilder builder;
  int64_t lanes = 1;
  for (int d = 0; d < layout.rank(); ++d) {
    int64_t length = dimPieces(layout, d).length, inside = 1;
    builder.shape.push_back(length);
    std::span<const Factor> factors = layout.factors(d);
    std::vector<Factor> digits;
    for (size_t k = factors.size(); k-- > 0 && inside < length; inside *= factors[k].extent) {
      digits.insert(digits.begin(), factors[k]);
      if (factors[k].axis == Axis::Lane) lanes *= factors[k].extent;
    }
    builder.dims.push_back(std::move(digits));
  }
  for (const Factor &factor : layout.replication())
    if (factor.axis == Axis::Lane) builder.replication.push_back(factor), lanes *= factor.extent;
  return lanes == layout.axisSize(Axis::Lane) ? table.intern(std::move(builder).build()) : nullptr;
}

std::vector<SubgroupDigit> copyDigits(const Layout &layout) {
  std::vector<SubgroupDigit> digits;
  for (const Factor &factor : layout.replication())
    if (factor.axis == Axis::Subgroup && factor.extent > 1) digits.push_back({factor.stride, factor.extent, 1});
  return digits;
}

} // namespace xt
