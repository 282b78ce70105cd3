// Conversions between float formats in registers. Rounding to formats other than f32 and f64 operates on the bits:
// the hardware's bf16 conversion flushes subnormals, and for most formats there is no hardware conversion.
#pragma once
#include "targets/llvm/register_form.h"

namespace xt {

class FloatConversion {
public:
  // `halves`: whether LLVM's half converts to and from float in one instruction.
  FloatConversion(const RegisterForm &form, bool halves) : form_(form), b(form.builder()), halves_(halves) {}

  // Converts with a single rounding to nearest even.
  LlvmValue *convert(LlvmValue *value, Elem from, Elem to) const;
  LlvmValue *narrow(LlvmValue *value, Elem to) const; // converts from f32

private:
  LlvmValue *widen(LlvmValue *value, Elem from) const; // converts to f32, exactly
  LlvmValue *narrowToOdd(LlvmValue *value) const;      // converts f64 to f32 such that a second rounding is correct
  LlvmValue *widenNibble(LlvmValue *bits, Elem to) const;
  LlvmValue *widenScale(LlvmValue *bits) const; // of f8E8M0
  LlvmValue *narrowToScale(LlvmValue *value) const;
  LlvmValue *widenImage(LlvmValue *bits, Elem from) const;
  LlvmValue *narrowImage(LlvmValue *value, Elem to) const;
  LlvmValue *roundMantissa(LlvmValue *bits, unsigned dropped) const; // rounds to nearest even; does not clear the dropped bits

  const RegisterForm &form_;
  llvm::IRBuilderBase &b;
  bool halves_;
};

} // namespace xt
