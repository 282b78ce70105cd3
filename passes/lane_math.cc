#include "passes/lane_math.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/vector_slices.h"

namespace xt {
namespace {

int dimOf(const Op &op) { return static_cast<int>(dimensionOf(op)); }
size_t at(int dim) { return static_cast<size_t>(dim); }

// The digits of a dimension that count within blocks of n adjacent elements; nullopt if no digit begins at, or can be split
// at, the boundary of a block.
std::optional<std::vector<Factor>> innerDigits(const Layout *layout, int dim, int64_t n) {
  std::vector<Factor> inner;
  int64_t weight = 1;
  std::span<const Factor> factors = layout->factors(dim);
  for (size_t i = factors.size(); i-- > 0 && weight < n; weight *= factors[i].extent) {
    Factor digit = factors[i];
    if (weight * digit.extent > n) { // a digit may be split in two
      if (n % weight != 0 || digit.extent % (n / weight) != 0) return std::nullopt;
      digit.extent = n / weight;
      inner.push_back(digit);
      return inner;
    }
    inner.push_back(digit);
  }
  return weight == n ? std::optional(inner) : std::nullopt;
}

} // namespace

Value *LaneMath::in(const Value *value, const Layout *layout) {
  return exchange_.converted(values_.of(value), layouts_.of(value), layout);
}

void LaneMath::bindFrom(const Value *old, Value *fragment, const Layout *layout) {
  values_.bind(old, exchange_.converted(fragment, layout, layouts_.of(old)));
}

const Layout *LaneMath::gathered(const Layout *layout, int dim) const {
  std::vector<DimOf> dims;
  for (int d = 0; d < layout->rank(); ++d) dims.push_back({d == dim ? nullptr : layout, d});
  const Layout *found = layout->rank() > 1 ? combined(b_.context(), dims, layout->shape()) : nullptr;
  return found ? found : layouts_.replicated(layout->shape());
}

// --- reductions and broadcasts ---------------------------------------------------------------------------------------

// Reduces within each lane first, then among the lanes that hold a block of adjacent elements.
void LaneMath::reduction(const Op &op) {
  int dim = dimOf(op);
  const Value *from = op.operand(0), *to = op.result();
  int64_t n = from->type().extent(dim) / to->type().extent(dim);
  const Layout *layout = layouts_.of(from), *given = grouped(b_.context(), layout, dim, n);
  std::optional<std::vector<Factor>> digits = innerDigits(layout, dim, n);
  if (!given || !digits) {
    layout = gathered(layout, dim);
    given = grouped(b_.context(), layout, dim, n);
    digits = innerDigits(layout, dim, n);
    XT_CHECK(given && digits, "registers of one lane reduce in blocks of any size");
  }
  Value *value = in(from, layout);
  ReductionKind kind = ReductionOp(op).kind();
  int64_t inLane = 1;
  for (const Factor &digit : *digits)
    if (digit.axis == Axis::Register) inLane *= digit.extent;
  if (inLane > 1) {
    std::vector<int64_t> shape(value->type().shape().begin(), value->type().shape().end());
    bool all = shape[at(dim)] == inLane;
    shape[at(dim)] /= inLane;
    Op *reduced = b_.create(OpKind::Reduction, {value}, {b_.context().vector(shape, value->type().elem())});
    ReductionOp(*reduced).setKind(kind);
    ReductionOp(*reduced).setDim(dim);
    if (!all) ReductionOp(*reduced).setReductionSize(inLane);
    value = reduced->result();
  }
  for (const Factor &digit : *digits) {
    if (digit.axis != Axis::Lane || digit.extent == 1) continue;
    Op *reduced = b_.create(OpKind::SubgroupReduce, {value}, {value->type()});
    SubgroupReduceOp(*reduced).setKind(kind);
    if (digit.extent < lanes_) {
      SubgroupReduceOp(*reduced).setClusterSize(digit.extent);
      if (digit.stride > 1) SubgroupReduceOp(*reduced).setClusterStride(digit.stride);
    }
    value = reduced->result();
  }
  bindFrom(to, value, given);
}

void LaneMath::broadcast(const Op &op) {
  int dim = dimOf(op);
  const Value *from = op.operand(0), *to = op.result();
  int64_t n = to->type().extent(dim) / from->type().extent(dim);
  const Layout *layout = layouts_.of(to), *wanted = grouped(b_.context(), layout, dim, n);
  if (!wanted || !innerDigits(layout, dim, n)) { // otherwise the block to which an element belongs would depend on the lane
    layout = gathered(layout, dim);
    wanted = grouped(b_.context(), layout, dim, n);
    XT_CHECK(wanted, "registers of one lane repeat in blocks of any size");
  }
  Value *value = in(from, wanted);
  Type type = values_.fragment(layout, to->type().elem());
  int64_t times = type.extent(dim) / value->type().extent(dim);
  if (times > 1) {
    bool stretches = value->type().extent(dim) == 1;
    Op *made = b_.create(OpKind::Broadcast, {value}, {type});
    BroadcastOp(*made).setDim(dim);
    if (!stretches) BroadcastOp(*made).setBroadcastSize(times);
    value = made->result();
  }
  bindFrom(to, value, layout);
}

// --- other shapes ----------------------------------------------------------------------------------------------------

void LaneMath::transpose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  const Layout *layout = transposed(b_.context(), layouts_.of(op.operand(0)), permutation);
  Op *turned =
      b_.create(OpKind::Transpose, {values_.of(op.operand(0))}, {values_.fragment(layout, op.result()->type().elem())});
  TransposeOp(*turned).setPermutation(permutation);
  bindFrom(op.result(), turned->result(), layout);
}

void LaneMath::reshape(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  if (const Layout *layout = reshaped(b_.context(), layouts_.of(from), to->type().shape())) {
    Value *value = withShape(b_, values_.of(from), layout->ownerShape(Axis::Lane));
    return bindFrom(to, value, layout);
  }
  std::span<const int64_t> before = from->type().shape(), after = to->type().shape();
  FragmentExchange::Source source = [&](std::span<const int64_t> index) -> std::optional<std::vector<int64_t>> {
    int64_t number = 0;
    for (size_t d = 0; d < after.size(); ++d) number = number * after[d] + index[d];
    std::vector<int64_t> place(before.size());
    for (size_t d = before.size(); d-- > 0; number /= before[d]) place[d] = number % before[d];
    return place;
  };
  values_.bind(to, exchange_.exchanged(values_.of(from), layouts_.of(from), layouts_.of(to), source));
}

void LaneMath::extractSlice(const Op &op) {
  const Layout *whole = layouts_.of(op.operand(0)), *part = layouts_.of(op.result());
  std::vector<int64_t> offsets = ExtractStridedSliceOp(op).offsets();
  bool isMoved = true;
  for (Use use : op.result()->uses()) isMoved &= sliceMovedBy(*use.user) == &op;
  if (isMoved) return;
  if (auto own = ownOffsets(whole, offsets, part, false))
    return values_.bind(op.result(), sliceOf(b_, values_.of(op.operand(0)), *own, part->ownerShape(Axis::Lane)));
  FragmentExchange::Source source = [&](std::span<const int64_t> index) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> place(index.begin(), index.end());
    for (size_t d = 0; d < place.size(); ++d) place[d] += offsets[d];
    return place;
  };
  values_.bind(op.result(), exchange_.exchanged(values_.of(op.operand(0)), whole, part, source));
}

const Op *LaneMath::sliceMovedBy(const Op &op) const {
  if (op.kind() != OpKind::InsertStridedSlice) return nullptr;
  const Value *slice = op.operand(0);
  const Op *extract = slice->definingOp();
  if (!extract || extract->kind() != OpKind::ExtractStridedSlice) return nullptr;
  const Layout *part = layouts_.of(slice);
  bool inLane = ownOffsets(layouts_.of(extract->operand(0)), ExtractStridedSliceOp(*extract).offsets(), part, false) &&
                ownOffsets(layouts_.of(op.result()), InsertStridedSliceOp(op).offsets(), part, true);
  return inLane ? nullptr : extract;
}

void LaneMath::insertSlice(const Op &op) {
  const Value *slice = op.operand(0), *from = slice;
  const Layout *part = layouts_.of(slice), *whole = layouts_.of(op.result());
  std::vector<int64_t> offsets = InsertStridedSliceOp(op).offsets(), begin(offsets.size(), 0);
  Value *into = values_.of(op.operand(1));
  if (const Op *extract = sliceMovedBy(op)) {
    from = extract->operand(0);
    begin = ExtractStridedSliceOp(*extract).offsets();
  } else if (auto own = ownOffsets(whole, offsets, part, true)) {
    return values_.bind(op.result(), withSlice(b_, values_.of(slice), into, *own));
  }
  FragmentExchange::Source source = [&](std::span<const int64_t> index) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> place(index.begin(), index.end());
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] -= offsets[d];
      if (place[d] < 0 || place[d] >= part->shape()[d]) return std::nullopt;
      place[d] += begin[d];
    }
    return place;
  };
  values_.bind(op.result(), exchange_.exchanged(values_.of(from), layouts_.of(from), whole, source, into));
}

// --- products --------------------------------------------------------------------------------------------------------

void LaneMath::dpas(const Op &op) {
  std::vector<Value *> operands;
  for (size_t i = 0; i < op.operandCount(); ++i) operands.push_back(in(op.operand(i), layouts_.ofProduct(op, i)));
  const Layout *layout = layouts_.ofProduct(op, 2);
  Value *product = values_.copy(op, std::move(operands), {values_.fragment(layout, op.result()->type().elem())})->result();
  bindFrom(op.result(), product, layout);
}

std::array<const Layout *, 2> operandsOfLanes(const Op &tileMma, const LaneLayouts &layouts, Context &context) {
  const Layout *layout = layouts.of(tileMma.result());
  auto ofOperand = [&](const Value *operand, DimOf rows, DimOf columns) {
    const Layout *made = combined(context, std::array{rows, columns}, operand->type().shape());
    return made ? made : layouts.replicated(operand->type().shape());
  };
  const Layout *a = ofOperand(tileMma.operand(0), {layout, 0}, {nullptr, 0}),
               *b = ofOperand(tileMma.operand(1), {nullptr, 0}, {layout, 1});
  XT_CHECK(a->ownerShape(Axis::Lane)[0] == layout->ownerShape(Axis::Lane)[0] &&
               b->ownerShape(Axis::Lane)[1] == layout->ownerShape(Axis::Lane)[1],
           "rows and columns are dealt out on their own");
  return {a, b};
}

void LaneMath::tileMma(const Op &op) {
  auto [a, b] = operandsOfLanes(op, layouts_, b_.context());
  std::vector<Value *> operands = {in(op.operand(0), a), in(op.operand(1), b)};
  if (op.operandCount() > 2) operands.push_back(values_.of(op.operand(2)));
  values_.bind(op.result(), values_.copy(op, std::move(operands), {values_.typeOf(op.result())})->result());
}

} // namespace xt
