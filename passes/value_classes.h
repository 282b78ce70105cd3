// Internal to passes that decide for classes of values how each is cut or dealt out: vectors that an op computes element
// by element, and what loops and branches carry, are one class.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <vector>

namespace xt {

class ValueClasses {
public:
  // `isMember`: whether values of a type belong to a class at all.
  ValueClasses(Kernel &kernel, bool (*isMember)(Type type));

  // All members in program order; a class is known by the number of its first member.
  const std::vector<const Value *> &values() const { return values_; }
  size_t count() const { return values_.size(); }
  size_t classOf(size_t number) const;
  size_t classOf(const Value *value) const { return classOf(numbers_.at(value)); }

private:
  void number(Block &block);
  void unite(const Value *a, const Value *b);
  void uniteAround(Op &op);

  bool (*isMember_)(Type type);
  std::unordered_map<const Value *, size_t> numbers_; // looked up only
  std::vector<const Value *> values_;
  mutable std::vector<size_t> parents_;
};

} // namespace xt
