#include "targets/xe/emit/matrix_exchange.h"

#include "ir/base/check.h"
#include "ir/gpu/matrix_operands.h"
#include "targets/llvm/lane/uniform_branch.h"
#include "targets/llvm/lane/windows.h"
#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/matrix_joins.h"
#include "targets/xe/emit/matrix_placeholders.h"
#include "targets/xe/library/spirv_numbers.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

namespace xt {
namespace {

constexpr unsigned kSlmSpace = 3;
constexpr uint64_t kScratchAlignment = 64;

// Emits the exchanges of a kernel.
class Exchanger {
public:
  Exchanger(llvm::Function &function, const TargetInfo &target, const LaneKernel &kernel)
      : function_(function), target_(target), subgroups_(kernel.subgroups), lanes_(kernel.subgroupSize) {}

  int64_t run() {
    eachPlaceholder(function_, MatrixExchange::ToMatrix, [&](llvm::CallInst *call) { lowerToMatrix(call); });
    eachPlaceholder(function_, MatrixExchange::ToLanes, [&](llvm::CallInst *call) { lowerToLanes(call); });
    return base_ ? subgroups_ * matrixScratchBytes(target_) : 0;
  }

private:
  const MmaOperandLayout &operandLayout(const MatrixForm &form) const {
    for (const MmaInstruction &row : target_.mma)
      for (size_t operand = 0; operand < kMatrixUses.size(); ++operand)
        if (matrixForm(row, kMatrixUses[operand]) == form) return layoutOf(row, operand);
    XT_UNREACHABLE("a matrix of the target's table");
  }

  // Makes the variable, and in the entry block the address of the subgroup's part of it, and the lane's number.
  void prepare() {
    if (base_) return;
    auto bytes = static_cast<uint64_t>(subgroups_ * matrixScratchBytes(target_));
    auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(function_.getContext()), bytes);
    auto *variable = new llvm::GlobalVariable(*function_.getParent(), type, false, llvm::GlobalValue::InternalLinkage,
                                              llvm::PoisonValue::get(type), function_.getName() + ".matrices", nullptr,
                                              llvm::GlobalValue::NotThreadLocal, kSlmSpace);
    variable->setAlignment(llvm::Align(kScratchAlignment));
    llvm::IRBuilder<> b(function_.getEntryBlock().getTerminator());
    LlvmValue *subgroup = callDevice(b, deviceFunction("get_sub_group_id", {}, "j"), {}, DeviceEffect::None);
    base_ = byteOffset(b, variable, b.CreateMul(subgroup, b.getInt32(static_cast<uint32_t>(matrixScratchBytes(target_)))));
    lane_ = callDevice(b, deviceFunction("get_sub_group_local_id", {}, "j"), {}, DeviceEffect::None);
  }

  // The part of an index that depends on the lane's number.
  LlvmValue *ofLane(llvm::IRBuilder<> &b, const MmaOperandDim &dim) const {
    LlvmValue *part = lanePart(b, lane_, lanes_, dim.digits());
    return part ? part : b.getInt32(0);
  }
  static int64_t registerPart(int64_t number, const MmaOperandDim &dim) {
    int64_t sum = 0, weight = 1;
    for (size_t i = dim.digits().size(); i-- > 0; weight *= dim.digits()[i].extent)
      if (const Factor &digit = dim.digits()[i]; digit.axis == Axis::Register)
        sum += number / digit.stride % digit.extent * weight;
    return sum;
  }

  // The addresses of a lane's elements in the row-major copy of the matrix in shared local memory.
  LlvmValues addresses(llvm::IRBuilder<> &b, const MatrixForm &form, size_t count) {
    const MmaOperandLayout &layout = operandLayout(form);
    int64_t bytes = elemInfo(form.elem).storageBytes;
    LlvmValue *first = b.CreateAdd(b.CreateMul(ofLane(b, layout.rows), b.getInt32(static_cast<uint32_t>(form.columns))),
                                   ofLane(b, layout.columns));
    LlvmValue *own = byteOffset(b, base_, b.CreateMul(first, b.getInt32(static_cast<uint32_t>(bytes))));
    LlvmValues all;
    for (size_t k = 0; k < count; ++k) {
      auto number = static_cast<int64_t>(k);
      int64_t element = registerPart(number, layout.rows) * form.columns + registerPart(number, layout.columns);
      all.push_back(byteOffset(b, own, b.getInt32(static_cast<uint32_t>(element * bytes))));
    }
    return all;
  }

  static void barrier(llvm::IRBuilder<> &b) {
    callDevice(b, deviceFunction("__spirv_ControlBarrier", {"j", "j", "j"}, "v"),
               {b.getInt32(spirv::kScopeSubgroup), b.getInt32(spirv::kScopeSubgroup),
                b.getInt32(spirv::kSequentiallyConsistent | spirv::kWorkgroupMemory)},
               DeviceEffect::Memory);
  }
  static LlvmValue *rowMajor(llvm::IRBuilder<> &b) { return b.getInt32(spirv::kRowMajor); }

  void lowerToMatrix(llvm::CallInst *call) {
    if (call->use_empty()) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(call);
      return;
    }
    prepare();
    MatrixForm form = *formOf(call, MatrixExchange::ToMatrix);
    llvm::IRBuilder<> b(call);
    llvm::Align align(static_cast<uint64_t>(elemInfo(form.elem).storageBytes));
    barrier(b);
    LlvmValues places = addresses(b, form, call->arg_size());
    for (unsigned k = 0; k < call->arg_size(); ++k) b.CreateAlignedStore(call->getArgOperand(k), places[k], align);
    barrier(b);
    LlvmValue *pitch = b.getInt64(static_cast<uint64_t>(form.columns));
    replace(call, callDevice(b, matrixLoad(form, MemorySpace::Slm), {base_, rowMajor(b), pitch}, DeviceEffect::Memory));
  }

  void lowerToLanes(llvm::CallInst *call) {
    prepare();
    MatrixForm form = *formOf(call, MatrixExchange::ToLanes);
    auto *vector = llvm::cast<llvm::FixedVectorType>(call->getType());
    llvm::IRBuilder<> b(call);
    llvm::Align align(static_cast<uint64_t>(elemInfo(form.elem).storageBytes));
    LlvmValue *pitch = b.getInt64(static_cast<uint64_t>(form.columns));
    barrier(b);
    callDevice(b, matrixStore(form, MemorySpace::Slm), {base_, call->getArgOperand(0), rowMajor(b), pitch},
               DeviceEffect::Memory);
    barrier(b);
    LlvmValue *elements = llvm::PoisonValue::get(vector);
    LlvmValues places = addresses(b, form, vector->getNumElements());
    for (unsigned k = 0; k < vector->getNumElements(); ++k)
      elements = b.CreateInsertElement(elements, b.CreateAlignedLoad(vector->getElementType(), places[k], align), uint64_t{k});
    replace(call, elements);
  }

  llvm::Function &function_;
  const TargetInfo &target_;
  int64_t subgroups_, lanes_;
  LlvmValue *base_ = nullptr, *lane_ = nullptr;
};

} // namespace

LlvmValue *matrixOfLanes(llvm::IRBuilderBase &b, const MatrixForm &form, llvm::ArrayRef<LlvmValue *> elements) {
  return placeholder(b, MatrixExchange::ToMatrix, form, matrixType(b.getContext(), form), elements);
}

LlvmValue *lanesOfMatrix(llvm::IRBuilderBase &b, const MatrixForm &form, LlvmValue *matrix, llvm::Type *element, size_t count) {
  return placeholder(b, MatrixExchange::ToLanes, form, llvm::FixedVectorType::get(element, static_cast<unsigned>(count)),
                     {matrix});
}

int64_t lowerMatrixExchanges(llvm::Function &function, const TargetInfo &target, const LaneKernel &kernel) {
  joinMatrices(function, UniformFlow(function));
  int64_t bytes = Exchanger(function, target, kernel).run();
  eraseUnusedPlaceholders(*function.getParent());
  for (llvm::BasicBlock &block : function) block.getTerminator()->setMetadata(kUniformBranch, nullptr);
  return bytes;
}

} // namespace xt
