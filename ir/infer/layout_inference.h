// Layout inference and the layout rules (lang/reference/layouts.md). Declared layouts are applied first, then layouts are
// propagated forward in program order to a fixpoint, then backward for values without a layout; a value that remains without
// one is an error. The first derivation for a value takes effect, and a later one that differs is an error: nothing is
// converted silently. Constants and splats without a layout take the one that their consumers need, and are cloned if
// consumers differ.
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
    Type, // a whole type, in which the layout cannot be replaced alone: an alias, or attributes that state more than the layout
  };
  SourceRange range;
  Kind kind = Kind::Attribute;
  bool withOrder = false; // for InType: whether the text at `range` states an order too
};

// A layout that is written for an operand. It is checked against the layout that the operand has. It determines the layout of
// the operand only if nothing else does.
struct OperandLayout {
  const Op *op;
  size_t operand;
  const Layout *layout;
  WrittenLayout place;
};

// Two layout attributes on one op: one is the layout of the operand and one that of the result. The layout that the operand
// has decides which is which; if nothing else determines it, their order does ({to from} for convert_layout, {from to} for
// others).
struct LayoutPair {
  Op *op;
  size_t operand;
  // The attributes in the order of the text, as layouts for the shape of the operand and for that of the result; null for an
  // attribute that does not fit the shape.
  const Layout *asOperand[2], *asResult[2];
  SourceRange ranges[2];
};

// The place where a value's layout is declared, for fix-its that change it.
struct DeclaredLayout {
  const Value *value;
  WrittenLayout place;
};

// The places where the source of a kernel states layouts, and what messages about them need.
struct WrittenLayouts {
  std::vector<OperandLayout> operands;
  std::vector<LayoutPair> pairs;
  std::vector<DeclaredLayout> declared;
  // For each op that comes from the body of a function, the call of the function. The map is used for lookup only.
  std::unordered_map<const Op *, SourceRange> calls;
  std::span<const LayoutAlias> aliases; // for messages
  const SourceManager *sources = nullptr; // for fix-its; if null, none are offered
};

// Infers the layouts of a kernel. If it has any layout, it is at workgroup scope: sets the layout in the type of every vector
// and tile, the kernel's scope, and its number of subgroups. A kernel without any layout keeps its scope and its types. In
// both cases adds the form layouts_known. Returns false after reporting an error if layouts disagree, remain unknown, or have
// too many subgroups. Idempotent. Fix-its of the errors are candidates (FixIt::candidate).
bool inferLayouts(Kernel &kernel, Context &context, const WrittenLayouts &written, Diagnostics &diagnostics);

// Checks only the layout rules, on a kernel whose layouts are all known. Used by the verifier.
bool checkLayouts(const Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
