// Matrix products: cl_intel_subgroup_matrix_multiply_accumulate and its tf32 companion.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/xe/emit/matrix_exchange.h"
#include "targets/xe/emit/xe_lane_device.h"

namespace xt {

// Intel's compiler unrolls a loop of known length. In a loop whose products are already unrolled, this gains nothing, and
// moves operands between registers.
bool XeLaneDevice::hidesLength(const Op &loop) const {
  bool multiplies = false;
  walk(*loop.region(0), [&](const Op &op) { multiplies |= op.kind() == OpKind::Dpas; });
  return multiplies;
}

Fragment XeLaneDevice::product(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                               const Fragment &sum) {
  if (target_.cooperativeMatrices) return productOfMatrices(c, instruction, a, b, sum);
  bool singles = instruction.a == Elem::TF32;
  auto words = [&](const Fragment &fragment, unsigned bits) {
    if (!singles) return asWords(c.b, fragment, bits);
    Fragment rounded;
    for (LlvmValue *part : c.values.chunksOf(fragment, Elem::TF32)) append(rounded, c.ops.mmaOperand(part, Elem::TF32));
    return together(c.b, rounded);
  };
  // A register of operand `a` has 32 bits per lane on targets with 8 lanes, and 16 bits on those with 16.
  LlvmValue *x = words(a, kernel_.lanes == 16 ? 16 : 32), *y = words(b, 32), *z = together(c.b, sum);
  llvm::Type *form = z->getType();
  if (instruction.result == Elem::F16) z = castBits(c.b, z, vectorOf(c.b.getHalfTy(), sum.size()));
  LlvmValue *product =
      options_.intelExtensions()
          ? callDevice(c.b, productInstruction(instruction),
                       {c.values.number32(instruction.k), x, y, z, c.values.number32(productOperands(instruction))},
                       DeviceEffect::Convergent)
          : callDevice(c.b, deviceFunction(instruction), {x, y, z}, DeviceEffect::Convergent);
  Fragment own;
  append(own, castBits(c.b, product, form));
  return own;
}

} // namespace xt
