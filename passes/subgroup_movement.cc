// Ops of a workgroup that may need parts held by other subgroups: decides what stays inside a subgroup and what goes
// through shared local memory.
#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/distribution.h"

namespace xt {

// --- bands -----------------------------------------------------------------------------------------------------------

// Whether each piece of the dimension is inside a single band of `band` indices.
static bool splitsInto(const DimPieces &dim, int64_t band) {
  bool aligned = band % dim.length == 0;
  for (int64_t start : dim.starts) aligned &= start % dim.length == 0;
  for (const SubgroupDigit &digit : dim.digits) aligned &= digit.weight % dim.length == 0;
  return aligned;
}

// A vector that is too large for shared local memory is exchanged in bands of rows or columns, one after the other.
std::optional<Distribution::Bands> Distribution::bandsOf(Type type, const Pieces &source, const Pieces &target) const {
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

// A condition that holds if a piece is in the current band.
Value *Distribution::inBand(Value *first, int64_t band, int64_t length) {
  Value *which = make(OpKind::DivSI, {first ? first : index(0), index(length)}, context_.index());
  Op *compare = create(OpKind::CmpI, {which, index(band)}, {context_.i1()});
  CmpIOp(*compare).setKind(CmpIKind::Eq);
  return compare->result();
}

// An `if` whose result comes from `body` where the condition holds, and is `otherwise` elsewhere. A null `otherwise`
// means no result.
Value *Distribution::where(Value *condition, Value *otherwise, const std::function<Value *()> &body) {
  std::vector<Type> types;
  if (otherwise) types.push_back(otherwise->type());
  Op *branch = b.create(OpKind::If, {condition}, types, 2);
  Block &outer = b.block();
  b.setEnd(*branch->region(0));
  Value *result = body();
  create(OpKind::Yield, otherwise ? Values{result} : Values{}, {});
  b.setEnd(*branch->region(1));
  create(OpKind::Yield, otherwise ? Values{otherwise} : Values{}, {});
  b.setEnd(outer);
  return otherwise ? branch->result() : nullptr;
}

void Distribution::convertInBands(const Op &op, const Bands &bands) {
  const Value *value = op.operand(0);
  Type type = value->type();
  Pieces source = piecesOf(type), target = piecesOf(op.result()->type());
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  int64_t length = shape[bands.dim] /= bands.count;
  Value *buffer = slmBuffer(shape, type.elem());
  Type part = pieceType(op.result()->type(), target);
  Value *zero = isFloat(part.elem()) ? b.constantFloat(part, 0) : b.constantInt(part, 0);
  Values results(target.count(), zero);
  // The position of a piece in the buffer of a band.
  auto place = [&](const Pieces &pieces, size_t k, int64_t band) {
    std::array<Value *, 2> at;
    for (size_t d = 0; d < 2; ++d) {
      at[d] = indexOf(pieces.dims[d], pieces.at(k)[d]);
      if (d == bands.dim && band > 0)
        at[d] = make(OpKind::SubI, {at[d] ? at[d] : index(0), index(band * length)}, context_.index());
      if (!at[d]) at[d] = index(0);
    }
    return at;
  };
  auto first = [&](const Pieces &pieces, size_t k) { return indexOf(pieces.dims[bands.dim], pieces.at(k)[bands.dim]); };
  for (int64_t band = 0; band < bands.count; ++band) {
    if (band > 0)
      published();
    else
      waitForReaders();
    onlyWhere(copyDigits(*type.layout()), [&] {
      for (size_t k = 0; k < source.count(); ++k)
        where(inBand(first(source, k), band, length), nullptr, [&]() -> Value * {
          std::array<Value *, 2> at = place(source, k, band);
          Type tile = context_.tile(source.lengths(), type.elem(), nullptr, Order::RowMajor, MemorySpace::Slm);
          create(OpKind::StoreTile, {of(value)[k], make(OpKind::InitTile, {buffer, at[0], at[1]}, tile)}, {});
          return nullptr;
        });
    });
    published();
    for (size_t k = 0; k < target.count(); ++k)
      results[k] = where(inBand(first(target, k), band, length), results[k], [&] {
        std::array<Value *, 2> at = place(target, k, band);
        return region(buffer, at[0], at[1], target.lengths());
      });
  }
  bind(op.result(), std::move(results));
}

// --- registers -------------------------------------------------------------------------------------------------------

// Each subgroup selects its part of the elements that it holds.
void Distribution::convertInRegisters(const Op &op, const SubgroupChoice &choice) {
  const Value *value = op.operand(0);
  Pieces source = piecesOf(value->type()), target = piecesOf(op.result()->type());
  std::vector<SubgroupDigit> digits;
  for (const SubgroupChoice::Digit &digit : choice.digits)
    digits.push_back({digit.place.stride, digit.place.extent, digit.unit});
  Value *number = placeOf(digits);
  auto part = [&](size_t k, int64_t c) {
    std::vector<size_t> at = target.at(k), piece(at.size());
    std::vector<int64_t> offsets(at.size());
    for (size_t d = 0; d < at.size(); ++d) {
      int64_t first = choice.offset(d, c) + target.dims[d].starts[at[d]];
      piece[d] = static_cast<size_t>(pieceAround(source.dims[d], first, target.dims[d].length));
      offsets[d] = first - source.dims[d].starts[piece[d]];
    }
    Value *held = of(value)[source.number(piece)];
    if (target.lengths() == source.lengths()) return held;
    Op *slice = create(OpKind::ExtractStridedSlice, {held}, {pieceType(op.result()->type(), target)});
    ExtractStridedSliceOp(*slice).setOffsets(offsets);
    return slice->result();
  };
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    Value *result = part(k, 0);
    for (int64_t c = 1; c < choice.count; ++c) {
      Op *compare = create(OpKind::CmpI, {number, index(c)}, {context_.i1()});
      CmpIOp(*compare).setKind(CmpIKind::Eq);
      result = where(compare->result(), result, [&] { return part(k, c); });
    }
    results.push_back(result);
  }
  bind(op.result(), std::move(results));
}

// --- distribution ----------------------------------------------------------------------------------------------------

void Distribution::convert(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  Pieces source = piecesOf(from), target = piecesOf(to);
  if (source == target) return bind(op.result(), of(op.operand(0)));
  if (std::optional<SubgroupChoice> choice = choiceWithin(*from.layout(), *to.layout())) return convertInRegisters(op, *choice);
  if (from.rank() != 2) return exchangeElements(op);
  if (std::optional<Bands> bands = bandsOf(from, source, target); bands && bands->count > 1) return convertInBands(op, *bands);
  Value *buffer = publish(op.operand(0));
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    results.push_back(region(buffer, indexOf(target.dims[0], at[0]), indexOf(target.dims[1], at[1]), target.lengths()));
  }
  bind(op.result(), std::move(results));
}

// Piece (i, j) of the result is piece (j, i) of the tile, transposed by the load.
void Distribution::loadTransposed(const Op &op) {
  Pieces target = piecesOf(op.result()->type()), source = piecesOf(op.operand(0)->type());
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Op *load =
        create(OpKind::LoadTile, {of(op.operand(0))[source.number({at[1], at[0]})]}, {pieceType(op.result()->type(), target)});
    load->copyAttrs(op);
    results.push_back(load->result());
  }
  bind(op.result(), std::move(results));
}

void Distribution::transpose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  Type from = op.operand(0)->type(), to = op.result()->type();
  Pieces source = piecesOf(from), target = piecesOf(to);
  bool local = true;
  for (size_t d = 0; d < permutation.size(); ++d) local &= target.dims[d] == source.dims[static_cast<size_t>(permutation[d])];
  Values results;
  if (local) {
    for (size_t k = 0; k < target.count(); ++k) {
      std::vector<size_t> at = target.at(k), of0(at.size());
      for (size_t d = 0; d < at.size(); ++d) of0[static_cast<size_t>(permutation[d])] = at[d];
      Op *turn = create(OpKind::Transpose, {of(op.operand(0))[source.number(of0)]}, {pieceType(to, target)});
      TransposeOp(*turn).setPermutation(permutation);
      results.push_back(turn->result());
    }
    return bind(op.result(), std::move(results));
  }
  if (from.rank() != 2) return exchangeElements(op);
  bool swaps = permutation[0] == 1;
  Value *buffer = publish(op.operand(0));
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *first = indexOf(target.dims[0], at[0]), *second = indexOf(target.dims[1], at[1]);
    results.push_back(region(buffer, swaps ? second : first, swaps ? first : second, target.lengths(), swaps));
  }
  return bind(op.result(), std::move(results));
}

// A subgroup needs all of K for its part of the result.
void Distribution::tileMma(const Op &op) {
  Type result = op.result()->type();
  Pieces target = piecesOf(result);
  auto operand = [&](size_t i) { // rows of a, or columns of b
    const Value *value = op.operand(i);
    Pieces source = piecesOf(value->type());
    size_t k = i == 0 ? 1 : 0, kept = 1 - k;
    if (source.dims[k].whole()) return of(value);
    Value *buffer = publish(value);
    Values parts;
    for (size_t s = 0; s < target.dims[kept].starts.size(); ++s) {
      std::vector<int64_t> shape(2);
      shape[k] = value->type().extent(static_cast<int>(k));
      shape[kept] = target.dims[kept].length;
      Value *at = indexOf(target.dims[kept], s);
      parts.push_back(kept == 0 ? region(buffer, at, nullptr, shape) : region(buffer, nullptr, at, shape));
    }
    return parts;
  };
  Values a = operand(0), right = operand(1), results;
  XT_CHECK(a.size() == target.dims[0].starts.size() && right.size() == target.dims[1].starts.size(), "rows of a, columns of b");
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Values operands = {a[at[0]], right[at[1]]};
    if (op.operandCount() > 2) operands.push_back(of(op.operand(2))[k]);
    results.push_back(make(OpKind::TileMma, std::move(operands), pieceType(result, target)));
  }
  bind(op.result(), std::move(results));
}

// --- reductions and broadcasts ---------------------------------------------------------------------------------------

Value *Distribution::reducePiece(const Op &op, Value *piece, std::vector<int64_t> shape, int64_t size) {
  size_t dim = dimensionOf(op);
  bool all = size == piece->type().extent(static_cast<int>(dim));
  Op *reduce = create(OpKind::Reduction, {piece}, {context_.vector(std::move(shape), piece->type().elem())});
  ReductionOp made(*reduce);
  made.setKind(ReductionOp(op).kind(), op.range());
  made.setDim(ReductionOp(op).dim());
  if (!all) made.setReductionSize(size);
  return reduce->result();
}

void Distribution::reduction(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  size_t dim = dimensionOf(op);
  int64_t extent = from.extent(static_cast<int>(dim)), size = extent / to.extent(static_cast<int>(dim));
  Pieces source = piecesOf(from), target = piecesOf(to);
  // If blocks do not straddle pieces, each piece is reduced to one smaller piece.
  DimPieces smaller = source.dims[dim];
  bool whole = smaller.length % size == 0;
  for (int64_t &start : smaller.starts) whole &= start % size == 0, start /= size;
  for (SubgroupDigit &digit : smaller.digits) whole &= digit.weight % size == 0, digit.weight /= size;
  smaller.length /= size;
  if (whole && smaller == target.dims[dim] && source.dims[1 - dim] == target.dims[1 - dim]) {
    Values results;
    for (Value *piece : of(op.operand(0))) results.push_back(reducePiece(op, piece, target.lengths(), size));
    return bind(op.result(), std::move(results));
  }
  if (size == extent) return reduceAcross(op, source);
  // Blocks straddle subgroups: the elements that a piece of the result depends on are read back from shared local memory.
  Value *buffer = publish(op.operand(0));
  Values results;
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *first[2] = {indexOf(target.dims[0], at[0]), indexOf(target.dims[1], at[1])};
    if (first[dim]) first[dim] = make(OpKind::MulI, {first[dim], index(size)}, context_.index());
    std::vector<int64_t> shape = target.lengths();
    shape[dim] *= size;
    results.push_back(reducePiece(op, region(buffer, first[0], first[1], shape), target.lengths(), size));
  }
  return bind(op.result(), std::move(results));
}

// Each subgroup reduces its own elements. The partial results go through shared local memory, next to each other.
void Distribution::reduceAcross(const Op &op, const Pieces &source) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  size_t dim = dimensionOf(op);
  size_t kept = 1 - dim;
  int64_t owners = 1;
  std::vector<SubgroupDigit> places = source.dims[dim].digits; // position of a subgroup's partial results
  for (SubgroupDigit &digit : places) digit.weight = owners, owners *= digit.extent;
  std::vector<int64_t> shape(2), partial(2);
  shape[kept] = from.extent(static_cast<int>(kept));
  shape[dim] = owners;
  partial[kept] = source.dims[kept].length;
  partial[dim] = 1;
  OpKind combine = *combiningOp(op);
  Type part = context_.vector(partial, from.elem());
  Values sums(source.dims[kept].starts.size(), nullptr);
  for (size_t k = 0; k < source.count(); ++k) {
    Value *&sum = sums[source.at(k)[kept]];
    Value *own = reducePiece(op, of(op.operand(0))[k], partial, source.dims[dim].length);
    sum = sum ? make(combine, {sum, own}, part) : own;
  }
  Value *buffer = owners > 1 ? slmBuffer(shape, from.elem()) : nullptr;
  Pieces target = piecesOf(to);
  if (buffer) {
    waitForReaders();
    Type tile = context_.tile(partial, from.elem(), nullptr, Order::RowMajor, MemorySpace::Slm);
    onlyWhere(copyDigits(*from.layout()), [&] {
      for (size_t s = 0; s < sums.size(); ++s) {
        Value *at[2];
        at[kept] = indexOf(source.dims[kept], s);
        at[dim] = placeOf(places);
        Value *to0 = make(OpKind::InitTile, {buffer, at[0] ? at[0] : index(0), at[1] ? at[1] : index(0)}, tile);
        create(OpKind::StoreTile, {sums[s], to0}, {});
      }
    });
    published();
    sums.clear();
    std::vector<int64_t> read(2);
    read[kept] = target.dims[kept].length;
    read[dim] = owners;
    for (size_t s = 0; s < target.dims[kept].starts.size(); ++s) {
      Value *at[2] = {nullptr, nullptr};
      at[kept] = indexOf(target.dims[kept], s);
      sums.push_back(reducePiece(op, region(buffer, at[0], at[1], read), target.lengths(), owners));
    }
  }
  bind(op.result(), std::move(sums));
}

void Distribution::broadcast(const Op &op) {
  Type from = op.operand(0)->type(), to = op.result()->type();
  size_t dim = dimensionOf(op);
  int64_t size = to.extent(static_cast<int>(dim)) / from.extent(static_cast<int>(dim));
  Pieces source = piecesOf(from), target = piecesOf(to);
  size_t kept = 1 - dim;
  int64_t block = std::min(size, target.dims[dim].length); // copies in one piece
  auto stretch = [&](Value *piece) {
    if (block == 1 && piece->type().extent(static_cast<int>(dim)) == target.dims[dim].length) return piece;
    Op *copy = create(OpKind::Broadcast, {piece}, {pieceType(to, target)});
    BroadcastOp(*copy).setDim(BroadcastOp(op).dim());
    if (piece->type().extent(static_cast<int>(dim)) != 1) BroadcastOp(*copy).setBroadcastSize(block);
    return copy->result();
  };
  bool fits = source.dims[kept] == target.dims[kept];
  bool one = source.dims[dim].whole() && source.dims[dim].length == 1;
  bool alike = source.dims[dim].starts.size() == target.dims[dim].starts.size() &&
               source.dims[dim].length * block == target.dims[dim].length;
  for (size_t s = 0; alike && s < source.dims[dim].starts.size(); ++s)
    alike = source.dims[dim].starts[s] == target.dims[dim].starts[s] / size;
  Values results;
  if (fits && (one || alike)) {
    for (size_t k = 0; k < target.count(); ++k) {
      std::vector<size_t> at = target.at(k);
      if (one) at[dim] = 0;
      results.push_back(stretch(of(op.operand(0))[source.number(at)]));
    }
    return bind(op.result(), std::move(results));
  }
  Value *buffer = publish(op.operand(0));
  for (size_t k = 0; k < target.count(); ++k) {
    std::vector<size_t> at = target.at(k);
    Value *first[2] = {indexOf(target.dims[0], at[0]), indexOf(target.dims[1], at[1])};
    if (first[dim]) first[dim] = make(OpKind::DivSI, {first[dim], index(size)}, context_.index());
    std::vector<int64_t> shape = target.lengths();
    shape[dim] = std::max<int64_t>(1, shape[dim] / size);
    results.push_back(stretch(region(buffer, first[0], first[1], shape)));
  }
  return bind(op.result(), std::move(results));
}

// --- whole vectors ---------------------------------------------------------------------------------------------------

// A reshape does not change which elements a subgroup holds. With one piece on both sides their order stays as well;
// otherwise shared local memory reorders them.
void Distribution::reshape(const Op &op) {
  Pieces source = piecesOf(op.operand(0)->type()), target = piecesOf(op.result()->type());
  if (source.count() > 1 || target.count() > 1) return exchangeElements(op);
  bind(op.result(), {make(OpKind::Reshape, {one(op.operand(0))}, pieceType(op.result()->type(), target))});
}

void Distribution::extract(const Op &op) {
  Type from = op.operand(0)->type();
  Values operands = expanded(op.operands());
  bool all = true;
  for (const DimPieces &dim : piecesOf(from).dims) all &= dim.whole();
  if (all) return bind(op.result(), {make(OpKind::Extract, std::move(operands), op.result()->type())});
  Values indices;
  if (from.rank() == 2) {
    indices = {publish(op.operand(0)), one(op.operand(1)), one(op.operand(2))};
  } else { // by row-major element number
    Value *buffer = publishElements(op.operand(0)), *linear = one(op.operand(1));
    for (int d = 1; d < from.rank(); ++d)
      linear = add(make(OpKind::MulI, {linear, index(from.extent(d))}, context_.index()),
                   one(op.operand(1 + static_cast<size_t>(d))));
    indices = {buffer, linear};
  }
  bind(op.result(), {make(OpKind::Load, std::move(indices), op.result()->type())});
}

// Asserts each part of a condition in the subgroup that holds it, and reports a failure with its index in the
// workgroup's vector.
void Distribution::asserted(const Op &op) {
  Type type = op.operand(0)->type();
  auto assertOf = [&](Values operands) {
    Op *copy = create(op.kind(), std::move(operands), {});
    copy->copyAttrs(op);
    AssertOp(*copy).setWorkgroup();
    return copy;
  };
  if (!type.isVector()) {
    assertOf(expanded(op.operands()));
    return;
  }
  Pieces pieces = piecesOf(type);
  for (size_t k = 0; k < pieces.count(); ++k) {
    Values operands = {of(op.operand(0))[k]};
    for (size_t d = 0; d < pieces.dims.size(); ++d) {
      Value *first = indexOf(pieces.dims[d], pieces.at(k)[d]);
      operands.push_back(first ? first : index(0));
    }
    AssertOp(*assertOf(std::move(operands))).setWhole({type.shape().begin(), type.shape().end()});
  }
}

// Prints once per workgroup, from the first subgroup.
void Distribution::print(const Op &op) {
  if (op.kind() == OpKind::Assert) return asserted(op);
  auto matrix = [](const Value *value) { return value->type().rank() == 2; };
  Values whole;
  size_t first = exchange_ + 1;
  for (const Value *operand : op.operands())
    whole.push_back(!operand->type().isVector() ? one(operand) : matrix(operand) ? publish(operand) : publishElements(operand));
  joinExchanges(first);
  onlyWhere({{1, kernel_.subgroups, 1}}, [&] {
    Values shown;
    for (size_t i = 0; i < whole.size(); ++i) {
      const Value *operand = op.operand(i);
      Type type = operand->type();
      shown.push_back(!type.isVector()  ? whole[i]
                      : matrix(operand) ? region(whole[i], nullptr, nullptr, {type.shape().begin(), type.shape().end()})
                                        : wholeByElements(operand, whole[i]));
    }
    Op *copy = create(op.kind(), std::move(shown), {});
    copy->copyAttrs(op);
    PrintOp(*copy).setWorkgroup();
  });
}

} // namespace xt
