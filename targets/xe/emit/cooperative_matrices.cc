// Products of SPV_KHR_cooperative_matrix, and blocks that go between memory and their operands without the lanes.
#include "ir/gpu/matrix_operands.h"
#include "targets/llvm/lane/products.h"
#include "targets/llvm/lane/uniform_branch.h"
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

// A block in memory, as instructions on matrices take it.
struct MatrixPlace {
  LlvmValue *whole = nullptr; // whether the block is in bounds and aligned; a constant `false` if it never is
  LlvmValue *address = nullptr, *pitch = nullptr, *layout = nullptr;
};

// SPIR-V does not define how matrices in memory are aligned. This is Vulkan's rule: each row (each column, if columns are contiguous)
// is aligned to its size, and to at most this number of bytes.
constexpr int64_t kMostAlignment = 16;

// The pointer as one to bytes. A variable is a pointer to an array, which instructions on matrices do not take.
LlvmValue *toBytes(llvm::IRBuilderBase &b, LlvmValue *pointer) {
  if (!llvm::isa<llvm::GlobalVariable>(pointer)) return pointer;
  return b.Insert(llvm::GetElementPtrInst::Create(b.getInt8Ty(), pointer, {b.getInt64(0)})); // not folded
}

MatrixPlace placeOf(LaneContext &c, const Value *desc, bool isTransposed) {
  const LaneParts &parts = c.values.partsOf(desc);
  auto isOne = [](LlvmValue *stride) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(stride);
    return constant && constant->isOne();
  };
  bool byRows = isOne(parts[kColumnStride]), byColumns = isOne(parts[kRowStride]);
  if (!byRows && !byColumns) return {c.b.getFalse()};
  Type type = desc->type();
  auto wide = [&](size_t part) { return c.values.wide(parts[part]); };
  LlvmValue *bytes = c.values.number(elemInfo(type.elem()).storageBytes), *room = c.values.number(0);
  if (type.data().boundaryCheck)
    for (size_t d = 0; d < 2; ++d) { // negative if the block leaves its matrix
      LlvmValue *last = c.b.CreateSub(wide(kRows + d), c.values.number(type.extent(static_cast<int>(d))));
      room = c.b.CreateOr(room, c.b.CreateOr(wide(kY + d), c.b.CreateSub(last, wide(kY + d))));
    }
  LlvmValue *elements =
      c.b.CreateAdd(c.b.CreateMul(wide(kY), parts[kRowStride]), c.b.CreateMul(wide(kX), parts[kColumnStride]));
  MatrixPlace place;
  place.address = toBytes(c.b, byteOffset(c.b, parts[kBase], c.b.CreateMul(elements, bytes)));
  place.pitch = byRows ? parts[kRowStride] : parts[kColumnStride];
  place.layout = c.b.getInt32(byRows != isTransposed ? spirv::kRowMajor : spirv::kColumnMajor);
  LlvmValue *number = c.b.CreatePtrToInt(place.address, c.b.getInt64Ty());
  LlvmValue *apart = c.b.CreateOr(number, c.b.CreateMul(place.pitch, bytes));
  int64_t line = type.extent(byRows ? 1 : 0) * elemInfo(type.elem()).storageBytes;
  LlvmValue *odd = c.b.CreateAnd(apart, c.values.number(std::min(line, kMostAlignment) - 1));
  place.whole = c.b.CreateAnd(c.b.CreateICmpSGT(room, c.values.number(-1)), c.b.CreateICmpEQ(odd, c.values.number(0)));
  return place;
}

bool never(const MatrixPlace &place) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(place.whole);
  return known && known->isZero();
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
  if (never(place)) return byLanes();
  c.output.divergentBarriers |= !llvm::isa<llvm::Constant>(place.whole); // exchanges elements if the block is not whole
  auto whole = [&]() -> LlvmValues {
    return {callDevice(c.b, matrixLoad(form, spaceOf(desc)), {place.address, place.layout, place.pitch}, DeviceEffect::Memory)};
  };
  auto inParts = [&]() -> LlvmValues { return {matrixOfFragment(c, form, inOrderOfRegisters(byLanes(), *registers))}; };
  llvm::BasicBlock *before = c.b.GetInsertBlock();
  LlvmValue *matrix = ifElse(c.b, place.whole, whole, inParts)[0];
  markUniform(*before);
  return inOrderOfElements(fragmentOfMatrix(c, form, matrix, registers->registers.size()), *registers);
}

void XeLaneDevice::storeMatrix(LaneContext &c, const Op &op, const Fragment &value,
                               llvm::function_ref<void(const Fragment &)> byLanes) {
  auto [form, registers] = matrixOf(c, op);
  const Value *desc = op.operand(1);
  MatrixPlace place = placeOf(c, desc, false);
  if (never(place)) return byLanes(value);
  c.output.divergentBarriers |= !llvm::isa<llvm::Constant>(place.whole); // exchanges elements if the block is not whole
  LlvmValue *matrix = matrixOfFragment(c, form, inOrderOfRegisters(value, *registers));
  llvm::BasicBlock *before = c.b.GetInsertBlock();
  ifThen(
      c.b, place.whole,
      [&] {
        callDevice(c.b, matrixStore(form, spaceOf(desc)), {place.address, matrix, place.layout, place.pitch},
                   DeviceEffect::Memory);
      },
      [&] { byLanes(inOrderOfElements(fragmentOfMatrix(c, form, matrix, value.size()), *registers)); });
  markUniform(*before);
}

} // namespace xt
