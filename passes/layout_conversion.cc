#include "passes/layout_conversion.h"

#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/conditional_ops.h"
#include "passes/index_arithmetic.h"
#include "passes/part_values.h"

namespace xt {

void LayoutConversion::convert(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  Pieces source(from), target(to);
  bool throughMemory = ConvertLayoutOp(op).sharedMemoryConversion();
  if (source == target && (!throughMemory || lanesOfPiece(b_.context(), *to.layout()))) return convertLanes(op);
  std::optional<SubgroupChoice> choice;
  if (!throughMemory) choice = choiceWithin(*from.layout(), *to.layout());
  if (choice) return convertInRegisters(op, *choice);
  if (from.rank() != 2) return elements_.exchange(op);
  if (std::optional<Bands> bands = bandsOf(from, source, target); bands && bands->count > 1) return convertInBands(op, *bands);
  Value *buffer = slm_.publish(op.operand(0));
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *column = places_.indexOf(target.dims[1], at[1]), *row = places_.indexOf(target.dims[0], at[0]);
    results.push_back(slm_.load(buffer, row, column, target.lengths()));
  }
  values_.bind(op.result(), std::move(results));
}

// Converts pieces that stay in their subgroup, but have another layout of its lanes.
void LayoutConversion::convertLanes(const Op &op) {
  Values results = values_.of(op.operand(0));
  Type type = pieceType(b_.context(), op.result()->type(), Pieces(op.result()->type()));
  for (Value *&piece : results) {
    if (piece->type() == type) continue;
    Op *made = b_.create(OpKind::ConvertLayout, {piece}, {type});
    copyAttrs(op, *made);
    piece = made->result();
  }
  values_.bind(op.result(), std::move(results));
}

// Converts pieces whose elements the subgroup already holds: it selects its part of them.
void LayoutConversion::convertInRegisters(const Op &op, const SubgroupChoice &choice) {
  const Value *value = op.operand(0);
  Pieces source(value->type()), target(op.result()->type());
  std::vector<SubgroupDigit> digits;
  for (const SubgroupChoice::Digit &digit : choice.digits)
    digits.push_back({digit.place.stride, digit.place.extent, digit.unit});
  Value *number = places_.of(digits);
  auto part = [&](size_t k, int64_t c) {
    std::vector<size_t> at = target.at(k), piece(at.size());
    std::vector<int64_t> offsets(at.size());
    for (size_t d = 0; d < at.size(); ++d) {
      int64_t first = choice.offset(d, c) + target.dims[d].starts[at[d]];
      piece[d] = static_cast<size_t>(pieceAround(source.dims[d], first, target.dims[d].length));
      offsets[d] = first - source.dims[d].starts[piece[d]];
    }
    Value *held = values_.of(value)[source.number(piece)];
    if (target.lengths() == source.lengths()) return held;
    Op *slice = b_.create(OpKind::ExtractStridedSlice, {held}, {pieceType(b_.context(), op.result()->type(), target)});
    ExtractStridedSliceOp(*slice).setOffsets(offsets);
    return slice->result();
  };
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    Value *result = part(k, 0);
    for (int64_t c = 1; c < choice.count; ++c)
      result = valueWhere(b_, isEqual(b_, number, c), result->type(), [&] { return part(k, c); }, [&] { return result; });
    results.push_back(result);
  }
  values_.bind(op.result(), std::move(results));
}

// --- bands -----------------------------------------------------------------------------------------------------------

namespace {

// Whether each piece of the dimension is inside a single band of `band` indices.
bool splitsInto(const DimPieces &dim, int64_t band) {
  bool aligned = band % dim.length == 0;
  for (int64_t start : dim.starts) aligned &= start % dim.length == 0;
  for (const SubgroupDigit &digit : dim.digits) aligned &= digit.weight % dim.length == 0;
  return aligned;
}

} // namespace

// Returns the bands of rows or columns in which a vector that is too large for shared local memory is exchanged, one after the
// other; nullopt if no bands fit.
std::optional<LayoutConversion::Bands> LayoutConversion::bandsOf(Type type, const Pieces &source, const Pieces &target) const {
  int64_t bytes = type.byteCount();
  if (slmLimit_ == 0 || bytes <= slmLimit_) return Bands{0, 1};
  for (int64_t count = 2; count <= 64; count *= 2)
    for (size_t dim = 0; dim < 2; ++dim) {
      int64_t extent = type.extent(static_cast<int>(dim));
      if (extent % count != 0 || bytes / count > slmLimit_) continue;
      if (splitsInto(source.dims[dim], extent / count) && splitsInto(target.dims[dim], extent / count))
        return Bands{dim, count};
    }
  return std::nullopt;
}

// Returns the condition that a piece, which begins at `first`, is in the band with the number `band`.
Value *LayoutConversion::inBand(Value *first, int64_t band, int64_t length) {
  return isEqual(b_, b_.value(OpKind::DivSI, {orZero(b_, first), b_.index(length)}, b_.context().index()), band);
}

void LayoutConversion::convertInBands(const Op &op, const Bands &bands) {
  const Value *value = op.operand(0);
  Type type = value->type();
  Pieces source(type), target(op.result()->type());
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  int64_t length = shape[bands.dim] /= bands.count;
  Value *buffer = slm_.buffer(shape, type.elem());
  Type part = pieceType(b_.context(), op.result()->type(), target);
  Values results(target.count(), zerosOf(b_, part));
  // Returns the position of a piece in the buffer that holds a band.
  auto place = [&](const Pieces &pieces, size_t k, int64_t band) {
    std::array<Value *, 2> at;
    for (size_t d = 0; d < 2; ++d) {
      at[d] = places_.indexOf(pieces.dims[d], pieces.at(k)[d]);
      if (d == bands.dim && band > 0)
        at[d] = b_.value(OpKind::SubI, {orZero(b_, at[d]), b_.index(band * length)}, b_.context().index());
      at[d] = orZero(b_, at[d]);
    }
    return at;
  };
  auto first = [&](const Pieces &pieces, size_t k) { return places_.indexOf(pieces.dims[bands.dim], pieces.at(k)[bands.dim]); };
  for (int64_t band = 0; band < bands.count; ++band) {
    auto write = [&] {
      for (size_t k = 0; k < source.count(); ++k)
        onlyWhere(b_, inBand(first(source, k), band, length), [&] {
          std::array<Value *, 2> at = place(source, k, band);
          slm_.store(values_.of(value)[k], buffer, at[0], at[1]);
        });
    };
    if (band > 0)
      slm_.writeAgain(*type.layout(), write);
    else
      slm_.write(*type.layout(), write);
    for (size_t k = 0; k < target.count(); ++k) {
      auto read = [&] {
        std::array<Value *, 2> at = place(target, k, band);
        return slm_.load(buffer, at[0], at[1], target.lengths());
      };
      results[k] = valueWhere(b_, inBand(first(target, k), band, length), part, read, [&] { return results[k]; });
    }
  }
  values_.bind(op.result(), std::move(results));
}

} // namespace xt
