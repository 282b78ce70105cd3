#include "ir/interp/vector_ops.h"

#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"

#include <algorithm>
#include <numeric>

namespace xt {
namespace {

Number apply(OpKind kind, Elem elem, Number a, Number b, Arithmetic &arithmetic) {
  Numbers operands[] = {{&a, 0}, {&b, 0}};
  Number result;
  arithmetic.elementwise({kind, elem, elem, ""}, operands, &result, 1);
  return result;
}

// The number of consecutive elements along each dimension of `many` that correspond to one element of `few`.
std::vector<int64_t> blockOf(Type many, Type few) {
  std::vector<int64_t> block;
  for (int d = 0; d < many.rank(); ++d) block.push_back(many.extent(d) / few.extent(d));
  return block;
}

// Finds elements of a part by their index in the whole.
class Places {
public:
  explicit Places(const Holding::Part &part, std::span<const int64_t> shape) {
    for (size_t d = 0; d < shape.size(); ++d) {
      places_.emplace_back(static_cast<size_t>(shape[d]), kNowhere);
      for (size_t k = 0; k < part.slices[d].size(); ++k) places_[d][static_cast<size_t>(part.slices[d][k])] = k;
      extents_.push_back(part.slices[d].size());
    }
  }
  // The position in the part's fragment.
  size_t of(std::span<const int64_t> index) const {
    size_t place = 0;
    for (size_t d = 0; d < extents_.size(); ++d) place = place * extents_[d] + along(d, index[d]);
    return place;
  }
  bool has(std::span<const int64_t> index) const {
    for (size_t d = 0; d < extents_.size(); ++d)
      if (along(d, index[d]) == kNowhere) return false;
    return true;
  }

private:
  static constexpr size_t kNowhere = ~size_t{0};
  size_t along(size_t d, int64_t index) const { return places_[d][static_cast<size_t>(index)]; }
  std::vector<std::vector<size_t>> places_;
  std::vector<size_t> extents_;
};

// Sets `index` to the index in `shape` of the element at the row-major position `place`.
void indexAt(size_t place, std::span<const int64_t> shape, std::span<int64_t> index) {
  for (size_t d = shape.size(); d-- > 0; place /= static_cast<size_t>(shape[d]))
    index[d] = static_cast<int64_t>(place % static_cast<size_t>(shape[d]));
}

// Calls visit(index) for the index of each element of the operand from which element `index` of the result is computed, in
// row-major order.
template <class Visit> void forEachTerm(const Op &op, std::span<const int64_t> index, Visit visit) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  std::array<int64_t, kMaxRank> place{};
  std::span<int64_t> at(place.data(), static_cast<size_t>(from.rank()));
  TypeRule rule = op.info().typeRule;
  if (rule == TypeRule::Reshape) {
    indexAt(*linearIndex(to.shape(), index), from.shape(), at);
    return visit(at);
  }
  std::copy(index.begin(), index.end(), at.begin());
  if (rule == TypeRule::ExtractStridedSlice) {
    const std::vector<int64_t> &offsets = ExtractStridedSliceOp(op).offsets();
    for (size_t d = 0; d < offsets.size(); ++d) at[d] += offsets[d];
  }
  if (rule == TypeRule::Transpose) {
    std::vector<int64_t> permutation = permutationOf(op);
    for (size_t d = 0; d < permutation.size(); ++d) at[static_cast<size_t>(permutation[d])] = index[d];
  }
  if (rule == TypeRule::Broadcast) {
    size_t d = dimensionOf(op);
    at[d] /= blockOf(to, from)[d];
  }
  if (rule != TypeRule::Reduction) return visit(at);
  size_t d = dimensionOf(op);
  int64_t block = blockOf(from, to)[d];
  for (int64_t k = 0; k < block; ++k) {
    at[d] = index[d] * block + k;
    visit(at);
  }
}

} // namespace

Holding::Part wholePart(std::span<const int64_t> shape) {
  Holding::Part part;
  for (int64_t extent : shape) {
    std::vector<int64_t> slice(static_cast<size_t>(extent));
    std::iota(slice.begin(), slice.end(), int64_t{0});
    part.count *= slice.size();
    part.slices.push_back(std::move(slice));
  }
  return part;
}

bool movesElements(TypeRule rule) {
  return rule == TypeRule::Transpose || rule == TypeRule::Reduction || rule == TypeRule::Scan ||
         rule == TypeRule::ExtractStridedSlice || rule == TypeRule::Broadcast || rule == TypeRule::ConvertLayout ||
         rule == TypeRule::Reshape;
}

// A scan is computed from a part that holds the whole dimension.
bool computableFrom(const Op &op, const Holding::Part &source, const Holding::Part &target) {
  if (op.info().typeRule == TypeRule::Scan) {
    size_t d = dimensionOf(op);
    return source.slices == target.slices &&
           source.slices[d].size() == static_cast<size_t>(op.result()->type().extent(static_cast<int>(d)));
  }
  Places places(source, op.operand(0)->type().shape());
  bool all = true;
  forEachHeld(target, [&](std::span<const int64_t> index) {
    if (all) forEachTerm(op, index, [&](std::span<const int64_t> term) { all = all && places.has(term); });
  });
  return all;
}

namespace {

// Scans the elements of a part that holds the whole dimension, row-major.
Fragment scanned(const Op &op, const Fragment &elements, const Holding::Part &part, Arithmetic &arithmetic) {
  Elem elem = op.result()->type().elem();
  OpKind kind = *combiningOp(op);
  Elem within = reductionElem(kind, elem);
  size_t dim = dimensionOf(op), count = part.slices[dim].size(), other = part.slices[1 - dim].size();
  size_t step = dim == 1 ? 1 : other, line = dim == 1 ? count : 1;
  Fragment result(elements.size());
  for (size_t i = 0; i < other; ++i) {
    Number sum = arithmetic.constant(within, combiningIdentity(kind, within));
    for (size_t n = 0; n < count; ++n) {
      size_t at = i * line + (ScanOp(op).reverse() ? count - 1 - n : n) * step;
      Number next = apply(kind, within, sum, elements[at], arithmetic);
      result[at] = narrowed(within, elem, ScanOp(op).exclusive() ? sum : next, arithmetic);
      sum = next;
    }
  }
  return result;
}

} // namespace

Fragment evaluateVectorOp(const Op &op, const Fragment &elements, const Holding::Part &source, const Holding::Part &target,
                          Arithmetic &arithmetic) {
  if (op.info().typeRule == TypeRule::Scan) return scanned(op, elements, source, arithmetic);
  Places places(source, op.operand(0)->type().shape());
  Fragment result;
  result.reserve(target.count);
  if (op.info().typeRule != TypeRule::Reduction) {
    forEachHeld(target, [&](std::span<const int64_t> index) {
      forEachTerm(op, index, [&](std::span<const int64_t> term) { result.push_back(elements[places.of(term)]); });
    });
    return result;
  }
  // Each sum starts from the identity of the op, so that a block of one element gives that element.
  Elem elem = op.result()->type().elem();
  OpKind kind = *combiningOp(op);
  Elem within = reductionElem(kind, elem);
  Number identity = arithmetic.constant(within, combiningIdentity(kind, within));
  forEachHeld(target, [&](std::span<const int64_t> index) {
    Number sum = identity;
    forEachTerm(op, index,
                [&](std::span<const int64_t> term) { sum = apply(kind, within, sum, elements[places.of(term)], arithmetic); });
    result.push_back(narrowed(within, elem, sum, arithmetic));
  });
  return result;
}

Fragment insertedSlice(const Op &op, const Fragment &part, Fragment whole) {
  const std::vector<int64_t> &offsets = InsertStridedSliceOp(op).offsets();
  size_t k = 0;
  forEachHeld(wholePart(op.operand(0)->type().shape()), [&](std::span<const int64_t> index) {
    std::array<int64_t, kMaxRank> at{};
    for (size_t d = 0; d < offsets.size(); ++d) at[d] = index[d] + offsets[d];
    whole[*linearIndex(op.operand(1)->type().shape(), std::span(at).first(offsets.size()))] = part[k++];
  });
  return whole;
}

Number iotaAt(const Op &op, std::span<const int64_t> index, Arithmetic &arithmetic) {
  return arithmetic.constant(op.result()->type().elem(), index[dimensionOf(op)]);
}

bool maskAt(std::span<const int64_t> extents, std::span<const int64_t> index) {
  for (size_t d = 0; d < extents.size(); ++d)
    if (index[d] >= extents[d]) return false;
  return true;
}

std::optional<size_t> linearIndex(std::span<const int64_t> shape, std::span<const int64_t> index) {
  size_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return std::nullopt;
    place = place * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
  }
  return place;
}

Number narrowed(Elem from, Elem to, Number value, Arithmetic &arithmetic) {
  if (from == to) return value;
  Numbers operand{&value, 0};
  Number result;
  arithmetic.elementwise({OpKind::TruncF, from, to, ""}, {&operand, 1}, &result, 1);
  return result;
}

Number combine(std::string_view kind, Elem elem, Number value, Number other, Arithmetic &arithmetic) {
  if (kind == "assign") return other;
  return apply(*combiningOp(kind, elem), elem, value, other, arithmetic);
}

} // namespace xt
