// Internal to the pass distribute-to-lanes: what each value of a subgroup becomes in a lane. A vector becomes the fragment of
// the lane's own elements, a scalar stays.
#pragma once
#include "ir/builder.h"
#include "ir/context.h"
#include "passes/lane_layouts.h"

namespace xt {

class FragmentValues {
public:
  FragmentValues(Builder &builder, const LaneLayouts &layouts) : b_(builder), layouts_(layouts) {}

  Value *of(const Value *value) const { return values_.at(value); }
  std::vector<Value *> ofAll(std::span<Value *const> values) const;
  // The new value takes the old one's name.
  void bind(const Value *old, Value *value);

  // The types of what a value becomes, and of a fragment of a vector with this layout.
  Type typeOf(const Value *value) const;
  Type fragment(const Layout *layout, Elem elem) const;

  // The same op on other operands.
  Op *copy(const Op &op, std::vector<Value *> operands, std::vector<Type> results);
  // The same op on what its operands become: for scalars, and where each lane performs it on its own elements.
  void repeat(const Op &op);

private:
  Builder &b_;
  const LaneLayouts &layouts_;
  std::unordered_map<const Value *, Value *> values_; // for lookup only; iteration order would not be deterministic
};

} // namespace xt
