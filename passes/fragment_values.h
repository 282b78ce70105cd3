// Internal to the pass distribute-to-lanes: maps each value of a subgroup to the value of a lane that replaces it. A vector
// becomes the fragment of the lane's own elements; a scalar stays a scalar.
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
  // Lets `value` replace `old`. It takes the name of `old` if it has none.
  void bind(const Value *old, Value *value);

  // The type of the value that replaces `value`, and the type of a fragment of a vector with this layout.
  Type typeOf(const Value *value) const;
  Type fragment(const Layout *layout, Elem elem) const;

  // Creates a copy of the op with these operands and result types.
  Op *copy(const Op &op, std::vector<Value *> operands, std::vector<Type> results);
  // Creates a copy of the op on the values that replace its operands: for scalars, and if each lane performs the op on its own
  // elements.
  void repeat(const Op &op);

private:
  Builder &b_;
  const LaneLayouts &layouts_;
  std::unordered_map<const Value *, Value *> values_; // for lookup only; iteration order would not be deterministic
};

} // namespace xt
