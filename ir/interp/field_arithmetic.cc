#include "ir/interp/field_arithmetic.h"

#include "ir/base/check.h"
#include "ir/interp/float_ops.h"
#include "ir/interp/int_ops.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace xt {

namespace {
uint64_t imageOf(Elem elem, const void *bytes) {
  uint64_t image = 0;
  std::memcpy(&image, bytes, static_cast<size_t>(elemInfo(elem).storageBytes));
  return image;
}
bool isLogarithm(OpKind kind) {
  return kind == OpKind::Log || kind == OpKind::Log2 || kind == OpKind::Log10 || kind == OpKind::Log1p;
}
bool isExponential(OpKind kind) {
  return kind == OpKind::Exp || kind == OpKind::Exp2 || kind == OpKind::Expm1 || kind == OpKind::Tanh || kind == OpKind::Sinh ||
         kind == OpKind::PowF;
}
bool compareReals(std::string_view kind, double a, double b) {
  FloatCompare compare = floatCompareFromName(kind);
  if (std::isnan(a) || std::isnan(b)) return compare.unordered;
  return a < b ? compare.less : a > b ? compare.greater : compare.equal;
}
} // namespace

Number FieldArithmetic::numberOf(const FieldValue &value) {
  size_t place = values_.size();
  if (free_.empty()) {
    values_.push_back(value);
  } else {
    place = free_.back();
    free_.pop_back();
    values_[place] = value;
  }
  return integerNumber(static_cast<int64_t>(place));
}

void FieldArithmetic::beginWorkgroup() {
  values_.resize(1);
  free_.clear();
  ofBits_.clear();
  limit_ = kFewest;
}

// Marks the table entry of a Number as used. The caller does not know types: an integer may happen to be the index of an
// unused entry, which is then kept.
void FieldArithmetic::inUse(Number number) {
  used_.resize(values_.size());
  auto place = static_cast<uint64_t>(number.i);
  if (place < used_.size()) used_[place] = true;
}

void FieldArithmetic::freeOthers() {
  used_.resize(values_.size());
  used_[0] = true;
  free_.clear();
  for (size_t place = values_.size(); place-- > 0;)
    if (!used_[place]) free_.push_back(place);
  used_.clear();
  // A search takes time in proportion to the values that it finds in use, so the next one begins only when the table holds
  // twice as many values.
  limit_ = std::max(kFewest, 2 * (values_.size() - free_.size()));
}

Number FieldArithmetic::constant(Elem elem, const AttrValue &value) {
  if (!isFloat(elem)) return numberFromAttr(elem, value);
  if (isScale(elem)) return numberOf(fieldFromReal(elem, numberFromAttr(elem, value).f)); // a type without 0
  if (const auto *integer = std::get_if<int64_t>(&value)) return numberOf(fieldFromInteger(*integer));
  return numberOf(fieldFromReal(elem, std::get<double>(value)));
}

FieldValue FieldArithmetic::inMemory(Elem elem, const void *bytes) const {
  auto found = memory_.find(bytes);
  if (found != memory_.end() && found->second.elem == elem && found->second.image == imageOf(elem, bytes))
    return found->second.value;
  return fieldFromReal(elem, loadFloat(elem, bytes));
}

void FieldArithmetic::setMemory(Elem elem, const void *bytes, const FieldValue &value) {
  memory_[bytes] = {elem, imageOf(elem, bytes), value};
}

Number FieldArithmetic::load(Elem elem, const void *bytes) {
  return isFloat(elem) ? numberOf(inMemory(elem, bytes)) : loadNumber(elem, bytes);
}

void FieldArithmetic::store(Elem elem, void *bytes, Number value) {
  if (!isFloat(elem)) return storeNumber(elem, bytes, value);
  const FieldValue &field = valueOf(value);
  storeNumber(elem, bytes, floatNumber(field.real));
  setMemory(elem, bytes, field);
}

FieldValue FieldArithmetic::operandOf(Elem elem, Number number) const {
  return isFloat(elem) ? valueOf(number) : fieldFromInteger(signedValue(elem, number.i));
}

// Takes the bits of an element, rounded to its type, and remembers whose they are. Bits that two elements share stand for
// neither.
int64_t FieldArithmetic::bitsOf(Elem elem, const FieldValue &value, Elem result) {
  Number real = floatNumber(roundTo(elem, value.real)), bits;
  Numbers single{&real, 0};
  evaluateElementwise({OpKind::Bitcast, elem, result, {}}, {&single, 1}, &bits, 1);
  uint64_t image = unsignedBits(result, bits.i);
  if (auto found = ofBits_.find(image); found != ofBits_.end()) {
    Stored &other = found->second;
    if (other.elem != elem || !sameField(other.value, value)) other.value = fieldFromReal(elem, real.f);
  } else if (ofBits_.size() < kFewest) {
    ofBits_[image] = {elem, image, value};
  }
  return bits.i;
}

// The element whose bits these are, if the workgroup has taken them from one; else the one for the number in memory.
FieldValue FieldArithmetic::fromBits(Elem elem, int64_t bits, Elem result) const {
  auto found = ofBits_.find(unsignedBits(elem, bits));
  if (found != ofBits_.end() && found->second.elem == result) return found->second.value;
  Number number = integerNumber(bits), real;
  Numbers single{&number, 0};
  evaluateElementwise({OpKind::Bitcast, elem, result, {}}, {&single, 1}, &real, 1);
  return fieldFromReal(result, real.f);
}

void FieldArithmetic::elementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count) {
  // Ops that only move numbers, or have no float types, are computed as usual.
  if (op.kind == OpKind::Select || (!isFloat(op.operand) && !isFloat(op.result)))
    return evaluateElementwise(op, operands, out, count);
  bool isField = isFieldOp(op.kind);
  bool toBits = op.kind == OpKind::Bitcast && !isFloat(op.result), fromInteger = !isFloat(op.operand);
  takesLogarithms_ |= isLogarithm(op.kind);
  takesExponentials_ |= isExponential(op.kind);
  auto at = [&](size_t operand, size_t k) { return operands[operand].data[k * operands[operand].step]; };
  for (size_t k = 0; k < count; ++k) {
    if (isField) {
      std::array<FieldValue, 3> values;
      for (size_t i = 0; i < operands.size(); ++i) values[i] = valueOf(at(i, k));
      out[k] = numberOf(fieldApply(op.kind, std::span(values).first(operands.size())));
    } else if (op.kind == OpKind::CmpF) {
      out[k] = integerNumber(compareReals(op.compare, valueOf(at(0, k)).real, valueOf(at(1, k)).real));
    } else if (op.kind == OpKind::SIToFP) {
      out[k] = numberOf(operandOf(op.operand, at(0, k)));
    } else if (toBits) {
      out[k] = integerNumber(bitsOf(op.operand, valueOf(at(0, k)), op.result));
    } else if (op.kind == OpKind::Bitcast && fromInteger) {
      out[k] = numberOf(fromBits(op.operand, at(0, k).i, op.result));
    } else {
      // Casts to integers and from unsigned integers, and bitcasts between floats, are computed in IEEE arithmetic, from the real
      // value of a float operand. A bitcast first rounds this value to its type.
      Number real = at(0, k), result;
      if (!fromInteger)
        real = floatNumber(op.kind == OpKind::Bitcast ? roundTo(op.operand, valueOf(real).real) : valueOf(real).real);
      Numbers single{&real, 0};
      evaluateElementwise(op, {&single, 1}, &result, 1);
      out[k] = isFloat(op.result) ? numberOf(fieldFromReal(op.result, result.f)) : result;
    }
  }
}

void FieldArithmetic::multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b,
                                         Number *acc) {
  if (!isFloat(result)) return xt::multiplyAccumulate(operand, result, shape, a, b, acc);
  std::vector<FieldValue> left(shape.rows * shape.depth), right(shape.depth * shape.columns);
  for (size_t k = 0; k < left.size(); ++k) left[k] = operandOf(operand, a[k]);
  // The columns of `b` are stored contiguously, because each is read once for each row of `a`.
  for (size_t k = 0; k < shape.depth; ++k)
    for (size_t c = 0; c < shape.columns; ++c) right[c * shape.depth + k] = operandOf(operand, b[k * shape.columns + c]);
  for (size_t r = 0; r < shape.rows; ++r)
    for (size_t c = 0; c < shape.columns; ++c) {
      FieldValue sum = valueOf(acc[r * shape.columns + c]);
      fieldDot(sum, &left[r * shape.depth], 1, &right[c * shape.depth], 1, shape.depth);
      acc[r * shape.columns + c] = numberOf(sum);
    }
}

} // namespace xt
