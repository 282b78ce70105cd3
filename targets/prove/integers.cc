#include "targets/prove/integers.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {

namespace {
class Exact {
public:
  Exact(const Op &op, std::span<const Term> operands, Smt &smt) : op_(op), operands_(operands), smt_(smt) {}

  Term result() {
    bool truths = op_.result()->type().elem() == Elem::I1;
    switch (op_.kind()) {
    case OpKind::Constant: return constant(truths);
    case OpKind::IndexCast:
    case OpKind::TruncI:
    case OpKind::ExtSI: return truths || ofTruths() ? Term() : x();
    case OpKind::ExtUI: return ofTruths() ? Term() : unsignedValue();
    case OpKind::AddI: return truths ? Term() : smt_.add(x(), y());
    case OpKind::SubI: return truths ? Term() : smt_.sub(x(), y());
    case OpKind::MulI: return truths ? Term() : smt_.multiply(x(), y());
    case OpKind::MinSI: return truths ? Term() : smt_.choose(smt_.less(x(), y()), x(), y());
    case OpKind::MaxSI: return truths ? Term() : smt_.choose(smt_.less(x(), y()), y(), x());
    case OpKind::FloorDivSI: return divisor() ? smt_.floorDiv(x(), y()) : Term();
    case OpKind::CeilDivSI: return divisor() ? negated(smt_.floorDiv(negated(x()), y())) : Term();
    case OpKind::DivSI: return divisor() ? truncatedQuotient() : Term();
    case OpKind::RemSI: return divisor() ? smt_.sub(x(), smt_.multiply(truncatedQuotient(), y())) : Term();
    case OpKind::AndI: return truths ? smt_.all(operands_) : Term();
    case OpKind::OrI: return truths ? smt_.any(operands_) : Term();
    case OpKind::XorI: return truths ? smt_.negation(smt_.equal(x(), y())) : Term();
    case OpKind::CmpI: return ofTruths() ? Term() : comparison();
    case OpKind::Select: return smt_.choose(x(), y(), operands_[2]);
    default: return Term();
    }
  }

private:
  Term x() const { return operands_[0]; }
  Term y() const { return operands_[1]; }
  bool ofTruths() const { return op_.operand(0)->type().elem() == Elem::I1; }
  Term negated(Term a) { return smt_.sub(smt_.integer(0), a); }

  Term constant(bool truths) {
    const auto *value = std::get_if<int64_t>(&ConstantOp(op_).value());
    if (!value) return Term();
    return truths ? smt_.truth(*value != 0) : smt_.integer(*value);
  }
  // Division is followed only if the divisor is a positive constant, because other quotients are not linear.
  bool divisor() {
    std::optional<int64_t> by = smt_.constant(y());
    return by && *by > 0;
  }
  Term truncatedQuotient() {
    return smt_.choose(smt_.less(x(), smt_.integer(0)), negated(smt_.floorDiv(negated(x()), y())), smt_.floorDiv(x(), y()));
  }
  // The value of the operand's bits as an unsigned number.
  Term unsignedValue() {
    Term above = smt_.add(x(), smt_.powerOfTwo(elemInfo(op_.operand(0)->type().elem()).bits));
    return smt_.choose(smt_.less(x(), smt_.integer(0)), above, x());
  }
  Term comparison() {
    switch (CmpIOp(op_).kind()) {
    case CmpIKind::Eq: return smt_.equal(x(), y());
    case CmpIKind::Ne: return smt_.negation(smt_.equal(x(), y()));
    case CmpIKind::Slt: return smt_.less(x(), y());
    case CmpIKind::Sle: return smt_.lessEqual(x(), y());
    case CmpIKind::Sgt: return smt_.less(y(), x());
    case CmpIKind::Sge: return smt_.lessEqual(y(), x());
    case CmpIKind::Ult:
    case CmpIKind::Ule:
    case CmpIKind::Ugt:
    case CmpIKind::Uge: return Term();
    }
    XT_UNREACHABLE("kind of a comparison");
  }

  const Op &op_;
  std::span<const Term> operands_;
  Smt &smt_;
};
} // namespace

bool isNumber(const Value &value) { return value.type().isScalar() && !isFloat(value.type().elem()); }

Term exactResult(const Op &op, std::span<const Term> operands, Smt &smt) { return Exact(op, operands, smt).result(); }

bool mayWrap(const Op &op) {
  if (op.result()->type().elem() == Elem::I1) return false; // a truth value, not a number
  switch (op.kind()) {
  case OpKind::Constant: // the bits of u64 are written as those of a signed integer
  case OpKind::IndexCast:
  case OpKind::TruncI:
  case OpKind::AddI:
  case OpKind::SubI:
  case OpKind::MulI: return true;
  default: return false;
  }
}

Term fits(Term term, Elem elem, Smt &smt) {
  const ElemInfo &info = elemInfo(elem);
  Term end = smt.powerOfTwo(info.isUnsigned ? info.bits : info.bits - 1);
  Term both[] = {smt.lessEqual(info.isUnsigned ? smt.integer(0) : smt.sub(smt.integer(0), end), term), smt.less(term, end)};
  return smt.all(both);
}

Term wrapped(Term term, Elem elem, Smt &smt) {
  const ElemInfo &info = elemInfo(elem);
  Term values = smt.powerOfTwo(info.bits);
  Term fromLowest = info.isUnsigned ? term : smt.add(term, smt.powerOfTwo(info.bits - 1));
  return smt.sub(term, smt.multiply(values, smt.floorDiv(fromLowest, values)));
}

} // namespace xt
