// Elementwise ops on integers in registers.
#pragma once
#include "targets/llvm/lane_by_lane.h"
#include "targets/llvm/register_form.h"

namespace xt {

class IntegerArithmetic {
public:
  IntegerArithmetic(const RegisterForm &form, LaneByLane &lanes) : form_(form), lanes_(lanes), b(form.builder()) {}

  LlvmValue *compute(OpKind kind, LlvmValues args, Elem elem) const;
  LlvmValue *compare(const Op &op, LlvmValues args, Elem elem) const;

private:
  LlvmValue *divide(OpKind kind, LlvmValue *x, LlvmValue *y, Elem elem) const;
  LlvmValue *shift(OpKind kind, LlvmValue *x, LlvmValue *amount, Elem elem, bool isSigned) const;

  const RegisterForm &form_;
  LaneByLane &lanes_;
  llvm::IRBuilderBase &b;
};

} // namespace xt
