// Products of SPV_KHR_cooperative_matrix, and blocks that go between memory and their operands without the lanes.
#include "ir/gpu/matrix_operands.h"
#include "targets/llvm/lane/products.h"
#include "targets/llvm/lane/uniform_branch.h"
#include "targets/llvm/lane/windows.h"
#include "targets/xe/emit/matrix_exchange.h"
#include "targets/xe/emit/xe_lane_device.h"
#include "targets/xe/library/spirv_numbers.h"

#include <algorithm>

namespace xt {
namespace {

// The matrix of a block: its form, and the registers of a lane's elements.
struct BlockMatrix {
  MatrixForm form;
  const RegisterLayout *registers = nullptr; // null: the block is no matrix
};

BlockMatrix matrixOf(LaneContext &c, const Op &op) {
  if (!movesMatrix(c.types, c.target, op, c.kernel.lanes)) return {};
  ProductOperand moved = movedOperand(op);
  LaneProducts::Operand operand = LaneProducts(c).ownOperand(*moved.product, moved.operand);
  if (!operand) return {};
  return {matrixForm(*operand.row, kMatrixUses[moved.operand]), operand.registers};
}

LlvmValue *matrixOfFragment(LaneContext &c, const MatrixForm &form, const Fragment &inRegisters) {
  LlvmValues elements;
  for (const FragmentElement &element : inRegisters) elements.push_back(scalarOf(c.b, element));
  return matrixOfLanes(c.b, form, elements);
}

Fragment fragmentOfMatrix(LaneContext &c, const MatrixForm &form, LlvmValue *matrix, size_t count) {
  Fragment elements;
  append(elements, lanesOfMatrix(c.b, form, matrix, c.ops.type(form.elem, 0), count));
  return elements;
}

// SPIR-V does not define how matrices in memory are aligned. This is Vulkan's rule: each row (each column, if columns are contiguous)
// is aligned to its size, and to at most this number of bytes.
constexpr int64_t kMostAlignment = 16;

// A block in memory, as instructions on matrices take it.
struct MatrixPlace {
  BlockPlace block;
  LlvmValue *layout = nullptr;
};

MatrixPlace placeOf(LaneContext &c, const Value *desc, bool isTransposed) {
  const Type type = desc->type();
  auto alignmentOf = [&](int dim) { return std::min(type.extent(dim) * elemInfo(type.elem()).storageBytes, kMostAlignment); };
  MatrixPlace place{LaneWindows(c).placeOf(desc, alignmentOf)};
  if (place.block.never()) return place;
  place.layout = c.b.getInt32(place.block.byRows != isTransposed ? spirv::kRowMajor : spirv::kColumnMajor);
  return place;
}

MemorySpace spaceOf(const Value *desc) { return desc->type().data().space; }

} // namespace

Fragment productOfMatrices(LaneContext &c, const MmaInstruction &instruction, const Fragment &a, const Fragment &b,
                           const Fragment &sum) {
  auto matrix = [&](MatrixUse use, const Fragment &fragment) {
    return matrixOfFragment(c, matrixForm(instruction, use), fragment);
  };
  LlvmValue *x = matrix(MatrixUse::A, a), *y = matrix(MatrixUse::B, b), *z = matrix(MatrixUse::Accumulator, sum);
  LlvmValue *signs = c.values.number32(matrixSigns(instruction));
  LlvmValue *product = callDevice(c.b, matrixProduct(instruction), {x, y, z, signs}, DeviceEffect::Convergent);
  c.output.divergentBarriers |= c.divergentRegions > 0; // elements may be exchanged here
  return fragmentOfMatrix(c, matrixForm(instruction, MatrixUse::Accumulator), product, sum.size());
}

bool XeLaneDevice::takesMatrix(LaneContext &c, const Op &op) {
  return target_.cooperativeMatrices && matrixOf(c, op).registers;
}

Fragment XeLaneDevice::loadMatrix(LaneContext &c, const Op &op, llvm::function_ref<Fragment()> byLanes) {
  auto [form, registers] = matrixOf(c, op);
  const Value *desc = op.operand(0);
  MatrixPlace place = placeOf(c, desc, transposes(op));
  if (place.block.never()) return byLanes();
  c.output.divergentBarriers |= !llvm::isa<llvm::Constant>(place.block.whole); // exchanges elements if the block is not whole
  auto whole = [&]() -> LlvmValues {
    return {callDevice(c.b, matrixLoad(form, spaceOf(desc)), {place.block.address, place.layout, place.block.pitch},
                       DeviceEffect::Memory)};
  };
  auto inParts = [&]() -> LlvmValues { return {matrixOfFragment(c, form, inOrderOfRegisters(byLanes(), *registers))}; };
  llvm::BasicBlock *before = c.b.GetInsertBlock();
  LlvmValue *matrix = ifElse(c.b, place.block.whole, whole, inParts)[0];
  markUniform(*before);
  return inOrderOfElements(fragmentOfMatrix(c, form, matrix, registers->registers.size()), *registers);
}

void XeLaneDevice::storeMatrix(LaneContext &c, const Op &op, const Fragment &value,
                               llvm::function_ref<void(const Fragment &)> byLanes) {
  auto [form, registers] = matrixOf(c, op);
  const Value *desc = op.operand(1);
  MatrixPlace place = placeOf(c, desc, false);
  if (place.block.never()) return byLanes(value);
  c.output.divergentBarriers |= !llvm::isa<llvm::Constant>(place.block.whole); // exchanges elements if the block is not whole
  LlvmValue *matrix = matrixOfFragment(c, form, inOrderOfRegisters(value, *registers));
  llvm::BasicBlock *before = c.b.GetInsertBlock();
  ifThen(
      c.b, place.block.whole,
      [&] {
        callDevice(c.b, matrixStore(form, spaceOf(desc)), {place.block.address, matrix, place.layout, place.block.pitch},
                   DeviceEffect::Memory);
      },
      [&] { byLanes(inOrderOfElements(fragmentOfMatrix(c, form, matrix, value.size()), *registers)); });
  markUniform(*before);
}

} // namespace xt
