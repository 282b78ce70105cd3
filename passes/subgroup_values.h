// Internal to the pass distribute-to-subgroups: maps each value of the workgroup to the values of a subgroup that replace it.
#pragma once
#include "ir/builder.h"
#include "passes/subgroup_pieces.h"

#include <unordered_map>

namespace xt {

// A subgroup's values for one value of the workgroup: one per piece, in the order of Pieces. A value without pieces
// (hasPieces), such as a scalar or a memref, becomes one value.
using Values = std::vector<Value *>;

class SubgroupValues {
public:
  explicit SubgroupValues(Builder &builder) : b_(builder) {}

  const Values &of(const Value *value) const { return values_.at(value); }
  Value *one(const Value *value) const { return values_.at(value)[0]; }
  // The subgroup's values for each of `values`, one after the other.
  Values ofAll(std::span<Value *const> values) const;

  // Lets `values` replace `old`. They take the name of `old` if they have none. A value whose lanes do not have the layout of
  // the pieces of `old` is converted.
  void bind(const Value *old, Values values);
  // Binds each old value, in order, to as many new values as it has pieces.
  void bindAll(std::span<Value *const> olds, const Values &news);

private:
  Value *asPieceOf(const Value *old, Value *value);

  Builder &b_;
  std::unordered_map<const Value *, Values> values_; // for lookup only; iteration order would not be deterministic
};

// The types of a subgroup's values for workgroup values of these types.
std::vector<Type> subgroupTypes(Context &context, std::span<const Type> types);

} // namespace xt
