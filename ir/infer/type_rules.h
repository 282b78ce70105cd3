// One type rule per op, shared by the checker (for source text) and the verifier (for the IR). A rule sees types, attributes
// and ranges, never an Op. Rules do not determine layouts (see layout_inference.h): they take them from the written result type
// and otherwise leave them open.
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
  Type written; // the written result type, if there is a signature; its layout may be open
  SourceRange writtenRange;
  SourceRange range; // the range of the op
  Diagnostics &diagnostics;
  int64_t lanes = 0; // the lanes per subgroup at lane scope; 0: at another scope; kAnyLanes: unknown, as in a function
  // Whether ops that the IR has for matrices only may take vectors of other ranks, as in source text, whose lowering makes
  // matrices of them.
  bool anyRank = false;

  SourceRange operandRange(size_t i) const { return i < operandRanges.size() ? operandRanges[i] : range; }
};

// Appends the result types and returns true, or reports the mistake and returns false. Structure ops (for, if, yield) have no
// rule here: their types follow from their regions.
bool inferTypes(const TypeRuleInput &input, std::vector<Type> &results);

// Whether two types agree apart from their layouts, which the layout rules compare.
bool sameTypeButLayout(Type a, Type b);

// Whether a written type agrees with the actual type. A tile's type without attributes leaves its order, scattering and packing
// open; a tensor_desc's without `memory_scope` leaves the memory space of its base open.
bool writtenAgrees(Type written, Type actual);

// The element type of tile_mma for these operands if no result type is written; nullopt if they have no product.
std::optional<Elem> mmaResultElem(Elem a, Elem b);

// Whether an operand of this class may have this type.
bool acceptsOperand(OperandClass cls, Type type);
// Checks operand counts and classes of any op against its row of the table.
bool checkOperandClasses(const TypeRuleInput &input);

} // namespace xt
