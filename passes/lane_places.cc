#include "passes/lane_places.h"

#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/vector_slices.h"

#include <bit>

namespace xt {

Value *LanePlaces::id() {
  if (!id_) {
    id_ = prologue_.value(OpKind::LaneId, {}, b_.context().index());
    id_->setName("lane");
  }
  return id_;
}

// Returns the digit `lane / stride % extent` of the lane's number.
Value *LanePlaces::digit(int64_t stride, int64_t extent) {
  Value *&known = digits_[{stride, extent}];
  if (known) return known;
  Value *value = id();
  if (stride > 1) value = prologue_.value(OpKind::DivSI, {value, prologue_.index(stride)}, b_.context().index());
  if (stride * extent < lanes_) value = prologue_.value(OpKind::RemSI, {value, prologue_.index(extent)}, b_.context().index());
  return known = value;
}

Value *LanePlaces::of(const Layout *layout, int dim) {
  std::vector<Digit> digits;
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
    if (times != 1) value = prologue_.value(OpKind::MulI, {value, prologue_.index(times)}, b_.context().index());
    sum = sum ? prologue_.value(OpKind::AddI, {sum, value}, b_.context().index()) : value;
  }
  return places_[digits] = sum;
}

Value *LanePlaces::isFirstCopy(const Layout *layout) {
  if (!layout->isReplicated(Axis::Lane)) return nullptr;
  std::vector<bool> first(static_cast<size_t>(lanes_), true);
  for (int64_t lane = 0; lane < lanes_; ++lane)
    for (const Factor &copy : layout->replication())
      if (copy.axis == Axis::Lane && lane / copy.stride % copy.extent != 0) first[static_cast<size_t>(lane)] = false;
  return among(first);
}

Value *LanePlaces::firstCopy(const Layout *layout) {
  std::vector<int64_t> table;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    int64_t first = lane;
    for (const Factor &copy : layout->replication())
      if (copy.axis == Axis::Lane) first -= lane / copy.stride % copy.extent * copy.stride;
    table.push_back(first);
  }
  return entryOf(table, std::vector<bool>(table.size(), true));
}

Value *LanePlaces::isFirst() {
  std::vector<bool> first(static_cast<size_t>(lanes_));
  first[0] = true;
  return among(first);
}

// Each index is the sum of a part that depends on the position in the fragment, converted digit by digit, and a part that
// depends on the lane's number.
Value *LanePlaces::indices(const Layout *layout, int dim) {
  Type type = b_.context().vector(layout->ownerShape(Axis::Lane), Elem::Index);
  Op *count = b_.create(OpKind::Iota, {}, {type});
  IotaOp(*count).setDim(dim);
  auto with = [&](OpKind kind, Value *x, int64_t constant) {
    return b_.value(kind, {x, b_.constantInt(type, constant)}, type);
  };
  Value *own = count->result(), *sum = nullptr;
  int64_t weight = 1, inLane = 1, extent = type.extent(dim);
  std::span<const Factor> factors = layout->factors(dim);
  for (size_t i = factors.size(); i-- > 0; weight *= factors[i].extent) {
    if (factors[i].axis == Axis::Lane) continue;
    Value *digit = inLane == 1 ? own : with(OpKind::DivSI, own, inLane);
    if (inLane * factors[i].extent < extent) digit = with(OpKind::RemSI, digit, factors[i].extent);
    if (weight != 1) digit = with(OpKind::MulI, digit, weight);
    sum = sum ? b_.value(OpKind::AddI, {sum, digit}, type) : digit;
    inLane *= factors[i].extent;
  }
  if (!sum) sum = b_.constantInt(type, 0);
  Value *lane = of(layout, dim);
  return lane ? b_.value(OpKind::AddI, {sum, splatOf(b_, lane, type)}, type) : sum;
}

// --- tables ----------------------------------------------------------------------------------------------------------

Value *LanePlaces::among(const std::vector<bool> &lanes) {
  Value *&known = groups_[lanes];
  if (known) return known;
  Type wide = b_.context().scalar(Elem::I64);
  int64_t mask = 0;
  for (size_t lane = 0; lane < lanes.size(); ++lane)
    if (lanes[lane]) mask |= int64_t{1} << lane;
  Value *compared;
  if ((mask & (mask + 1)) == 0) { // the lanes are those below some number
    compared =
        prologue_.value(OpKind::CmpI, {id(), prologue_.index(std::popcount(static_cast<uint64_t>(mask)))}, b_.context().i1());
    CmpIOp(*compared->definingOp()).setKind(CmpIKind::Slt);
    return groups_[lanes] = compared;
  }
  Value *lane = prologue_.value(OpKind::IndexCast, {id()}, wide);
  Value *bit = prologue_.value(OpKind::ShRUI, {prologue_.constant(wide, mask), lane}, wide);
  bit = prologue_.value(OpKind::AndI, {bit, prologue_.constant(wide, 1)}, wide);
  compared = prologue_.value(OpKind::CmpI, {bit, prologue_.constant(wide, 0)}, b_.context().i1());
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

// A table that no formula describes is stored in 64-bit constants, one byte per lane.
Value *LanePlaces::entryOf(const std::vector<int64_t> &table, const std::vector<bool> &wanted) {
  std::vector<int64_t> key = table;
  for (size_t lane = 0; lane < key.size(); ++lane)
    if (!wanted[lane]) key[lane] = -1;
  Value *&known = tables_[key];
  if (known) return known;
  Type number = b_.context().index(), wide = b_.context().scalar(Elem::I64);
  Value *value = nullptr;
  if (std::optional<Formula> f = formulaOf(table, wanted)) {
    if (f->modulus > 1) value = digit(f->divisor, f->modulus);
    if (value && f->factor > 1) value = prologue_.value(OpKind::MulI, {value, prologue_.index(f->factor)}, number);
    if (!value)
      value = prologue_.index(f->constant);
    else if (f->constant)
      value = prologue_.value(OpKind::AddI, {value, prologue_.index(f->constant)}, number);
    return tables_[key] = value;
  }
  Value *shift = prologue_.value(OpKind::IndexCast, {digit(1, 8)}, wide);
  shift = prologue_.value(OpKind::MulI, {shift, prologue_.constant(wide, 8)}, wide);
  Value *word = nullptr;
  for (size_t first = 0; first < key.size(); first += 8) {
    uint64_t bytes = 0;
    for (size_t lane = first; lane < first + 8 && lane < key.size(); ++lane)
      bytes |= static_cast<uint64_t>(std::max<int64_t>(0, key[lane])) << (8 * (lane - first));
    Value *own = prologue_.constant(wide, static_cast<int64_t>(bytes));
    std::vector<bool> behind(key.size());
    for (size_t lane = first; lane < key.size(); ++lane) behind[lane] = true;
    word = word ? prologue_.value(OpKind::Select, {among(behind), own, word}, wide) : own;
  }
  word = prologue_.value(OpKind::ShRUI, {word, shift}, wide);
  word = prologue_.value(OpKind::AndI, {word, prologue_.constant(wide, 255)}, wide);
  return tables_[key] = prologue_.value(OpKind::IndexCast, {word}, number);
}

} // namespace xt
