#include "targets/llvm/lane/index_ranges.h"

#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <numeric>

namespace xt {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
// Loops nested deeper than this are visited only once, because each level visits its body two to four times.
constexpr int kDeepLoops = 4;

Interval joined(Interval x, Interval y) { return {std::min(x.low, y.low), std::max(x.high, y.high)}; }

// The smallest interval that contains all numbers; the full range if one does not fit into 64 bits.
Interval around(std::initializer_list<__int128> numbers) {
  __int128 low = *std::min_element(numbers.begin(), numbers.end()), high = *std::max_element(numbers.begin(), numbers.end());
  if (low < kLeast || high > kMost) return {};
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

using Wide = __int128;

Interval sum(Interval x, Interval y) { return around({Wide{x.low} + y.low, Wide{x.high} + y.high}); }
Interval difference(Interval x, Interval y) { return around({Wide{x.low} - y.high, Wide{x.high} - y.low}); }
Interval product(Interval x, Interval y) {
  return around({Wide{x.low} * y.low, Wide{x.low} * y.high, Wide{x.high} * y.low, Wide{x.high} * y.high});
}

// Rounding down or up gives a quotient that differs from the truncated one by at most one, on either side.
Interval quotient(Interval x, Interval y, bool truncates) {
  if (y.low <= 0) return {};
  Interval exact = around({Wide{x.low} / y.low, Wide{x.low} / y.high, Wide{x.high} / y.low, Wide{x.high} / y.high});
  return truncates ? exact : sum(exact, {-1, 1});
}

Interval remainder(Interval x, Interval y) {
  if (y.low <= 0) return {};
  int64_t most = y.high - 1;
  return {x.low < 0 ? std::max(x.low, -most) : 0, x.high > 0 ? std::min(x.high, most) : 0};
}

Interval ofType(Elem elem) {
  const ElemInfo &info = elemInfo(elem);
  if (info.isFloat || info.bits >= 64) return {};
  if (info.isUnsigned || elem == Elem::I1) return {0, (int64_t{1} << info.bits) - 1};
  int64_t half = int64_t{1} << (info.bits - 1);
  return {-half, half - 1};
}

bool isInside(Interval x, Interval y) { return x.low >= y.low && x.high <= y.high; }

// The maximum number of iterations of a loop; nullopt if it is unknown.
std::optional<int64_t> mostRounds(Interval lower, Interval upper, Interval step) {
  if (step.low <= 0 || lower.low == kLeast || upper.high == kMost) return std::nullopt;
  Wide rounds = (Wide{upper.high} - lower.low + step.low - 1) / step.low;
  if (rounds > kMost) return std::nullopt;
  return std::max<int64_t>(0, static_cast<int64_t>(rounds));
}

const Op *yieldOf(const Block &block) {
  const Op *last = block.last();
  return last && last->kind() == OpKind::Yield ? last : nullptr;
}

bool movesWindow(const Op &op) {
  return op.info().typeRule == TypeRule::UpdateTileOffset || op.info().typeRule == TypeRule::UpdateNdOffset;
}

} // namespace

IndexRanges::IndexRanges(const Kernel &kernel, std::vector<ExtentFacts> facts)
    : kernel_(kernel), divisors_(kernel), facts_(std::move(facts)) {
  visit(kernel.gridBlock, 0);
  setGrid();
  visit(kernel.body, 0);
}

Interval IndexRanges::of(const Value *scalar) const {
  auto found = scalars_.find(scalar);
  return found == scalars_.end() ? ofType(scalar->type().elem()) : found->second;
}

Interval IndexRanges::ofWindow(const Value *window, size_t dim) const {
  auto found = windows_.find(window);
  return found == windows_.end() ? Interval() : found->second[dim];
}

Interval IndexRanges::get(Cell cell) const {
  return cell.value->type().isWindow() ? ofWindow(cell.value, cell.dim) : of(cell.value);
}

void IndexRanges::set(Cell cell, Interval interval) {
  if (cell.value->type().isWindow())
    windows_[cell.value][cell.dim] = interval;
  else
    scalars_[cell.value] = interval;
}

void IndexRanges::setGrid() {
  for (const GridDim &dim : kernel_.grid) {
    Interval lower = of(dim.lower), upper = of(dim.upper);
    scalars_[dim.variable] = {lower.low, std::max(lower.low, upper.high == kLeast ? kLeast : upper.high - 1)};
  }
}

void IndexRanges::visit(const Block &block, int depth) {
  for (const Op &op : block) visit(op, depth);
}

void IndexRanges::visit(const Op &op, int depth) {
  switch (op.info().typeRule) {
  case TypeRule::For: return visitFor(op, depth);
  case TypeRule::While: return visitWhile(op, depth);
  case TypeRule::If: return visitIf(op, depth);
  case TypeRule::InitTile:
  case TypeRule::CreateNdTdesc:
  case TypeRule::UpdateTileOffset:
  case TypeRule::UpdateNdOffset: return visitWindow(op);
  default: break;
  }
  if (op.resultCount() != 1 || !op.result()->type().isScalar() || isFloat(op.result()->type().elem())) return;
  Interval known = arithmetic(op), possible = ofType(op.result()->type().elem());
  scalars_[op.result()] = isInside(known, possible) ? known : possible; // a value that does not fit wraps around
}

Interval IndexRanges::arithmetic(const Op &op) const {
  auto at = [&](size_t i) { return of(op.operand(i)); };
  // Intervals are signed, so they cannot describe u64. Ops on vectors are not followed, but `dim` is, whose operand is a
  // memref.
  bool plain = op.result()->type().elem() != Elem::U64;
  for (const Value *operand : op.operands())
    plain &= operand->type().elem() != Elem::U64 && (operand->type().isScalar() || op.kind() == OpKind::Dim);
  if (!plain) return {};
  switch (op.kind()) {
  case OpKind::Constant: {
    std::optional<int64_t> value = constantInt(*op.result());
    return value ? Interval{*value, *value} : Interval();
  }
  case OpKind::AddI: return sum(at(0), at(1));
  case OpKind::SubI: return difference(at(0), at(1));
  case OpKind::MulI: return product(at(0), at(1));
  case OpKind::DivSI: return quotient(at(0), at(1), true);
  case OpKind::FloorDivSI:
  case OpKind::CeilDivSI: return quotient(at(0), at(1), false);
  case OpKind::RemUI:
    if (at(1).low <= 0) return {};
    return {0, at(0).low < 0 ? at(1).high - 1 : std::min(at(0).high, at(1).high - 1)};
  case OpKind::RemSI: {
    Interval rest = remainder(at(0), at(1));
    if (at(1).low != at(1).high || at(1).low <= 0) return rest;
    int64_t most = at(1).low - std::gcd(divisors_.divisor(op.operand(0)),
                                        at(1).low); // the remainder is a multiple of the greatest common divisor
    return {std::max(rest.low, -most), std::min(rest.high, most)};
  }
  case OpKind::MinSI: return {std::min(at(0).low, at(1).low), std::min(at(0).high, at(1).high)};
  case OpKind::MaxSI: return {std::max(at(0).low, at(1).low), std::max(at(0).high, at(1).high)};
  case OpKind::AndI:
    if (at(0).low >= 0 || at(1).low >= 0)
      return {0, std::min(at(0).low >= 0 ? at(0).high : kMost, at(1).low >= 0 ? at(1).high : kMost)};
    return {};
  case OpKind::Select: return op.operand(1)->type().isScalar() ? joined(at(1), at(2)) : Interval();
  case OpKind::IndexCast:
  case OpKind::ExtSI: return at(0);
  case OpKind::Dim: return extent(op);
  case OpKind::SubgroupId: return {0, kernel_.subgroups - 1};
  case OpKind::LaneId: return {0, kernel_.lanes - 1};
  case OpKind::BlockId: return {0, kMostExtent};
  default: return {};
  }
}

Interval IndexRanges::extent(const Op &dim) const {
  const Value *memref = dim.operand(0);
  Type type = memref->type();
  std::optional<int64_t> d = constantInt(*dim.operand(1));
  if (!d || *d < 0 || *d >= type.rank()) return {0, kMostExtent};
  if (type.extent(static_cast<int>(*d)) != kDynamic)
    return {type.extent(static_cast<int>(*d)), type.extent(static_cast<int>(*d))};
  if (!memref->definingOp())
    for (const ExtentFacts &fact : facts_) {
      if (memref->index() != fact.param) continue;
      if (*d == type.rank() - 1) return fact.columns;
      if (*d == type.rank() - 2) return fact.rows;
    }
  return {0, kMostExtent};
}

void IndexRanges::visitWindow(const Op &op) {
  const Value *result = op.result();
  if (result->type().data().scatter) return;
  Windows own;
  if (movesWindow(op)) {
    bool matrix = op.operandCount() == 3;
    own[0] = matrix ? sum(ofWindow(op.operand(0), 0), of(op.operand(1))) : ofWindow(op.operand(0), 0);
    own[1] = sum(ofWindow(op.operand(0), 1), of(op.operand(matrix ? 2 : 1)));
  } else {
    Type base = op.operand(0)->type();
    auto rank = static_cast<size_t>(base.isMemRef() ? base.rank() : result->type().rank());
    if (rank == 1)
      own = {Interval{0, 0}, base.isMemRef() ? of(op.operand(1)) : Interval()};
    else
      own = {of(op.operand(rank - 1)), of(op.operand(rank))};
  }
  windows_[result] = own;
}

std::optional<Interval> IndexRanges::moved(Cell from, const Value *to) const {
  Interval total{0, 0};
  while (to != from.value) {
    const Op *op = to->definingOp();
    if (!op) return std::nullopt;
    if (op->kind() == OpKind::AddI && constantInt(*op->operand(0))) {
      total = sum(total, of(op->operand(0)));
      to = op->operand(1);
    } else if (op->kind() == OpKind::AddI || op->kind() == OpKind::SubI) {
      total = op->kind() == OpKind::AddI ? sum(total, of(op->operand(1))) : difference(total, of(op->operand(1)));
      to = op->operand(0);
    } else if (movesWindow(*op)) {
      bool matrix = op->operandCount() == 3;
      if (from.dim == 1 || matrix) total = sum(total, of(op->operand(matrix ? 1 + from.dim : 1)));
      to = op->operand(0);
    } else {
      return std::nullopt;
    }
  }
  return total;
}

void IndexRanges::visitFor(const Op &op, int depth) {
  const Block &body = *op.region(0);
  const Op *yield = yieldOf(body);
  Interval lower = of(op.operand(0)), upper = of(op.operand(1)), step = of(op.operand(2));
  scalars_[body.param(0)] = {lower.low, std::max(lower.low, upper.high == kLeast ? kLeast : upper.high - 1)};
  for (size_t i = 0; i < op.resultCount(); ++i) scalars_.erase(body.param(1 + i)), windows_.erase(body.param(1 + i));
  visit(body, depth + 1); // assumes nothing about loop-carried values
  std::optional<int64_t> rounds = mostRounds(lower, upper, step);
  for (size_t i = 0; i < op.resultCount(); ++i) {
    const Value *param = body.param(1 + i), *result = op.result(i), *init = op.operand(3 + i), *next = yield->operand(i);
    bool window = param->type().isWindow() && !param->type().data().scatter,
         scalar = param->type().isScalar() && isInteger(param->type().elem());
    for (size_t d = 0; d < (window ? 2u : scalar ? 1u : 0u); ++d) {
      Interval first = get({init, d});
      std::optional<Interval> delta = moved({param, d}, next);
      Interval inside = joined(first, get({next, d})), after = inside;
      if (delta && rounds) {
        Interval last = *rounds > 0 ? product(*delta, {0, *rounds - 1}) : Interval{0, 0};
        inside = sum(first, last);
        after = joined(first, sum(inside, *delta));
      }
      // A result that is used is in the same register as the parameter, so the parameter's range includes it.
      bool used = !result->uses().empty();
      set({param, d}, used ? joined(inside, after) : inside);
      set({result, d}, after);
    }
  }
  if (depth < kDeepLoops) {
    visit(body, depth + 1);
    narrow(op, depth);
  }
}

// Tries to show that loop-carried values never fall below their initial values: if one iteration preserves this, all do.
void IndexRanges::narrow(const Op &op, int depth) {
  const Block &body = *op.region(0);
  const Op *yield = yieldOf(body);
  std::vector<std::pair<size_t, Interval>> tried; // the index of the carried value, and its known range so far
  for (size_t i = 0; i < op.resultCount(); ++i) {
    const Value *param = body.param(1 + i);
    if (!param->type().isScalar() || !isInteger(param->type().elem())) continue;
    Interval known = of(param), tighter{of(op.operand(3 + i)).low, known.high};
    if (tighter == known) continue;
    tried.emplace_back(i, known);
    scalars_[param] = tighter;
  }
  if (tried.empty()) return;
  visit(body, depth + 1);
  bool holds = std::ranges::all_of(
      tried, [&](const auto &each) { return isInside(of(yield->operand(each.first)), of(body.param(1 + each.first))); });
  for (const auto &[i, known] : tried) {
    if (holds)
      scalars_[op.result(i)] = of(body.param(1 + i));
    else
      scalars_[body.param(1 + i)] = known;
  }
  if (!holds) visit(body, depth + 1);
}

void IndexRanges::visitWhile(const Op &op, int depth) {
  for (size_t i = 0; i < op.resultCount(); ++i) scalars_.erase(op.region(0)->param(i)), windows_.erase(op.region(0)->param(i));
  visit(*op.region(0), depth);
}

void IndexRanges::visitIf(const Op &op, int depth) {
  for (size_t r = 0; r < op.regionCount(); ++r) visit(*op.region(r), depth);
  for (size_t i = 0; i < op.resultCount(); ++i) {
    const Value *result = op.result(i);
    bool window = result->type().isWindow() && !result->type().data().scatter,
         scalar = result->type().isScalar() && isInteger(result->type().elem());
    for (size_t d = 0; d < (window ? 2u : scalar ? 1u : 0u); ++d) {
      Interval all = get({yieldOf(*op.region(0))->operand(i), d});
      for (size_t r = 1; r < op.regionCount(); ++r) all = joined(all, get({yieldOf(*op.region(r))->operand(i), d}));
      set({result, d}, all);
    }
  }
}

} // namespace xt
