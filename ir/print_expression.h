// The text of expressions in a kernel's header: bounds of grid variables and what `requires` states. It parses back to the same ops.
#pragma once
#include "ir/print.h"

namespace xt {

// Appends the expression that computes `value`, a value of Kernel::gridBlock: "dim(%A, 0) + 1". Names come from `names`.
void printExpression(std::string &out, const Value &value, ValueNames &names);

} // namespace xt
