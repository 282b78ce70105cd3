// Numbers that depend only on the lane: its digits, its position along a dimension, tables of source lanes.
#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/lane_distribution.h"

#include <bit>

namespace xt {

Builder LaneDistribution::atTop() {
  Builder builder = b;
  if (Op *next = topEnd_ ? topEnd_->next() : kernel_.body.first())
    builder.setBefore(next);
  else
    builder.setEnd(kernel_.body);
  builder.setRange(kernel_.nameRange);
  return builder;
}

Value *LaneDistribution::top(OpKind kind, std::vector<Value *> operands, Type type) {
  Value *value = atTop().value(kind, std::move(operands), type);
  topEnd_ = value->definingOp();
  return value;
}

Value *LaneDistribution::topConstant(Type type, int64_t value) {
  Value *made = atTop().constantInt(type, value);
  topEnd_ = made->definingOp();
  return made;
}

Value *LaneDistribution::laneId() {
  if (!laneId_) {
    laneId_ = top(OpKind::LaneId, {}, context_.index());
    laneId_->setName("lane");
  }
  return laneId_;
}

// lane / stride % extent.
Value *LaneDistribution::digit(int64_t stride, int64_t extent) {
  Value *&known = digits_[{stride, extent}];
  if (known) return known;
  Value *value = laneId();
  if (stride > 1) value = top(OpKind::DivSI, {value, topConstant(context_.index(), stride)}, context_.index());
  if (stride * extent < lanes_) value = top(OpKind::RemSI, {value, topConstant(context_.index(), extent)}, context_.index());
  return known = value;
}

Value *LaneDistribution::place(const Layout *layout, int dim) {
  std::vector<std::array<int64_t, 3>> digits; // stride, extent, weight
  int64_t weight = 1;
  std::span<const Factor> factors = layout->factors(dim);
  for (size_t i = factors.size(); i-- > 0; weight *= factors[i].extent)
    if (factors[i].axis == Axis::Lane && factors[i].extent > 1)
      digits.push_back({factors[i].stride, factors[i].extent, weight});
  if (digits.empty()) return nullptr;
  Value *&known = places_[digits];
  if (known) return known;
  Value *sum = nullptr;
  for (auto [stride, extent, times] : digits) {
    Value *value = digit(stride, extent);
    if (times != 1) value = top(OpKind::MulI, {value, topConstant(context_.index(), times)}, context_.index());
    sum = sum ? top(OpKind::AddI, {sum, value}, context_.index()) : value;
  }
  return places_[digits] = sum;
}

Value *LaneDistribution::isFirstCopy(const Layout *layout) {
  if (!layout->isReplicated(Axis::Lane)) return nullptr;
  std::vector<bool> first(static_cast<size_t>(lanes_), true);
  for (int64_t lane = 0; lane < lanes_; ++lane)
    for (const Factor &copy : layout->replication())
      if (copy.axis == Axis::Lane && lane / copy.stride % copy.extent != 0) first[static_cast<size_t>(lane)] = false;
  return among(first);
}

Value *LaneDistribution::firstCopy(const Layout *layout) {
  std::vector<int64_t> table;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    int64_t first = lane;
    for (const Factor &copy : layout->replication())
      if (copy.axis == Axis::Lane) first -= lane / copy.stride % copy.extent * copy.stride;
    table.push_back(first);
  }
  return laneOf(table, std::vector<bool>(table.size(), true));
}

// The index within the lane's own elements, converted digit by digit, plus the part that depends on the lane number.
Value *LaneDistribution::indices(const Layout *layout, int dim) {
  Type type = laneVector(layout, Elem::Index);
  Op *count = create(OpKind::Iota, {}, {type});
  IotaOp(*count).setDim(dim);
  auto with = [&](OpKind kind, Value *x, int64_t constant) { return make(kind, {x, b.constantInt(type, constant)}, type); };
  Value *own = count->result(), *sum = nullptr;
  int64_t weight = 1, inLane = 1, extent = type.extent(dim);
  std::span<const Factor> factors = layout->factors(dim);
  for (size_t i = factors.size(); i-- > 0; weight *= factors[i].extent) {
    if (factors[i].axis == Axis::Lane) continue;
    Value *digit = inLane == 1 ? own : with(OpKind::DivSI, own, inLane);
    if (inLane * factors[i].extent < extent) digit = with(OpKind::RemSI, digit, factors[i].extent);
    if (weight != 1) digit = with(OpKind::MulI, digit, weight);
    sum = sum ? make(OpKind::AddI, {sum, digit}, type) : digit;
    inLane *= factors[i].extent;
  }
  if (!sum) sum = b.constantInt(type, 0);
  Value *lane = place(layout, dim);
  return lane ? make(OpKind::AddI, {sum, splat(lane, type)}, type) : sum;
}

// --- tables ----------------------------------------------------------------------------------------------------------

Value *LaneDistribution::among(const std::vector<bool> &lanes) {
  Value *&known = groups_[lanes];
  if (known) return known;
  Type wide = context_.scalar(Elem::I64);
  int64_t mask = 0;
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    if (lanes[lane]) mask |= int64_t{1} << lane;
  Value *compared;
  if ((mask & (mask + 1)) == 0) { // a prefix of the lanes
    compared =
        top(OpKind::CmpI, {laneId(), topConstant(context_.index(), std::popcount(static_cast<uint64_t>(mask)))}, context_.i1());
    CmpIOp(*compared->definingOp()).setKind(CmpIKind::Slt);
    return groups_[lanes] = compared;
  }
  Value *lane = top(OpKind::IndexCast, {laneId()}, wide);
  Value *bit = top(OpKind::ShRUI, {topConstant(wide, mask), lane}, wide);
  bit = top(OpKind::AndI, {bit, topConstant(wide, 1)}, wide);
  compared = top(OpKind::CmpI, {bit, topConstant(wide, 0)}, context_.i1());
  CmpIOp(*compared->definingOp()).setKind(CmpIKind::Ne);
  return groups_[lanes] = compared;
}

namespace {

// A formula with table[lane] == lane / divisor % modulus * factor + constant for all lanes in `wanted`.
struct Formula {
  int64_t divisor, modulus, factor, constant;
  int64_t of(int64_t lane) const { return lane / divisor % modulus * factor + constant; }
};
std::optional<Formula> formulaOf(const std::vector<int64_t> &table, const std::vector<bool> &wanted) {
  auto lanes = static_cast<int64_t>(table.size());
  for (int64_t modulus = 1; modulus <= lanes; modulus *= 2)
    for (int64_t divisor = 1; divisor < lanes; divisor *= 2)
      for (int64_t factor = 1; factor <= lanes; factor *= 2) {
        Formula formula = {divisor, modulus, factor, 0};
        bool fits = true, any = false;
        for (int64_t lane = 0; lane < lanes && fits; ++lane) {
          if (!wanted[static_cast<size_t>(lane)]) continue;
          int64_t difference = table[static_cast<size_t>(lane)] - formula.of(lane);
          if (!any)
            formula.constant = difference, any = true;
          else
            fits = difference == 0;
        }
        if (fits) return formula;
      }
  return std::nullopt;
}

} // namespace

// The lane from which each lane reads. A table that no formula describes is stored in constants, one byte per lane.
Value *LaneDistribution::laneOf(const std::vector<int64_t> &table, const std::vector<bool> &wanted) {
  std::vector<int64_t> key = table;
  for (size_t lane = 0; lane < key.size(); ++lane)
    if (!wanted[lane]) key[lane] = -1;
  Value *&known = tables_[key];
  if (known) return known;
  Type number = context_.index(), wide = context_.scalar(Elem::I64);
  Value *value = nullptr;
  if (std::optional<Formula> f = formulaOf(table, wanted)) {
    if (f->modulus > 1) value = digit(f->divisor, f->modulus);
    if (value && f->factor > 1) value = top(OpKind::MulI, {value, topConstant(number, f->factor)}, number);
    if (!value)
      value = topConstant(number, f->constant);
    else if (f->constant)
      value = top(OpKind::AddI, {value, topConstant(number, f->constant)}, number);
    return tables_[key] = value;
  }
  Value *shift = top(OpKind::IndexCast, {digit(1, 8)}, wide);
  shift = top(OpKind::MulI, {shift, topConstant(wide, 8)}, wide);
  Value *word = nullptr;
  for (size_t first = 0; first < key.size(); first += 8) {
    uint64_t bytes = 0;
    for (size_t lane = first; lane < first + 8 && lane < key.size(); ++lane)
      bytes |= static_cast<uint64_t>(std::max<int64_t>(0, key[lane])) << (8 * (lane - first));
    Value *own = topConstant(wide, static_cast<int64_t>(bytes));
    std::vector<bool> behind(key.size());
    for (size_t lane = first; lane < key.size(); ++lane) behind[lane] = true;
    word = word ? top(OpKind::Select, {among(behind), own, word}, wide) : own;
  }
  word = top(OpKind::ShRUI, {word, shift}, wide);
  word = top(OpKind::AndI, {word, topConstant(wide, 255)}, wide);
  return tables_[key] = top(OpKind::IndexCast, {word}, number);
}

} // namespace xt
