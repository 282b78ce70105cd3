// Matrix products: cl_intel_subgroup_matrix_multiply_accumulate and its tf32 companion.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/llvm/lane/exchange.h"
#include "targets/xe/emit/xe_lane_device.h"

#include <algorithm>

namespace xt {
const Layout *XeLaneDevice::layoutOfA(const Op &dpas) const {
  Type a = dpas.operand(0)->type(), bType = dpas.operand(1)->type(), result = dpas.result()->type();
  auto found = dpasFragments(types_, a, bType, result, kernel_.lanes);
  const auto *of = std::get_if<DpasFragments>(&found);
  XT_CHECK(of, "the type rule has found these fragments");
  bool exact = std::any_of(target_.mma.begin(), target_.mma.end(), [&](const MmaShape &shape) {
    return shape.a == a.elem() && shape.b == bType.elem() && shape.result == result.elem() && shape.m == of->rows &&
           shape.n == of->columns && shape.k == of->depth;
  });
  if (!exact || of->columns != kernel_.lanes) return nullptr;
  return hardwareFragments(types_, of->rows, of->columns, of->depth, a.elem(), kernel_.lanes).a;
}

// Intel's compiler unrolls a loop of known length. If products are already unrolled, this gains nothing and moves their
// operands between registers.
bool XeLaneDevice::hidesLength(const Op &loop) const {
  bool multiplies = false;
  walk(*loop.region(0), [&](const Op &op) { multiplies |= op.kind() == OpKind::Dpas; });
  return multiplies;
}

Fragment XeLaneDevice::product(LaneContext &c, const Op &op) {
  Type a = op.operand(0)->type(), bType = op.operand(1)->type(), result = op.result()->type();
  auto found = dpasFragments(types_, a, bType, result, kernel_.lanes);
  const auto *of = std::get_if<DpasFragments>(&found);
  const Layout *wanted = layoutOfA(op);
  XT_CHECK(of && wanted, "a product that the target has");
  Fragment left = c.values.fragment(op.operand(0)), right = c.values.fragment(op.operand(1));
  if (wanted != of->a) {
    left = LaneExchange(c).dealtAs(left, a.elem(), *of->a, *wanted);
    remark(op, "`dpas` needs the columns of a in separate lanes: its elements are first exchanged between lanes");
  }
  bool singles = a.elem() == Elem::TF32;
  // Per lane, a register of the operand has 32 bits on targets with 8 lanes, and 16 on those with 16.
  unsigned wordsOfA = kernel_.lanes == 16 ? 16 : 32;
  auto words = [&](const Fragment &fragment, unsigned bits) {
    if (!singles) return asWords(c.b, fragment, bits);
    Fragment rounded;
    for (LlvmValue *part : c.values.chunksOf(fragment, Elem::TF32)) append(rounded, c.ops.mmaOperand(part, Elem::TF32));
    return together(c.b, rounded);
  };
  LlvmValue *x = words(left, wordsOfA), *y = words(right, 32);
  Fragment sum = op.operandCount() > 2 ? c.values.fragment(op.operand(2))
                                       : LaneValues::splat(c.ops.zero(result.elem(), 0), static_cast<size_t>(of->rows));
  LlvmValue *z = together(c.b, sum);
  llvm::Type *form = z->getType();
  if (result.elem() == Elem::F16) z = castBits(c.b, z, vectorOf(c.b.getHalfTy(), sum.size()));
  MmaShape shape{a.elem(), bType.elem(), result.elem(), of->rows, of->columns, of->depth};
  LlvmValue *product = options_.intelExtensions
                           ? callDevice(c.b, productInstruction(shape),
                                        {c.values.number32(shape.k), x, y, z, c.values.number32(productOperands(shape))},
                                        DeviceEffect::Convergent)
                           : callDevice(c.b, deviceFunction(shape), {x, y, z}, DeviceEffect::Convergent);
  Fragment own;
  append(own, castBits(c.b, product, form));
  return own;
}

} // namespace xt
