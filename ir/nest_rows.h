// The numbers of the rows of `a` that a `nest` may be given, its last operand.
#pragma once
#include "ir/op.h"

namespace xt {

inline constexpr size_t kNestRowsOperand = 6;
inline Value *nestRows(const Op &nest) {
  return nest.operandCount() > kNestRowsOperand ? nest.operand(kNestRowsOperand) : nullptr;
}

} // namespace xt
