// An index of the names in a file for the language server: what each name in the text refers to, and the types of values.
// The checker fills it while it runs; a plain compilation does not build it.
#pragma once
#include "ir/host.h"
#include "ir/op.h"
#include "lang/ast.h"

#include <functional>
#include <vector>

namespace xt {

enum class NameKind : uint8_t { Value, Alias, TypeAlias, Param, Kernel, Op, HostFn };

struct NameUse {
  NameKind kind = NameKind::Value;
  bool isDefinition = false;
  SourceRange range;           // as written, with its sigil
  SourceRange target;          // the name in the definition, `range` for a definition; empty for ops and host functions
  Type type = {};              // Value: null if its definition has an error, and for a test's buffer
  const OpInfo *op = nullptr;  // Op: the selected row of the op table
  const HostFnInfo *fn = nullptr;
  Type written = {};           // Value: its type in the source, if the IR has another one: a joint matrix or a fragment
};

class NameIndex {
public:
  void use(NameKind kind, SourceRange range, SourceRange target) { uses_.push_back({kind, false, range, target}); }
  void use(SourceRange range, const Value *value, SourceRange target) {
    addValue({NameKind::Value, false, range, target}, value);
  }
  void declare(NameKind kind, SourceRange range) { uses_.push_back({kind, true, range, range}); }
  void define(SourceRange range, const Value *value) { addValue({NameKind::Value, true, range, range}, value); }
  void op(SourceRange range, const OpInfo &info) { uses_.push_back({NameKind::Op, false, range, {}, {}, &info}); }
  void host(SourceRange range, const HostFnInfo &fn) {
    uses_.push_back({NameKind::HostFn, false, range, {}, {}, nullptr, &fn});
  }
  // Records that two bindings belong to one variable: `second` rebinds the variable of `first`.
  void join(SourceRange first, SourceRange second) { joined_.emplace_back(first, second); }

  // Copies the types of joint matrices and fragments. Call it before the kernel gets the types of the IR for them.
  void keepWrittenTypes();
  // Uses of a value become uses of the one that `replaced` returns for it; null: it stays.
  void replaceValues(const std::function<const Value *(const Value *)> &replaced);
  // Copies the types of these values now, because they will not exist when settle() is called.
  void keepTypes(const std::function<bool(const Value *)> &vanishes);
  // Copies the types of the values. Call it while the kernel that owns the values exists. Sorts the uses by position and drops
  // duplicates.
  void settle();

  // Sorted by file, then position.
  const std::vector<NameUse> &uses() const { return uses_; }
  const std::vector<std::pair<SourceRange, SourceRange>> &joined() const { return joined_; }

private:
  void addValue(NameUse use, const Value *value);
  std::vector<NameUse> uses_;
  std::vector<std::pair<size_t, const Value *>> values_; // values of uses_[first] whose types settle() will copy
  std::vector<std::pair<SourceRange, SourceRange>> joined_;
};

} // namespace xt
