#include "ir/interp/scalar_eval.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/interp/float_ops.h"
#include "ir/interp/int_ops.h"
#include "ir/op_kinds.h"
#include "ir/views/shared.h"

#include <array>
#include <cmath>

namespace xt {

Number numberFromAttr(Elem elem, const AttrValue &value) {
  const auto *integer = std::get_if<int64_t>(&value);
  const auto *number = std::get_if<double>(&value);
  XT_CHECK(integer || number, "the attribute is not a number");
  if (isFloat(elem)) return floatNumber(integer ? intToFloat(elem, *integer) : roundTo(elem, *number));
  XT_CHECK(integer, "a float attribute of an integer type");
  return integerNumber(wrapTo(elem, *integer));
}

Number loadNumber(Elem elem, const void *bytes) {
  return isFloat(elem) ? floatNumber(loadFloat(elem, bytes)) : integerNumber(loadInteger(elem, bytes));
}

void storeNumber(Elem elem, void *bytes, Number value) {
  // A tf32 is stored as an f32, without rounding: only arithmetic rounds to tf32, so that moving a value keeps all its bits.
  if (isFloat(elem))
    storeFloat(elem == Elem::TF32 ? Elem::F32 : elem, bytes, value.f);
  else
    storeInteger(elem, bytes, value.i);
}

ElementwiseOp elementwiseOp(const Op &op) {
  XT_CHECK(op.info().elementwise, "not an elementwise op");
  return {op.kind(), op.operand(op.operandCount() - 1)->type().elem(), op.result()->type().elem(), SharedAttrs(op).kind()};
}

namespace {
// One evaluation of an op. The loops below are instantiated for each op and rounding, so that no element has to select them.
struct Evaluation {
  const ElementwiseOp &op;
  std::span<const Numbers> in;
  Number *out;
  size_t count;

  Number x(size_t k) const { return in[0].data[k * in[0].step]; }
  Number y(size_t k) const { return in[1].data[k * in[1].step]; }
  Number z(size_t k) const { return in[2].data[k * in[2].step]; }

  // Calls loop(round) with the rounding function of the result type.
  template <class Loop> bool rounded(Loop loop) const {
    Elem elem = op.result;
    if (elem == Elem::F64)
      loop([](double value) { return value; });
    else if (elem == Elem::F32)
      loop([](double value) { return static_cast<double>(static_cast<float>(value)); });
    else
      loop([elem](double value) { return roundTo(elem, value); });
    return true;
  }
  template <class F> bool float1(F f) const {
    return rounded([&](auto round) {
      for (size_t k = 0; k < count; ++k) out[k].f = round(f(x(k).f));
    });
  }
  template <class F> bool float2(F f) const {
    return rounded([&](auto round) {
      for (size_t k = 0; k < count; ++k) out[k].f = round(f(x(k).f, y(k).f));
    });
  }
  // For ops whose results need no rounding: they select an operand, change its sign, widen it, or round it to an integer.
  template <class F> bool move1(F f) const {
    for (size_t k = 0; k < count; ++k) out[k].f = f(x(k).f);
    return true;
  }
  template <class F> bool move2(F f) const {
    for (size_t k = 0; k < count; ++k) out[k].f = f(x(k).f, y(k).f);
    return true;
  }
  template <class F> bool int1(F f) const {
    for (size_t k = 0; k < count; ++k) out[k].i = wrapTo(op.result, f(x(k).i));
    return true;
  }
  template <class F> bool int2(F f) const {
    for (size_t k = 0; k < count; ++k) out[k].i = wrapTo(op.result, f(x(k).i, y(k).i));
    return true;
  }
  // For ops that interpret operands by their type; `f` is a function of int_ops.h.
  template <class F> bool typed2(F f) const {
    for (size_t k = 0; k < count; ++k) out[k].i = wrapTo(op.result, f(op.operand, x(k).i, y(k).i));
    return true;
  }
  // Selects the first operand if first(type, a, b) is true, else the second.
  template <class F> bool choose(F first) const {
    for (size_t k = 0; k < count; ++k) out[k] = first(op.operand, x(k).i, y(k).i) ? x(k) : y(k);
    return true;
  }
  template <class F> bool test(F f) const {
    for (size_t k = 0; k < count; ++k) out[k].i = f(x(k), y(k)) ? 1 : 0;
    return true;
  }

  bool compareFloats() const {
    FloatCompare compare = floatCompareFromName(op.compare);
    return test([compare](Number a, Number b) {
      bool unordered = std::isnan(a.f) || std::isnan(b.f);
      return unordered ? compare.unordered : a.f < b.f ? compare.less : a.f > b.f ? compare.greater : compare.equal;
    });
  }
  bool compareInts() const {
    Elem e = op.operand;
    switch (intCompareFromName(op.compare)) {
    case IntCompare::Eq: return test([](Number a, Number b) { return a.i == b.i; });
    case IntCompare::Ne: return test([](Number a, Number b) { return a.i != b.i; });
    case IntCompare::Slt: return test([e](Number a, Number b) { return lessSigned(e, a.i, b.i); });
    case IntCompare::Sle: return test([e](Number a, Number b) { return !lessSigned(e, b.i, a.i); });
    case IntCompare::Sgt: return test([e](Number a, Number b) { return lessSigned(e, b.i, a.i); });
    case IntCompare::Sge: return test([e](Number a, Number b) { return !lessSigned(e, a.i, b.i); });
    case IntCompare::Ult: return test([e](Number a, Number b) { return lessUnsigned(e, a.i, b.i); });
    case IntCompare::Ule: return test([e](Number a, Number b) { return !lessUnsigned(e, b.i, a.i); });
    case IntCompare::Ugt: return test([e](Number a, Number b) { return lessUnsigned(e, b.i, a.i); });
    case IntCompare::Uge: return test([e](Number a, Number b) { return !lessUnsigned(e, a.i, b.i); });
    }
    return false;
  }

  bool signedToFloat() const {
    for (size_t k = 0; k < count; ++k)
      out[k].f = isNegative(op.operand, x(k).i) ? intToFloat(op.result, signedValue(op.operand, x(k).i))
                                                : unsignedToFloat(op.result, static_cast<uint64_t>(x(k).i));
    return true;
  }
  bool unsignedBitsToFloat() const {
    for (size_t k = 0; k < count; ++k) out[k].f = unsignedToFloat(op.result, unsignedBits(op.operand, x(k).i));
    return true;
  }
  bool toInt() const {
    for (size_t k = 0; k < count; ++k) out[k].i = wrapTo(op.result, floatToInt(x(k).f));
    return true;
  }
  bool fma() const {
    for (size_t k = 0; k < count; ++k) out[k].f = fusedMultiplyAdd(op.result, x(k).f, y(k).f, z(k).f);
    return true;
  }
  bool bitcast() const {
    std::array<unsigned char, 8> bytes{};
    for (size_t k = 0; k < count; ++k) {
      storeNumber(op.operand, bytes.data(), x(k));
      out[k] = loadNumber(op.result, bytes.data());
    }
    return true;
  }
  bool select() const {
    for (size_t k = 0; k < count; ++k) out[k] = x(k).i ? y(k) : z(k);
    return true;
  }

  bool run() const;
};

uint64_t bitsOf(int64_t value) { return static_cast<uint64_t>(value); }
int64_t valueOf(uint64_t bits) { return static_cast<int64_t>(bits); }

// Returns false for ops that are not elementwise.
bool Evaluation::run() const {
  Elem from = op.operand;
  switch (op.kind) {
#define XT_FUNCTION(kind, name, ...)                                                                                           \
  case OpKind::kind: return float1([](double a) { return std::name(a); });
#define XT_FUNCTION2(kind, name)                                                                                               \
  case OpKind::kind: return float2([](double a, double b) { return std::name(a, b); });
#include "ir/ops/functions.def"
#undef XT_FUNCTION
#undef XT_FUNCTION2
  case OpKind::AddF: return float2([](double a, double b) { return a + b; });
  case OpKind::SubF: return float2([](double a, double b) { return a - b; });
  case OpKind::MulF: return float2([](double a, double b) { return a * b; });
  case OpKind::DivF: return float2([](double a, double b) { return a / b; });
  case OpKind::MinimumF: return move2(floatMinimum);
  case OpKind::MaximumF: return move2(floatMaximum);
  case OpKind::MinNumF: return move2(floatMinNum);
  case OpKind::MaxNumF: return move2(floatMaxNum);
  case OpKind::NegF: return move1([](double a) { return -a; });
  case OpKind::AbsF: return move1([](double a) { return std::fabs(a); });
  case OpKind::Floor: return move1([](double a) { return std::floor(a); });
  case OpKind::Ceil: return move1([](double a) { return std::ceil(a); });
  case OpKind::Round: return move1([](double a) { return std::round(a); });
  case OpKind::RoundEven: return move1([](double a) { return std::nearbyint(a); });
  case OpKind::Trunc: return move1([](double a) { return std::trunc(a); });
  case OpKind::Sqrt: return float1([](double a) { return std::sqrt(a); });
  case OpKind::Rsqrt: return float1([](double a) { return 1.0 / std::sqrt(a); });
  case OpKind::Fma: return fma();
  case OpKind::TruncF: return float1([](double a) { return a; });
  case OpKind::ExtF: return move1([](double a) { return a; }); // exact
  case OpKind::CmpF: return compareFloats();

  case OpKind::AddI: return int2([](int64_t a, int64_t b) { return valueOf(bitsOf(a) + bitsOf(b)); });
  case OpKind::SubI: return int2([](int64_t a, int64_t b) { return valueOf(bitsOf(a) - bitsOf(b)); });
  case OpKind::MulI: return int2([](int64_t a, int64_t b) { return valueOf(bitsOf(a) * bitsOf(b)); });
  case OpKind::DivSI: return typed2(divideSigned);
  case OpKind::DivUI: return typed2(divideUnsigned);
  case OpKind::RemSI: return typed2(remainderSigned);
  case OpKind::RemUI: return typed2(remainderUnsigned);
  case OpKind::CeilDivSI: return typed2(ceilDivideSigned);
  case OpKind::CeilDivUI: return typed2(ceilDivideUnsigned);
  case OpKind::FloorDivSI: return typed2(floorDivideSigned);
  case OpKind::AndI: return int2([](int64_t a, int64_t b) { return a & b; });
  case OpKind::OrI: return int2([](int64_t a, int64_t b) { return a | b; });
  case OpKind::XorI: return int2([](int64_t a, int64_t b) { return a ^ b; });
  case OpKind::ShLI: return typed2(shiftLeft);
  case OpKind::ShRSI: return typed2(shiftRightSigned);
  case OpKind::ShRUI: return typed2(shiftRightUnsigned);
  case OpKind::MinSI: return choose(lessSigned);
  case OpKind::MaxSI: return choose([](Elem e, int64_t a, int64_t b) { return lessSigned(e, b, a); });
  case OpKind::MinUI: return choose(lessUnsigned);
  case OpKind::MaxUI: return choose([](Elem e, int64_t a, int64_t b) { return lessUnsigned(e, b, a); });
  case OpKind::AbsI: return int1([from](int64_t a) { return isNegative(from, a) ? valueOf(0 - bitsOf(a)) : a; });
  case OpKind::CmpI: return compareInts();

  case OpKind::TruncI: return int1([](int64_t a) { return a; });
  case OpKind::ExtSI:
  case OpKind::IndexCast: return int1([from](int64_t a) { return signedValue(from, a); });
  case OpKind::ExtUI: return int1([from](int64_t a) { return valueOf(unsignedBits(from, a)); });
  case OpKind::SIToFP: return signedToFloat();
  case OpKind::UIToFP: return unsignedBitsToFloat();
  case OpKind::FPToSI:
  case OpKind::FPToUI: return toInt();
  case OpKind::Bitcast: return bitcast();
  case OpKind::Select: return select();
  default: return false; // tests/ir/interp/elementwise_test.cc evaluates each elementwise op
  }
}
} // namespace

void evaluateElementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count) {
  bool known = Evaluation{op, operands, out, count}.run();
  XT_CHECK(known, "not an elementwise op");
}

std::optional<Number> evaluateScalar(const ElementwiseOp &op, std::span<const Number> operands) {
  std::array<Numbers, 3> spans{};
  XT_CHECK(operands.size() <= spans.size(), "an elementwise op has at most three operands");
  for (size_t i = 0; i < operands.size(); ++i) spans[i] = {&operands[i], 0};
  Number result;
  if (!Evaluation{op, std::span(spans).first(operands.size()), &result, 1}.run()) return std::nullopt;
  return result;
}

} // namespace xt
