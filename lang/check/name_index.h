// What checking learns about the names of a file, for editors: which range of the text means what, and of which type it
// is. The checker fills it while it works; nobody who only compiles asks for it.
#pragma once
#include "ir/host.h"
#include "ir/op.h"
#include "lang/ast.h"

#include <vector>

namespace xt {

enum class NameKind : uint8_t { Value, Alias, TypeAlias, Param, Kernel, Op, HostFn };

struct NameUse {
  NameKind kind = NameKind::Value;
  bool isDefinition = false;
  SourceRange range;           // as written, with its sigil
  SourceRange target;          // of the definition's name; of a definition its own. None of ops and host functions
  Type type = {};              // Value: null where its definition is wrong, or where a test's buffer is meant
  const OpInfo *op = nullptr;  // Op: the row that was chosen
  const HostFnInfo *fn = nullptr;
};

class NameIndex {
public:
  void use(NameKind kind, SourceRange range, SourceRange target) { uses_.push_back({kind, false, range, target}); }
  void use(SourceRange range, const Value *value, SourceRange target) { addValue({NameKind::Value, false, range, target}, value); }
  void declare(NameKind kind, SourceRange range) { uses_.push_back({kind, true, range, range}); }
  void define(SourceRange range, const Value *value) { addValue({NameKind::Value, true, range, range}, value); }
  void op(SourceRange range, const OpInfo &info) { uses_.push_back({NameKind::Op, false, range, {}, {}, &info}); }
  void host(SourceRange range, const HostFnInfo &fn) { uses_.push_back({NameKind::HostFn, false, range, {}, {}, nullptr, &fn}); }
  // The bindings at these places are of one variable: the second rebinds what the first has bound.
  void join(SourceRange first, SourceRange second) { joined_.emplace_back(first, second); }

  // Reads the types of values; to be called before the kernel that owns them ends. Sorts by place and drops what was
  // said twice.
  void settle();

  // By file, then place.
  const std::vector<NameUse> &uses() const { return uses_; }
  const std::vector<std::pair<SourceRange, SourceRange>> &joined() const { return joined_; }

private:
  void addValue(NameUse use, const Value *value);
  std::vector<NameUse> uses_;
  std::vector<std::pair<size_t, const Value *>> values_; // of uses_[first], until settled
  std::vector<std::pair<SourceRange, SourceRange>> joined_;
};

} // namespace xt
