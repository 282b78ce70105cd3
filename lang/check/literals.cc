#include "lang/check/literals.h"

#include "ir/elem_kinds.h"

namespace xt {
namespace {

bool isLiteralOf(const ConstValue &value, Elem elem) {
  return value.kind == ConstValue::Kind::Int && value.literal && value.elem == elem && value.integer < 0;
}

} // namespace

bool isWideLiteral(const ConstValue &value) { return isLiteralOf(value, Elem::U64); }

bool fitsType(Elem elem, const ConstValue &value) {
  if (value.kind == ConstValue::Kind::Type) return false;
  if (isFloat(elem)) return true;
  if (value.kind == ConstValue::Kind::Float) return false;
  // A parameter of type u64 holds its bits in `integer`, so values of 2^63 and above are negative there.
  bool unsignedBits = isWideLiteral(value) || (!value.literal && value.elem == Elem::U64 && value.integer < 0);
  if (elem == Elem::U64) return value.integer >= 0 || unsignedBits || isLiteralOf(value, Elem::I64);
  return !unsignedBits && fitsInteger(elem, value.integer);
}

double constNumber(const ConstValue &value) {
  if (value.kind == ConstValue::Kind::Float) return value.number;
  bool wide = isWideLiteral(value) || isLiteralOf(value, Elem::I64) || (value.elem == Elem::U64 && !value.literal);
  return wide ? static_cast<double>(static_cast<uint64_t>(value.integer)) : static_cast<double>(value.integer);
}

} // namespace xt
