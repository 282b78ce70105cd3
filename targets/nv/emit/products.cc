// Products: mma.sync. An operand is passed as registers of 32 bits, each of which holds the elements that fill it (f64: as numbers).
#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "targets/nv/emit/nv_lane_device.h"
#include "targets/nv/library/mma_name.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace xt {
namespace {

// Appends the registers of a fragment, in order, each of the type `form`; null: as they are.
void appendRegisters(LaneContext &c, LlvmValues &registers, const Fragment &fragment, llvm::Type *form) {
  if (!form) {
    for (const FragmentElement &element : fragment) registers.push_back(scalarOf(c.b, element));
    return;
  }
  unsigned bits = scalarOf(c.b, fragment[0])->getType()->getScalarSizeInBits();
  size_t each = 32 / bits;
  for (size_t k = 0; k < fragment.size(); k += each)
    registers.push_back(castBits(c.b, together(c.b, std::span(fragment).subspan(k, each)), form));
}

Fragment rounded(LaneContext &c, const Fragment &fragment) {
  Fragment all;
  for (LlvmValue *part : c.values.chunksOf(fragment, Elem::TF32)) append(all, c.ops.mmaOperand(part, Elem::TF32));
  return all;
}

} // namespace

Fragment NvLaneDevice::product(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                               const Fragment &sum) {
  llvm::Type *pair = llvm::FixedVectorType::get(c.b.getHalfTy(), 2), *word = c.b.getInt32Ty();
  bool doubles = instruction.a == Elem::F64, singles = instruction.a == Elem::TF32, halves = instruction.result == Elem::F16;
  llvm::Type *operandForm = doubles ? nullptr : instruction.a == Elem::F16 ? pair : word;
  LlvmValues registers;
  for (const Fragment *operand : {&a, &b})
    appendRegisters(c, registers, singles ? rounded(c, *operand) : *operand, operandForm);
  appendRegisters(c, registers, sum, halves ? pair : nullptr);
  llvm::Intrinsic::ID id = llvm::Intrinsic::lookupIntrinsicID(mmaIntrinsicName(instruction));
  XT_CHECK(id != llvm::Intrinsic::not_intrinsic, "LLVM has each product of the target's table");
  LlvmValue *product = c.b.CreateIntrinsic(id, {}, registers);
  Fragment own;
  for (unsigned i = 0; i < llvm::cast<llvm::StructType>(product->getType())->getNumElements(); ++i) {
    LlvmValue *part = c.b.CreateExtractValue(product, i);
    append(own, halves ? castBits(c.b, part, llvm::FixedVectorType::get(c.b.getInt16Ty(), 2)) : part);
  }
  return own;
}

} // namespace xt
