// Internal to passes that decide for whole classes of values how they are cut or distributed. Vectors that an
// elementwise op connects, and values that loops and branches carry, form one class.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <vector>

namespace xt {

class ValueClasses {
public:
  // `isMember`: whether values of a type belong to a class.
  ValueClasses(Kernel &kernel, bool (*isMember)(Type type));

  // All members in program order. A class is identified by the number of its first member.
  const std::vector<const Value *> &values() const { return values_; }
  size_t count() const { return values_.size(); }
  size_t classOf(size_t number) const;
  size_t classOf(const Value *value) const { return classOf(numbers_.at(value)); }

private:
  void number(Block &block);
  void unite(const Value *a, const Value *b);
  void uniteAround(Op &op);

  bool (*isMember_)(Type type);
  std::unordered_map<const Value *, size_t> numbers_; // for lookup only; iteration order would not be deterministic
  std::vector<const Value *> values_;
  mutable std::vector<size_t> parents_;
};

} // namespace xt
