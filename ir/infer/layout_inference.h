// Layout inference and the layout rules (lang/reference/layouts.md). Declared layouts are applied first, then layouts are
// propagated forward in program order to a fixpoint, then backward for values without a layout; a value that remains without
// one is an error. The first derivation counts, and a different later one is an error: nothing is converted silently. Constants
// and splats without a layout take the one their consumers need, and are cloned if consumers differ.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <span>
#include <unordered_map>

namespace xt {

// A place in the source where a layout is written.
struct WrittenLayout {
  enum class Kind : uint8_t {
    Attribute, // {#l}
    InType, // the #l of a type
    Type, // a whole type, which contains the layout through an alias or in parts
  };
  SourceRange range;
  Kind kind = Kind::Attribute;
  bool withOrder = false; // InType: an order is written with it
};

// A layout that is written for an operand. It is checked against the operand's layout, and declares it only if nothing else
// determines it.
struct OperandLayout {
  const Op *op;
  size_t operand;
  const Layout *layout;
  WrittenLayout place;
};

// Two layout attributes on one op: one is the operand's and one the result's. The operand's layout decides which is which, once
// it is known; otherwise their order does ({to from} for convert_layout, {from to} for others).
struct LayoutPair {
  Op *op;
  size_t operand;
  // The attributes in text order, as layouts of the operand's and of the result's shape; null if they do not fit.
  const Layout *asOperand[2], *asResult[2];
  SourceRange ranges[2];
};

// The place where a value's layout is declared, for fix-its that change it.
struct DeclaredLayout {
  const Value *value;
  WrittenLayout place;
};

// Layouts that the source states outside of the types of values.
struct WrittenLayouts {
  std::vector<OperandLayout> operands;
  std::vector<LayoutPair> pairs;
  std::vector<DeclaredLayout> declared;
  // The call for each op in a function body; used for lookup only.
  std::unordered_map<const Op *, SourceRange> calls;
  std::span<const LayoutAlias> aliases; // for messages
  const SourceManager *sources = nullptr; // for fix-its; null: none are offered
};

// Sets the layout in the type of every vector and tile of a kernel at workgroup scope, its scope and its number of subgroups,
// and adds the form layouts_known; or reports the disagreement and returns false. A kernel without any layout is at subgroup
// scope and stays unchanged. Idempotent. The fix-its are candidates (FixIt::candidate).
bool inferLayouts(Kernel &kernel, Context &context, const WrittenLayouts &written, Diagnostics &diagnostics);

// Checks only the layout rules, on a kernel whose layouts are all known. Used by the verifier.
bool checkLayouts(const Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
