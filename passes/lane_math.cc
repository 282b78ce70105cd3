// Ops that move elements: products, transposes, reductions. Dimensions that a lane holds completely need no exchange.
#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/lane_distribution.h"

namespace xt {
namespace {

int dimOf(const Op &op) { return static_cast<int>(dimensionOf(op)); }
size_t at(int dim) { return static_cast<size_t>(dim); }

// The digits of a dimension that count within blocks of n adjacent elements; nullopt if a block boundary is not one
// of the digits.
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

const Layout *LaneDistribution::gathered(const Layout *layout, int dim) {
  std::vector<DimOf> dims;
  for (int d = 0; d < layout->rank(); ++d) dims.push_back({d == dim ? nullptr : layout, d});
  const Layout *found = layout->rank() > 1 ? combined(context_, dims, layout->shape()) : nullptr;
  return found ? found : layouts_.replicated(layout->shape());
}

// --- reductions and broadcasts ---------------------------------------------------------------------------------------

// Reduces first within each lane, then among the lanes that hold a block of adjacent elements.
void LaneDistribution::reduction(const Op &op) {
  int dim = dimOf(op);
  const Value *from = op.operand(0), *to = op.result();
  int64_t n = from->type().extent(dim) / to->type().extent(dim);
  const Layout *layout = layouts_.of(from), *given = grouped(context_, layout, dim, n);
  std::optional<std::vector<Factor>> digits = innerDigits(layout, dim, n);
  if (!given || !digits) {
    layout = gathered(layout, dim);
    given = grouped(context_, layout, dim, n);
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
    Op *reduced = create(OpKind::Reduction, {value}, {context_.vector(shape, value->type().elem())});
    ReductionOp(*reduced).setKind(kind);
    ReductionOp(*reduced).setDim(dim);
    if (!all) ReductionOp(*reduced).setReductionSize(inLane);
    value = reduced->result();
  }
  for (const Factor &digit : *digits) {
    if (digit.axis != Axis::Lane || digit.extent == 1) continue;
    Op *reduced = create(OpKind::SubgroupReduce, {value}, {value->type()});
    SubgroupReduceOp(*reduced).setKind(kind);
    if (digit.extent < lanes_) {
      SubgroupReduceOp(*reduced).setClusterSize(digit.extent);
      if (digit.stride > 1) SubgroupReduceOp(*reduced).setClusterStride(digit.stride);
    }
    value = reduced->result();
  }
  bind(to, converted(value, given, layouts_.of(to)));
}

void LaneDistribution::broadcast(const Op &op) {
  int dim = dimOf(op);
  const Value *from = op.operand(0), *to = op.result();
  int64_t n = to->type().extent(dim) / from->type().extent(dim);
  const Layout *layout = layouts_.of(to), *wanted = grouped(context_, layout, dim, n);
  if (!wanted || !innerDigits(layout, dim, n)) { // without this the block of an element would depend on the lane
    layout = gathered(layout, dim);
    wanted = grouped(context_, layout, dim, n);
    XT_CHECK(wanted, "registers of one lane repeat in blocks of any size");
  }
  Value *value = in(from, wanted);
  Type type = laneVector(layout, to->type().elem());
  int64_t times = type.extent(dim) / value->type().extent(dim);
  if (times > 1) {
    bool stretches = value->type().extent(dim) == 1;
    Op *made = create(OpKind::Broadcast, {value}, {type});
    BroadcastOp(*made).setDim(dim);
    if (!stretches) BroadcastOp(*made).setBroadcastSize(times);
    value = made->result();
  }
  bind(to, converted(value, layout, layouts_.of(to)));
}

// --- other shapes ----------------------------------------------------------------------------------------------------

void LaneDistribution::transpose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  const Layout *layout = transposed(context_, layouts_.of(op.operand(0)), permutation);
  Op *turned = create(OpKind::Transpose, {of(op.operand(0))}, {laneVector(layout, op.result()->type().elem())});
  TransposeOp(*turned).setPermutation(permutation);
  bind(op.result(), converted(turned->result(), layout, layouts_.of(op.result())));
}

void LaneDistribution::reshape(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  if (const Layout *layout = xt::reshaped(context_, layouts_.of(from), to->type().shape())) {
    Value *value = reshaped(of(from), layout->ownerShape(Axis::Lane));
    return bind(to, converted(value, layout, layouts_.of(to)));
  }
  std::span<const int64_t> before = from->type().shape(), after = to->type().shape();
  Source source = [&](std::span<const int64_t> index) -> std::optional<std::vector<int64_t>> {
    int64_t number = 0;
    for (size_t d = 0; d < after.size(); ++d) number = number * after[d] + index[d];
    std::vector<int64_t> place(before.size());
    for (size_t d = before.size(); d-- > 0; number /= before[d]) place[d] = number % before[d];
    return place;
  };
  bind(to, exchanged(of(from), layouts_.of(from), layouts_.of(to), source));
}

void LaneDistribution::extractSlice(const Op &op) {
  const Layout *whole = layouts_.of(op.operand(0)), *part = layouts_.of(op.result());
  std::vector<int64_t> offsets = ExtractStridedSliceOp(op).offsets();
  if (auto own = ownOffsets(whole, offsets, part, false))
    return bind(op.result(), slice(of(op.operand(0)), *own, part->ownerShape(Axis::Lane)));
  Source source = [&](std::span<const int64_t> index) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> place(index.begin(), index.end());
    for (size_t d = 0; d < place.size(); ++d) place[d] += offsets[d];
    return place;
  };
  bind(op.result(), exchanged(of(op.operand(0)), whole, part, source));
}

void LaneDistribution::insertSlice(const Op &op) {
  const Layout *part = layouts_.of(op.operand(0)), *whole = layouts_.of(op.result());
  std::vector<int64_t> offsets = InsertStridedSliceOp(op).offsets();
  Value *into = of(op.operand(1));
  if (auto own = ownOffsets(whole, offsets, part, true)) return bind(op.result(), placed(of(op.operand(0)), into, *own));
  Source source = [&](std::span<const int64_t> index) -> std::optional<std::vector<int64_t>> {
    std::vector<int64_t> place(index.begin(), index.end());
    for (size_t d = 0; d < place.size(); ++d) {
      place[d] -= offsets[d];
      if (place[d] < 0 || place[d] >= part->shape()[d]) return std::nullopt;
    }
    return place;
  };
  bind(op.result(), exchanged(of(op.operand(0)), part, whole, source, into));
}

// --- products --------------------------------------------------------------------------------------------------------

void LaneDistribution::dpas(const Op &op) {
  std::vector<Value *> operands;
  for (size_t i = 0; i < op.operandCount(); ++i) operands.push_back(in(op.operand(i), layouts_.ofProduct(op, i)));
  const Layout *layout = layouts_.ofProduct(op, 2);
  Value *product = copy(op, std::move(operands), {laneVector(layout, op.result()->type().elem())})->result();
  bind(op.result(), converted(product, layout, layouts_.of(op.result())));
}

// Each lane computes its own elements of the result from its rows of a and its columns of b.
void LaneDistribution::tileMma(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  auto operandLayout = [&](const Value *operand, DimOf rows, DimOf columns) {
    const Layout *made = combined(context_, std::array{rows, columns}, operand->type().shape());
    return made ? made : layouts_.replicated(operand->type().shape());
  };
  const Layout *a = operandLayout(op.operand(0), {layout, 0}, {nullptr, 0}),
               *b = operandLayout(op.operand(1), {nullptr, 0}, {layout, 1});
  XT_CHECK(a->ownerShape(Axis::Lane)[0] == layout->ownerShape(Axis::Lane)[0] &&
               b->ownerShape(Axis::Lane)[1] == layout->ownerShape(Axis::Lane)[1],
           "rows and columns are dealt out on their own");
  std::vector<Value *> operands = {in(op.operand(0), a), in(op.operand(1), b)};
  if (op.operandCount() > 2) operands.push_back(of(op.operand(2)));
  bind(op.result(), copy(op, std::move(operands), {laneType(op.result())})->result());
}

} // namespace xt
