#include "lang/check/literals.h"

#include "ir/elem_kinds.h"

namespace xt {

bool isWide(const ConstValue &value) {
  return value.kind == ConstValue::Kind::Int && value.elem == Elem::U64 && value.integer < 0;
}

bool isWideHex(const ConstValue &value) {
  return value.kind == ConstValue::Kind::Int && value.literal && value.elem == Elem::I64 && value.integer < 0;
}

bool fitsType(Elem elem, const ConstValue &value) {
  if (value.kind == ConstValue::Kind::Type) return false;
  if (isFloat(elem)) return true;
  if (value.kind == ConstValue::Kind::Float) return false;
  if (elem == Elem::U64) return value.integer >= 0 || isWide(value) || isWideHex(value);
  return !isWide(value) && fitsInteger(elem, value.integer);
}

double constNumber(const ConstValue &value) {
  if (value.kind == ConstValue::Kind::Float) return value.number;
  bool wide = isWide(value) || isWideHex(value);
  return wide ? static_cast<double>(static_cast<uint64_t>(value.integer)) : static_cast<double>(value.integer);
}

} // namespace xt
