// How the layouts of one op's operands and results determine each other (OpInfo::layoutRule), and what must hold.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <unordered_map>

namespace xt {

// Where a value's layout comes from, for messages.
struct LayoutOrigin {
  SourceRange range;
  std::string how; // "declared", "inferred from `load_tile`"
};
using LayoutOrigins = std::unordered_map<const Value *, LayoutOrigin>; // looked up, never iterated

inline bool holdsLayout(Type type) { return type.isVector() || type.isTile(); }

// The layout that the rest of `op` wants for its operand `index`; null if it does not say (yet).
const Layout *wantedForOperand(Context &context, const Op &op, size_t index);
// The layout that the operands of `op` give its result `index`; null if they do not say (yet).
const Layout *givenToResult(Context &context, const Op &op, size_t index);

// The layout of the result that nothing else decides: whoever holds an operand's element holds all its copies. Null for
// ops whose layouts follow from their rule alone.
const Layout *assumedForResult(Context &context, const Op &op);

// Whether the layouts of `op`, all known, agree; reports if not.
bool checkLayoutRule(Context &context, const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics);

} // namespace xt
