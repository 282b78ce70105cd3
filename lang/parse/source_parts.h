// The syntactic parts of a text, for tools that change it: a part can be removed, or replaced by another one of its kind or
// by a part that it contains. Does not include ANTLR.
#pragma once
#include "lang/ast.h"

namespace xt {

enum class PartKind : uint8_t {
  Item,      // a kernel, a function, a test, a parameter, an alias, an import
  Statement, // in a kernel, a function or a test
  Block,     // with its braces
  Result,    // a name that a statement binds, without a count such as `:2`
  OpName,    // as spelled, with its prefix
  Operand,   // an element of a list of expressions: of an op, a call, a launch, a yield
  Expr,      // any other expression
  Number,    // an integer or a float, also as an extent
  Type,
  Element,   // the element type of a shaped type
  Extent,    // an extent of a shaped type
  Signature, // with its colon or arrow
  Attributes, // a group with its braces
  Attribute, // an entry of a group, of a type or of a mapping
  Mapping,   // a layout or another value of an attribute
};
inline constexpr size_t kPartKinds = static_cast<size_t>(PartKind::Mapping) + 1;

struct SourcePart {
  PartKind kind;
  uint32_t begin, end; // bytes of the file; never empty
  int parent;          // index of the part that contains it; -1: none
};

// The parts of a tree that parse() returned, even for a text with errors. In text order; a part precedes those it contains.
std::vector<SourcePart> sourceParts(const ast::File &file);

} // namespace xt
