// The loads and stores of a kernel that move whole operands of products. A target with cooperative matrices moves these between
// memory and matrices without the lanes.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/op.h"

namespace xt {

class Context;

// The types and sizes of a `dpas`. `lanes`: the lanes that hold the fragments that are its operands; 0 if its operands are whole
// matrices.
MmaShape productShape(Context &context, const Op &dpas, int64_t lanes);

// An operand of a product: 0 is a, 1 is b, 2 is c; also the result, which has the layout of c.
struct ProductOperand {
  const Op *product = nullptr; // null: none
  size_t operand = 0;
  explicit operator bool() const { return product != nullptr; }
};

// The operand of a product that a value becomes, directly, by ops that only rearrange it, or in a loop, if each use is such an
// operand, with the same number and of products with the same types and sizes. Returns the first product.
ProductOperand productOf(const Value *loaded);
// The product whose result a value is, directly or as the value that a loop carries.
ProductOperand productThatGives(const Value *stored);

// The operand of a product that an op moves whole between memory and the lanes: load_tile and load_nd without padding, store_tile
// and store_nd to rows. The memory must not be packed. Returns nothing for all other ops.
ProductOperand movedOperand(const Op &op);

// Whether a load_nd or store_nd at lane scope moves such an operand, and the lanes hold its elements as the target's instruction
// takes them; with TargetInfo::matrixLoads, whether a load_nd loads whole matrices from shared local memory.
bool movesMatrix(Context &context, const TargetInfo &target, const Op &op, int64_t lanes);
// The layout of an operand of an instruction.
const MmaOperandLayout &layoutOf(const MmaInstruction &instruction, size_t operand);

} // namespace xt
