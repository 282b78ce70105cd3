// The ops that the operators of the language stand for, depending on the element type of the operands.
#pragma once
#include "ir/op.h"
#include "ir/op_kinds.h"

#include <span>
#include <string_view>

namespace xt {

struct Operator {
  std::string_view text; // infix operator, or the name in a call (min, max)
  std::string_view word; // op name without a dialect: `%c = add %a, %b` (RFC, appendix 2)
  OpKind floats, ints, unsignedInts;
  OpKind of(Elem elem) const {
    const ElemInfo &info = elemInfo(elem);
    return info.isFloat ? floats : info.isUnsigned ? unsignedInts : ints;
  }
};
inline constexpr Operator kArithmetic[] = {
    {"+", "add", OpKind::AddF, OpKind::AddI, OpKind::AddI},
    {"-", "sub", OpKind::SubF, OpKind::SubI, OpKind::SubI},
    {"*", "mul", OpKind::MulF, OpKind::MulI, OpKind::MulI},
    {"/", "div", OpKind::DivF, OpKind::DivSI, OpKind::DivUI},
    {"mod", "mod", OpKind::RemF, OpKind::RemSI, OpKind::RemUI},
    {"min", "min", OpKind::MinimumF, OpKind::MinSI, OpKind::MinUI},
    {"max", "max", OpKind::MaximumF, OpKind::MaxSI, OpKind::MaxUI},
};

// The operators on the bits of integers. All but the shifts take i1 as well.
struct BitOperator {
  std::string_view text;
  OpKind ints, unsignedInts;
  bool shifts;
};
inline constexpr BitOperator kBitOperators[] = {
    {"&", OpKind::AndI, OpKind::AndI, false},   {"|", OpKind::OrI, OpKind::OrI, false},
    {"^", OpKind::XorI, OpKind::XorI, false},   {"<<", OpKind::ShLI, OpKind::ShLI, true},
    {">>", OpKind::ShRSI, OpKind::ShRUI, true},
};

template <class T> const T *findText(std::span<const T> table, std::string_view text) {
  for (const T &row : table)
    if (row.text == text) return &row;
  return nullptr;
}

} // namespace xt
