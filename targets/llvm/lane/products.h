// Matrix products, which are computed by an instruction of the device, or by each lane for itself.
#pragma once
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/operand_layout.h"
#include "targets/llvm/lane/lane_context.h"

namespace xt {

// The elements that a lane holds of an operand, from row-major order to that of the instruction's registers, and back.
Fragment inOrderOfRegisters(const Fragment &elements, const RegisterLayout &layout);
Fragment inOrderOfElements(const Fragment &registers, const RegisterLayout &layout);

class LaneProducts : LanePart {
public:
  using LanePart::LanePart;
  // The first product (dpas) for which the target has no instruction; null if it has all.
  const Op *firstWithoutInstruction();
  // An instruction, and the registers of one of its operands.
  struct Operand {
    const MmaInstruction *row = nullptr;
    const RegisterLayout *registers = nullptr;
    explicit operator bool() const { return row != nullptr; }
  };
  // The instruction for an operand (0: a, 1: b, 2: c and the result) of a product whose fragments have the layout that the
  // instruction takes; nothing for other products.
  Operand ownOperand(const Op &dpas, size_t operand);
  void emitDpas(const Op &op);
  void emitTileMma(const Op &op);

private:
  // An instruction, and the layouts of its operands `a`, `b` and `c`, in this order.
  struct Instruction {
    const MmaInstruction *row = nullptr; // null: the target has none
    const std::array<RegisterLayout, 3> *layouts = nullptr;
  };
  Instruction instructionFor(const DpasFragments &product, const Op &dpas);
  DpasFragments fragmentsOf(const Op &dpas);
  Fragment inRegisters(const Op &dpas, size_t operand, const Layout *own, const RegisterLayout &wanted);
};

} // namespace xt
