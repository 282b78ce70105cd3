// The names in scope at a position of a kernel, and their values. Rebinding a name in a nested block shadows it in that
// block; the lowering of loops and branches carries the new value out of the block.
#pragma once
#include "lang/check/name_index.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace xt {

struct BoundName {
  Value *value = nullptr; // null: the definition is invalid, which has been reported; uses report nothing
  bool fixed = false;     // a loop or grid variable, which cannot be rebound
  SourceRange range;      // the name in its last binding
};

class Environment {
public:
  // Records bindings in `index`, if it is not null.
  explicit Environment(NameIndex *index) : index_(index) {}
  void push() { scopes_.emplace_back(); }
  // Ends the innermost scope. Remembers the names that were first bound in it, so that messages can explain why they are
  // unknown afterwards.
  void pop();
  const BoundName *find(const std::string &name) const;
  void bind(const std::string &name, BoundName bound);
  // Binds an unknown name to null after its first use, so that it is reported only once.
  void forget(const std::string &name, SourceRange use) { scopes_.back()[name] = {nullptr, false, use}; }
  // The range of an unknown name's binding in a scope that has ended; null if there was none.
  const SourceRange *lost(const std::string &name) const;
  std::vector<std::string_view> names() const; // sorted

private:
  std::vector<std::unordered_map<std::string, BoundName>> scopes_;
  std::unordered_map<std::string, SourceRange> lost_;
  NameIndex *index_;
};

} // namespace xt
