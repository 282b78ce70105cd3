// One type rule per op, shared by the checker (on what a user wrote) and the verifier (on the IR). A rule sees types,
// attributes and ranges, never an Op. Layouts are not its business (see layout_inference.h): it takes them from the
// written result type and otherwise leaves them open.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/context.h"
#include "ir/op.h"

#include <span>
#include <vector>

namespace xt {

inline constexpr int64_t kAnyLanes = -1;

struct TypeRuleInput {
  Context &context;
  const OpInfo &op;
  std::span<const Type> operands;
  std::span<const SourceRange> operandRanges; // one per operand, or empty
  std::span<const Attr> attrs;
  Type written;              // the result type as written, where a signature gives one; its layout may be open
  SourceRange writtenRange;
  SourceRange range;         // of the op
  Diagnostics &diagnostics;
  int64_t lanes = 0; // of a subgroup, at lane scope; 0: at another scope; kAnyLanes: not known, as in a function

  SourceRange operandRange(size_t i) const { return i < operandRanges.size() ? operandRanges[i] : range; }
};

// Appends the result types and returns true, or reports what is wrong and returns false. Structure ops (for, if,
// yield) have no rule here: their types follow from their regions.
bool inferTypes(const TypeRuleInput &input, std::vector<Type> &results);

// Whether two types agree apart from their layouts, which the layout rules compare.
bool sameTypeButLayout(Type a, Type b);

// Whether a type that is written says what `actual` is: a tile's type without attributes says nothing of its order, of
// scattering or packing; a tensor_desc's without `memory_scope` nothing of where its base lies.
bool writtenAgrees(Type written, Type actual);

// The element type that tile_mma gives for these operands when the result does not say, or nullopt if there is none.
std::optional<Elem> mmaResultElem(Elem a, Elem b);

// Whether an operand of this class may have this type.
bool acceptsOperand(OperandClass cls, Type type);
// Checks operand counts and classes of any op against its row of the table.
bool checkOperandClasses(const TypeRuleInput &input);

} // namespace xt
