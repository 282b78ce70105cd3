// The exchange of elements between lanes and cooperative matrices.
//
// Only the device knows which lane holds which element of a matrix, so elements go through shared local memory. While a kernel
// is emitted, each product takes its operands from the lanes and gives its result to them by calls of placeholder functions.
// lowerMatrixExchanges() then removes what is not needed (the lanes' elements of a sum go to the next product only, in most
// kernels), and emits the rest.
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/llvm/lane/lane_context.h"
#include "targets/xe/emit/matrix_form.h"

#include <llvm/IR/Function.h>

namespace xt {

// The matrix whose elements the lanes hold: `elements` are those of one lane, in the order of the registers of the target's
// layout of the operand (MmaInstruction).
LlvmValue *matrixOfLanes(llvm::IRBuilderBase &b, const MatrixForm &form, llvm::ArrayRef<LlvmValue *> elements);
// The elements that a lane gets of a matrix, as a vector of `count` elements of this type, in the same order.
LlvmValue *lanesOfMatrix(llvm::IRBuilderBase &b, const MatrixForm &form, LlvmValue *matrix, llvm::Type *element, size_t count);

// A product of matrices that are made of the lanes' elements, which are in the order of the registers of the instruction; returns
// its elements in the same order.
Fragment productOfMatrices(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                           const Fragment &sum);

// Lowers all placeholders of a kernel. Returns the number of bytes of shared local memory that it has added for them.
int64_t lowerMatrixExchanges(llvm::Function &function, const TargetInfo &target, const LaneKernel &kernel);

} // namespace xt
