#include "lang/check/literals.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"

#include <cmath>

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

void warnIfInfinite(Diagnostics &diagnostics, Elem floatType, const ConstValue &value, SourceRange range) {
  double number = constNumber(value), rounded = roundTo(floatType, number);
  if (std::isfinite(number) && !std::isfinite(rounded))
    diagnostics.report(DiagCode::InfiniteLiteral, range,
                       str(constText(value), " is too large for ", elemName(floatType), " and becomes ", floatText(rounded)));
}

} // namespace xt
