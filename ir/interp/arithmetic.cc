#include "ir/interp/arithmetic.h"

namespace xt {

namespace {
class IeeeArithmetic final : public Arithmetic {
public:
  Number constant(Elem elem, const AttrValue &value) override { return numberFromAttr(elem, value); }
  Number load(Elem elem, const void *bytes) override { return loadNumber(elem, bytes); }
  void store(Elem elem, void *bytes, Number value) override { storeNumber(elem, bytes, value); }
  void elementwise(const ElementwiseOp &op, std::span<const Numbers> operands, Number *out, size_t count) override {
    evaluateElementwise(op, operands, out, count);
  }
  void multiplyAccumulate(Elem operand, Elem result, MmaExtents shape, const Number *a, const Number *b, Number *acc) override {
    xt::multiplyAccumulate(operand, result, shape, a, b, acc);
  }
  double real(Number number) const override { return number.f; }
};
} // namespace

Arithmetic &ieeeArithmetic() {
  static IeeeArithmetic arithmetic;
  return arithmetic;
}

} // namespace xt
