// Elementwise ops on floats in registers.
#pragma once
#include "targets/llvm/float_conversion.h"
#include "targets/llvm/lane_by_lane.h"
#include "targets/llvm/register_traits.h"

namespace xt {

// The name of an op's function in both the C library and OpenCL C; "" if the op is not such a function.
std::string_view mathFunctionName(OpKind kind);

class FloatArithmetic {
public:
  FloatArithmetic(const RegisterForm &form, const FloatConversion &formats, LaneByLane &lanes, RegisterTraits traits)
      : form_(form), formats_(formats), lanes_(lanes), b(form.builder()), traits_(traits) {}

  LlvmValue *compute(OpKind kind, LlvmValues args, Elem elem) const;
  LlvmValue *compare(const Op &op, LlvmValues args, Elem elem) const;
  LlvmValue *fromInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) const;
  LlvmValue *toInteger(LlvmValue *value, Elem from, Elem to, bool isSigned) const;

private:
  LlvmValue *smallFma(const LlvmValues &args, Elem elem) const;
  LlvmValue *smallest(OpKind kind, const LlvmValues &args) const;
  LlvmValue *toOdd(LlvmValue *value, LlvmValue *error) const;
  LlvmValue *stickyInteger(LlvmValue *x, bool isSigned, unsigned digits) const;

  const RegisterForm &form_;
  const FloatConversion &formats_;
  LaneByLane &lanes_;
  llvm::IRBuilderBase &b;
  RegisterTraits traits_;
};

} // namespace xt
