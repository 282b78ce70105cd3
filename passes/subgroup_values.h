// Internal to the pass distribute-to-subgroups: what each value of the workgroup becomes in a subgroup.
#pragma once
#include "ir/builder.h"
#include "passes/subgroup_pieces.h"

#include <unordered_map>

namespace xt {

// A subgroup's values for one value of the workgroup: one per piece, in the order of Pieces. A scalar, a memref and what
// all subgroups hold is one value.
using Values = std::vector<Value *>;

class SubgroupValues {
public:
  explicit SubgroupValues(Builder &builder) : b_(builder) {}

  const Values &of(const Value *value) const { return values_.at(value); }
  Value *one(const Value *value) const { return values_.at(value)[0]; }
  // Those of each value, one after the other.
  Values ofAll(std::span<Value *const> values) const;

  // The new values take the old one's name. Where the old one's layout has lanes, or that of a new one, a new one of another
  // layout is converted.
  void bind(const Value *old, Values values);
  // Binds each old value, in order, to as many new values as it has pieces.
  void bindAll(std::span<Value *const> olds, const Values &news);

private:
  Value *asPieceOf(const Value *old, Value *value);

  Builder &b_;
  std::unordered_map<const Value *, Values> values_; // for lookup only; iteration order would not be deterministic
};

// The types that a subgroup's values have for values of these types.
std::vector<Type> subgroupTypes(Context &context, std::span<const Type> types);

} // namespace xt
