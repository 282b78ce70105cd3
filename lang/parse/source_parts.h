// The parts of a text, for tools that change it by its syntax: each can be cut out, replaced by another of its kind, or by
// one that it holds. Needs no ANTLR.
#pragma once
#include "lang/ast.h"

namespace xt {

enum class PartKind : uint8_t {
  Item,      // a kernel, a function, a test, a parameter, an alias, an import
  Statement, // of a kernel, a function or a test
  Block,     // with its braces
  Result,    // a name that a statement binds, without the sigil's count
  OpName,    // as spelled, with its prefix
  Operand,   // of an op, a call, a launch, a yield: any expression that stands in a list
  Expr,      // any other expression
  Number,    // an integer or a float, also as an extent
  Type,
  Element,   // the element type of a shaped type
  Extent,    // of a shaped type
  Signature, // with its colon or arrow
  Attributes, // a group with its braces
  Attribute, // an entry of a group, of a type or of a mapping
  Mapping,   // a layout or another value of an attribute
};
inline constexpr size_t kPartKinds = static_cast<size_t>(PartKind::Mapping) + 1;

struct SourcePart {
  PartKind kind;
  uint32_t begin, end; // bytes of the file; never empty
  int parent;          // the index of the part that holds it; -1: none
};

// Of a tree that parse() made, also of broken text: outer parts before those that they hold, else in the order of the text.
std::vector<SourcePart> sourceParts(const ast::File &file);

} // namespace xt
