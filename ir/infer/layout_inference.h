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

// A layout attribute that names an operand's layout: it is checked, not declared.
struct OperandLayout {
  const Op *op;
  size_t operand;
  const Layout *layout;
  SourceRange range;
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

// The range of a type that declares a value's layout, for fixes that change it.
struct DeclaredType {
  const Value *value;
  SourceRange range;
};

// What the source says beside the types of values.
struct WrittenLayouts {
  std::vector<OperandLayout> operands;
  std::vector<LayoutPair> pairs;
  std::vector<DeclaredType> types;
  std::unordered_map<const Op *, SourceRange> calls; // of ops that stand in a function: the call; looked up only
  std::span<const LayoutAlias> aliases; // for messages
};

// Sets the layout in the type of every vector and tile of a kernel at workgroup scope, its scope and its number of
// subgroups, and gives the form layouts_known; or reports what disagrees and returns false. A kernel in which no layout
// appears is at subgroup scope and stays as it is. Idempotent.
bool inferLayouts(Kernel &kernel, Context &context, const WrittenLayouts &written, Diagnostics &diagnostics);

// The layout rules alone, on a kernel whose layouts are all known: what the verifier runs.
bool checkLayouts(const Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
