#include "passes/subgroup_places.h"

#include "ir/context.h"
#include "ir/op_kinds.h"
#include "passes/conditional_ops.h"
#include "passes/index_arithmetic.h"

namespace xt {

Value *SubgroupPlaces::id() {
  if (!id_) {
    id_ = prologue_.value(OpKind::SubgroupId, {}, b_.context().index());
    id_->setName("sg");
  }
  return id_;
}

// Returns the digit `id / stride % extent * weight` of the subgroup's id.
Value *SubgroupPlaces::digit(const SubgroupDigit &digit) {
  Value *&known = digits_[{digit.stride, digit.extent, digit.weight}];
  if (known) return known;
  known = id();
  auto apply = [&](OpKind kind, int64_t by) {
    Value *constant = prologue_.index(by);
    known = prologue_.value(kind, {known, constant}, b_.context().index());
  };
  if (digit.stride != 1) apply(OpKind::DivSI, digit.stride);
  if (digit.stride * digit.extent < subgroups_) apply(OpKind::RemSI, digit.extent);
  if (digit.weight != 1) apply(OpKind::MulI, digit.weight);
  return known;
}

Value *SubgroupPlaces::of(const std::vector<SubgroupDigit> &digits) {
  if (digits.empty()) return nullptr;
  std::vector<DigitKey> key;
  for (const SubgroupDigit &d : digits) key.push_back({d.stride, d.extent, d.weight});
  Value *&known = places_[key];
  if (known) return known;
  for (const SubgroupDigit &d : digits) {
    Value *next = digit(d);
    known = known ? prologue_.value(OpKind::AddI, {known, next}, b_.context().index()) : next;
  }
  return known;
}

Value *SubgroupPlaces::indexOf(const DimPieces &dim, size_t start) { return sumOf(b_, of(dim.digits), dim.starts[start]); }

void SubgroupPlaces::onlyWhereZero(const std::vector<SubgroupDigit> &digits, const std::function<void()> &body) {
  Value *place = of(digits);
  onlyWhere(b_, place ? isEqual(b_, place, 0) : nullptr, body);
}

} // namespace xt
