// The names in force at a place of a kernel, and what is bound to them. Rebinding a name in a nested block shadows it
// there; the lowering of loops and branches carries it out.
#pragma once
#include "lang/check/name_index.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace xt {

struct BoundName {
  Value *value = nullptr; // null: its definition was wrong and has been reported; uses stay quiet
  bool fixed = false;     // loop and grid variables
  SourceRange range;      // where it was bound last
};

class Environment {
public:
  // What is bound is noted in `index`; null: nowhere.
  explicit Environment(NameIndex *index) : index_(index) {}
  void push() { scopes_.emplace_back(); }
  // Names bound first in the scope that ends are remembered, to say why they are unknown afterwards.
  void pop();
  const BoundName *find(const std::string &name) const;
  void bind(const std::string &name, BoundName bound);
  // Binds to nothing a name that was used and is unknown, so that it is reported once.
  void forget(const std::string &name, SourceRange use) { scopes_.back()[name] = {nullptr, false, use}; }
  // Where a name that is unknown now was bound in a scope that has ended; null if nowhere.
  const SourceRange *lost(const std::string &name) const;
  std::vector<std::string_view> names() const; // sorted

private:
  std::vector<std::unordered_map<std::string, BoundName>> scopes_;
  std::unordered_map<std::string, SourceRange> lost_;
  NameIndex *index_;
};

} // namespace xt
