#include "ir/layout/layout.h"

#include "ir/base/check.h"
#include "ir/layout/layout_builder.h"
#include "ir/layout/layout_table.h"

#include <algorithm>

namespace xt {
namespace {

bool insideShape(std::span<const int64_t> index, std::span<const int64_t> shape) {
  if (index.size() != shape.size()) return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (index[d] < 0 || index[d] >= shape[d]) return false;
  return true;
}

} // namespace

std::vector<int64_t> Layout::owners(std::span<const int64_t> index, Axis axis) const {
  XT_CHECK(insideShape(index, shape_), "the index lies inside the layout's shape");
  int64_t first = 0;
  for (int d = 0; d < rank(); ++d) first += coordinateOf(factors(d), index[static_cast<size_t>(d)], axis);
  std::vector<int64_t> result = {first};
  for (const Factor &f : replication_) {
    if (f.axis != axis) continue;
    size_t known = result.size();
    for (int64_t copy = 1; copy < f.extent; ++copy)
      for (size_t i = 0; i < known; ++i) result.push_back(result[i] + copy * f.stride);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<int64_t> Layout::sliceOf(int64_t subgroup, int dim) const { return sliceOf(Axis::Subgroup, subgroup, dim); }

std::vector<int64_t> Layout::sliceOf(Axis axis, int64_t owner, int dim) const {
  XT_CHECK(owner >= 0 && owner < axisSize(axis), "the owner exists");
  std::vector<int64_t> indices = {0};
  for (const Factor &f : factors(dim)) {
    std::vector<int64_t> finer;
    for (int64_t index : indices) {
      if (f.axis == axis)
        finer.push_back(index * f.extent + owner / f.stride % f.extent);
      else
        for (int64_t digit = 0; digit < f.extent; ++digit) finer.push_back(index * f.extent + digit);
    }
    indices = std::move(finer);
  }
  return indices;
}

std::vector<int64_t> Layout::elementsOf(int64_t subgroup) const {
  std::vector<int64_t> elements = {0};
  for (int d = 0; d < rank(); ++d) {
    std::vector<int64_t> slice = sliceOf(subgroup, d), finer;
    finer.reserve(elements.size() * slice.size());
    for (int64_t element : elements)
      for (int64_t index : slice) finer.push_back(element * shape_[static_cast<size_t>(d)] + index);
    elements = std::move(finer);
  }
  return elements;
}

std::vector<int64_t> Layout::subgroupShape() const { return ownerShape(Axis::Subgroup); }

std::vector<int64_t> Layout::ownerShape(Axis axis) const {
  std::vector<int64_t> held = shape_;
  for (int d = 0; d < rank(); ++d)
    for (const Factor &f : factors(d))
      if (f.axis == axis) held[static_cast<size_t>(d)] /= f.extent;
  return held;
}

bool Layout::isReplicated(Axis axis) const {
  return std::any_of(replication_.begin(), replication_.end(), [&](const Factor &f) { return f.axis == axis; });
}

// --- the algebra -----------------------------------------------------------------------------------------------------

const Layout *transposed(LayoutTable &table, const Layout *layout, std::span<const int64_t> permutation) {
  size_t rank = permutation.size();
  XT_CHECK(rank == layout->shape().size(), "a permutation names every dimension");
  LayoutBuilder source = builderFrom(*layout), result;
  std::vector<bool> seen(rank, false);
  for (int64_t from : permutation) {
    size_t d = static_cast<size_t>(from);
    XT_CHECK(d < rank && !seen[d], "a permutation names every dimension once");
    seen[d] = true;
    result.shape.push_back(source.shape[d]);
    result.dims.push_back(source.dims[d]);
  }
  result.replication = source.replication;
  return table.intern(std::move(result).build());
}

const Layout *collapsed(LayoutTable &table, const Layout *layout, int dim) {
  LayoutBuilder builder = builderFrom(*layout);
  size_t d = static_cast<size_t>(dim);
  XT_CHECK(d < builder.shape.size(), "the dimension exists");
  for (const Factor &f : builder.dims[d])
    if (f.axis != Axis::Register) builder.replication.push_back(f);
  builder.dims[d].clear();
  builder.shape[d] = 1;
  return table.intern(std::move(builder).build());
}

const Layout *combined(LayoutTable &table, std::span<const DimOf> dims, std::span<const int64_t> shape) {
  XT_CHECK(dims.size() == shape.size(), "one source for each dimension");
  LayoutBuilder builder;
  builder.shape.assign(shape.begin(), shape.end());
  const Layout *any = nullptr;
  int64_t elements = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    const Layout *layout = dims[d].layout;
    if (shape[d] < 1 || !multiply(elements, shape[d], elements)) return nullptr;
    if (!layout) {
      builder.dims.push_back({{shape[d], Axis::Register, 1}});
      continue;
    }
    if (layout->shape()[static_cast<size_t>(dims[d].dim)] != shape[d]) return nullptr;
    std::span<const Factor> digits = layout->factors(dims[d].dim);
    builder.dims.emplace_back(digits.begin(), digits.end());
    for (Axis axis : kOwnerAxes)
      if (any && any->axisSize(axis) != layout->axisSize(axis)) return nullptr;
    any = layout;
  }
  XT_CHECK(any, "at least one dimension comes from a layout");
  // cover() adds copies for gaps between strides. The copies for owners beyond the last stride are added here.
  for (Axis axis : kOwnerAxes) {
    int64_t counted = 1;
    for (const std::vector<Factor> &digits : builder.dims)
      for (const Factor &f : digits)
        if (f.axis == axis) counted = std::max(counted, f.stride * f.extent);
    builder.replication.push_back({any->axisSize(axis) / counted, axis, counted});
  }
  if (builder.cover(LayoutBuilder::Gaps::Copy)) return nullptr;
  return table.intern(std::move(builder).build());
}

bool sameDistribution(const Layout *a, int da, const Layout *b, int db) {
  if (a->subgroups() != b->subgroups()) return false;
  if (a->shape()[static_cast<size_t>(da)] != b->shape()[static_cast<size_t>(db)]) return false;
  auto alike = [](const Factor &x, const Factor &y) {
    return x.extent == y.extent && x.axis == y.axis && (x.axis == Axis::Register || x.stride == y.stride);
  };
  std::vector<Factor> x = digitsOn(*a, da, Axis::Subgroup), y = digitsOn(*b, db, Axis::Subgroup);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), alike);
}

namespace {

// A digit of a layout, with its weight in the index of one dimension (0: a digit of another dimension, or of copies) and its
// stride on one axis (0: a digit of another axis).
struct SharedDigit {
  int64_t extent, weight, stride;
};

// All digits that determine a coordinate on `axis`, and all digits of an index of dimension `dim`.
std::vector<SharedDigit> sharedDigits(const Layout &layout, int dim, Axis axis) {
  std::vector<SharedDigit> shared;
  auto stride = [&](const Factor &f) { return f.axis == axis ? f.stride : 0; };
  for (int d = 0; d < layout.rank(); ++d) {
    int64_t weight = 1;
    std::vector<Factor> digits = digitsOn(layout, d, axis);
    for (size_t i = digits.size(); i-- > 0; weight *= digits[i].extent)
      if (d == dim || stride(digits[i]) > 0) shared.push_back({digits[i].extent, d == dim ? weight : 0, stride(digits[i])});
  }
  for (const Factor &f : layout.replication())
    if (f.axis == axis) shared.push_back({f.extent, 0, f.stride});
  return shared;
}

// Splits the digit whose range of `place` (its weight or its stride) contains `cut`, so that a digit begins at `cut`. Returns
// false if the digit cannot be split there.
bool splitAt(std::vector<SharedDigit> &digits, int64_t SharedDigit::*place, int64_t cut) {
  for (size_t i = 0; i < digits.size(); ++i) {
    SharedDigit low = digits[i];
    if (low.*place == 0 || low.*place >= cut || low.*place * low.extent <= cut) continue;
    int64_t ratio = cut / (low.*place);
    if (cut % (low.*place) != 0 || low.extent % ratio != 0) return false;
    digits.push_back({low.extent / ratio, low.weight * ratio, low.stride * ratio});
    digits[i].extent = ratio;
  }
  return true;
}

// Whether each coordinate on `axis` holds under `from` everything that it holds under `to`. The set of held elements is a
// product over the dimensions, so each dimension is checked separately: whenever an index i and a coordinate c have equal
// digits under `to`, each digit of `from` must be equal too, (i / weight) % extent == (c / stride) % extent. Once the digits
// of `to` are split at `weight` and `stride`, both quotients are sums of these digits, each times a factor. They are equal
// modulo `extent` for all values of the digits if the two factors of each digit are equal modulo `extent`.
bool holdsAll(const Layout &from, const Layout &to, Axis axis) {
  for (int d = 0; d < from.rank(); ++d) {
    const std::vector<SharedDigit> known = sharedDigits(to, d, axis);
    for (const SharedDigit &needed : sharedDigits(from, d, axis)) {
      if (needed.weight == 0 || needed.stride == 0) continue;
      std::vector<SharedDigit> digits = known;
      if (!splitAt(digits, &SharedDigit::weight, needed.weight)) return false;
      if (!splitAt(digits, &SharedDigit::stride, needed.stride)) return false;
      for (const SharedDigit &digit : digits)
        if ((digit.weight / needed.weight - digit.stride / needed.stride) % needed.extent != 0) return false;
    }
  }
  return true;
}

} // namespace

Movement movement(const Layout *from, const Layout *to) {
  XT_CHECK(std::equal(from->shape().begin(), from->shape().end(), to->shape().begin(), to->shape().end()),
           "a conversion keeps the shape");
  if (from == to) return Movement::None;
  if (from->subgroups() != to->subgroups() || !holdsAll(*from, *to, Axis::Subgroup)) return Movement::AcrossSubgroups;
  bool laneByLane = from->axisSize(Axis::Lane) == to->axisSize(Axis::Lane) && to->axisSize(Axis::Lane) > 1;
  return laneByLane && holdsAll(*from, *to, Axis::Lane) ? Movement::InLane : Movement::InSubgroup;
}

} // namespace xt
