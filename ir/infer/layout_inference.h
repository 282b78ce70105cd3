// Layout inference and the layout rules (language.md, section 5). Declared layouts first; then forward in program order
// to a fixpoint; then backward for what is still open; what stays open is an error. The first derivation wins and a
// different later one is the error: nothing is converted silently. Constants and splats without a layout take the one
// each consumer wants, and are copied where consumers differ.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <span>
#include <unordered_map>

namespace xt {

// A place of the source that says a layout.
struct WrittenLayout {
  enum class Kind : uint8_t {
    Attribute, // {#l}
    InType,    // the #l of a type
    Type,      // a whole type, which says it by an alias or in parts
  };
  SourceRange range;
  Kind kind = Kind::Attribute;
  bool withOrder = false; // InType: an order comes with it
};

// A layout that is written for an operand: it is checked, not declared.
struct OperandLayout {
  const Op *op;
  size_t operand;
  const Layout *layout;
  WrittenLayout place;
};

// Two layout attributes on one op: one is the operand's and one the result's, and which is which follows from the
// operand's layout, once that is known; else from their order ({to from} for convert_layout, {from to} for others).
struct LayoutPair {
  Op *op;
  size_t operand;
  // The attributes in the order of the text, as layouts of the operand's and of the result's shape; null: does not fit.
  const Layout *asOperand[2], *asResult[2];
  SourceRange ranges[2];
};

// Where a value's layout is declared, for fixes that change it.
struct DeclaredLayout {
  const Value *value;
  WrittenLayout place;
};

// What the source says beside the types of values.
struct WrittenLayouts {
  std::vector<OperandLayout> operands;
  std::vector<LayoutPair> pairs;
  std::vector<DeclaredLayout> declared;
  std::unordered_map<const Op *, SourceRange> calls; // of ops that stand in a function: the call; looked up only
  std::span<const LayoutAlias> aliases;              // for messages
  const SourceManager *sources = nullptr;            // for fixes; null: none are offered
};

// Sets the layout in the type of every vector and tile of a kernel at workgroup scope, its scope and its number of
// subgroups, and gives the form layouts_known; or reports what disagrees and returns false. A kernel in which no layout
// appears is at subgroup scope and stays as it is. Idempotent. Fixes are candidates (FixIt::candidate).
bool inferLayouts(Kernel &kernel, Context &context, const WrittenLayouts &written, Diagnostics &diagnostics);

// The layout rules alone, on a kernel whose layouts are all known: what the verifier runs.
bool checkLayouts(const Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
