#include "targets/xe/emit/matrix_exchange.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "targets/xe/emit/device_calls.h"
#include "targets/xe/library/spirv_numbers.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <map>
#include <vector>

namespace xt {
namespace {

constexpr std::string_view kOfLanes = "xt.matrix.of.lanes.", kToLanes = "xt.lanes.of.matrix.";
constexpr unsigned kSlmSpace = 3;
constexpr uint64_t kScratchAlignment = 64;

llvm::CallInst *placeholder(llvm::IRBuilderBase &b, const std::string &name, llvm::Type *result,
                            llvm::ArrayRef<LlvmValue *> arguments) {
  llvm::SmallVector<llvm::Type *, 16> types;
  for (LlvmValue *argument : arguments) types.push_back(argument->getType());
  llvm::Module *module = b.GetInsertBlock()->getModule();
  auto *function =
      llvm::cast<llvm::Function>(module->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)).getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setConvergent();
  return b.CreateCall(function, arguments);
}

// The form of the matrix of a placeholder; nullopt if the value is not a call of a placeholder of this kind.
std::optional<MatrixForm> formOf(const LlvmValue *value, std::string_view kind) {
  const auto *call = llvm::dyn_cast<llvm::CallInst>(value);
  const llvm::Function *called = call ? call->getCalledFunction() : nullptr;
  if (!called || !called->getName().starts_with(llvm::StringRef(kind))) return std::nullopt;
  return matrixOfTypeName(std::string_view(called->getName()).substr(kind.size()));
}

// The vector whose elements are the arguments of a call, all and in order; null if there is none.
LlvmValue *vectorOfArguments(const llvm::CallInst &call) {
  LlvmValue *vector = nullptr;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(call.getArgOperand(i));
    auto *index = extract ? llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index || index->getZExtValue() != i || (vector && vector != extract->getVectorOperand())) return nullptr;
    vector = extract->getVectorOperand();
  }
  bool whole = vector && llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements() == call.arg_size();
  return whole ? vector : nullptr;
}

// Whether all elements are one value, which no lane has on its own.
bool isFill(const llvm::CallInst &call) {
  bool common = llvm::isa<llvm::Constant>(call.getArgOperand(0)) || llvm::isa<llvm::Argument>(call.getArgOperand(0));
  return common &&
         std::all_of(call.arg_begin(), call.arg_end(), [&](const llvm::Use &each) { return each == call.getArgOperand(0); });
}

// The form of the matrix that is made of all elements of a vector; nullopt if there is no such matrix.
std::optional<MatrixForm> formMadeOf(const LlvmValue *vector) {
  for (const llvm::User *user : vector->users()) {
    if (!llvm::isa<llvm::ExtractElementInst>(user)) continue;
    for (const llvm::User *made : user->users())
      if (std::optional<MatrixForm> form = formOf(made, kOfLanes))
        if (vectorOfArguments(*llvm::cast<llvm::CallInst>(made)) == vector) return form;
  }
  return std::nullopt;
}

// Calls `f` for each placeholder of this kind. `f` may erase it and others.
void eachPlaceholder(llvm::Function &function, std::string_view kind, llvm::function_ref<void(llvm::CallInst *)> f) {
  std::vector<llvm::WeakVH> calls; // null once erased
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (formOf(&instruction, kind)) calls.emplace_back(&instruction);
  for (const llvm::WeakVH &call : calls)
    if (call) f(llvm::cast<llvm::CallInst>(call));
}

void replace(llvm::Instruction *old, LlvmValue *value) {
  llvm::SmallVector<llvm::WeakTrackingVH, 16> operands(old->operands());
  old->replaceAllUsesWith(value);
  old->eraseFromParent();
  for (llvm::WeakTrackingVH &operand : operands)
    if (operand) llvm::RecursivelyDeleteTriviallyDeadInstructions(operand);
}

// --- what need not be exchanged ---------------------------------------------------------------------------------------------

// Replaces a matrix that is made of all lanes' elements of a matrix of the same form by that matrix, and one whose elements are
// all the same value by a fill.
bool foldPairs(llvm::Function &function) {
  bool changed = false;
  eachPlaceholder(function, kOfLanes, [&](llvm::CallInst *call) {
    MatrixForm form = *formOf(call, kOfLanes);
    LlvmValue *vector = vectorOfArguments(*call);
    llvm::IRBuilder<> b(call);
    if (vector && formOf(vector, kToLanes) == form) {
      replace(call, llvm::cast<llvm::CallInst>(vector)->getArgOperand(0));
    } else if (isFill(*call)) {
      DeviceFunction fill = matrixFill(form);
      llvm::Type *element = functionType(b.getContext(), fill)->getParamType(0);
      replace(call, callDevice(b, fill, {b.CreateBitCast(call->getArgOperand(0), element)}, DeviceEffect::Convergent));
    } else {
      return;
    }
    changed = true;
  });
  return changed;
}

// An argument of a placeholder: a value, or an element of a vector.
using Argument = std::pair<LlvmValue *, uint64_t>;

Argument argumentOf(LlvmValue *value) {
  auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(value);
  auto *index = extract ? llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()) : nullptr;
  return index ? Argument(extract->getVectorOperand(), index->getZExtValue()) : Argument(value, UINT64_MAX);
}

// Makes a matrix once if several products have the same elements as an operand.
void joinEqual(llvm::Function &function) {
  llvm::DominatorTree dominators(function);
  std::map<std::pair<llvm::Function *, std::vector<Argument>>, std::vector<llvm::WeakVH>> made; // used for lookup only
  eachPlaceholder(function, kOfLanes, [&](llvm::CallInst *call) {
    std::vector<Argument> arguments;
    for (LlvmValue *argument : call->args()) arguments.push_back(argumentOf(argument));
    std::vector<llvm::WeakVH> &same = made[{call->getCalledFunction(), std::move(arguments)}];
    for (const llvm::WeakVH &other : same)
      if (other && dominators.dominates(other, call)) return replace(call, other);
    same.emplace_back(call);
  });
}

// Carries a matrix through a phi instead of the lanes' elements of it, if a matrix is made of the phi, or if all that enters it
// is a matrix or one value for all elements.
std::optional<MatrixForm> formToCarry(const llvm::PHINode &phi) {
  if (!phi.getType()->isVectorTy()) return std::nullopt;
  if (std::optional<MatrixForm> made = formMadeOf(&phi)) return made;
  std::optional<MatrixForm> form;
  for (const llvm::Use &incoming : phi.incoming_values()) {
    if (incoming == &phi) continue;
    const auto *constant = llvm::dyn_cast<llvm::Constant>(incoming);
    if (constant && constant->getSplatValue()) continue;
    std::optional<MatrixForm> own = formOf(incoming, kToLanes);
    if (!own || (form && form != own)) return std::nullopt;
    form = own;
  }
  return form;
}

void carryMatrix(llvm::PHINode *phi, const MatrixForm &form) {
  auto *vector = llvm::cast<llvm::FixedVectorType>(phi->getType());
  llvm::IRBuilder<> b(phi);
  llvm::PHINode *matrix = b.CreatePHI(matrixType(b.getContext(), form), phi->getNumIncomingValues());
  b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  LlvmValue *lanes = lanesOfMatrix(b, form, matrix, vector->getElementType(), vector->getNumElements());
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    LlvmValue *incoming = phi->getIncomingValue(i);
    if (incoming == phi) {
      matrix->addIncoming(matrix, phi->getIncomingBlock(i));
      continue;
    }
    b.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
    LlvmValues elements;
    for (unsigned k = 0; k < vector->getNumElements(); ++k) elements.push_back(b.CreateExtractElement(incoming, uint64_t{k}));
    matrix->addIncoming(matrixOfLanes(b, form, elements), phi->getIncomingBlock(i));
  }
  replace(phi, lanes);
}

bool carryMatrices(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&instruction))
      if (std::optional<MatrixForm> form = formToCarry(*phi)) {
        carryMatrix(phi, *form);
        return true;
      }
  return false;
}

// Moves an exchange whose elements are not needed in its block out of loops: to the last block in front of all uses that every
// lane reaches, and no more often.
void sinkToUses(llvm::Function &function) {
  llvm::DominatorTree before(function);
  llvm::PostDominatorTree after(function);
  llvm::LoopInfo loops(before);
  eachPlaceholder(function, kToLanes, [&](llvm::CallInst *call) {
    if (call->use_empty()) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(call);
      return;
    }
    llvm::BasicBlock *own = call->getParent(), *block = nullptr;
    for (const llvm::Use &use : call->uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::BasicBlock *there = phi ? phi->getIncomingBlock(use) : user->getParent();
      block = block ? before.findNearestCommonDominator(block, there) : there;
    }
    while (block != own && !(after.dominates(block, own) && loops.getLoopDepth(block) <= loops.getLoopDepth(own)))
      block = before.getNode(block)->getIDom()->getBlock();
    if (block != own) call->moveBefore(block->getFirstInsertionPt());
  });
}

// --- exchanges -------------------------------------------------------------------------------------------------------------

class Exchanger {
public:
  Exchanger(llvm::Function &function, const TargetInfo &target, int64_t subgroups)
      : function_(function), target_(target), subgroups_(subgroups) {}

  int64_t run() {
    eachPlaceholder(function_, kOfLanes, [&](llvm::CallInst *call) { lowerToMatrix(call); });
    eachPlaceholder(function_, kToLanes, [&](llvm::CallInst *call) { lowerToLanes(call); });
    return base_ ? subgroups_ * matrixScratchBytes(target_) : 0;
  }

private:
  const MmaOperandLayout &layoutOf(const MatrixForm &form) const {
    for (const MmaInstruction &row : target_.mma) {
      if (matrixForm(row, MatrixUse::A) == form) return row.aLayout;
      if (matrixForm(row, MatrixUse::B) == form) return row.bLayout;
      if (matrixForm(row, MatrixUse::Accumulator) == form) return row.cLayout;
    }
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

  // The part of an index that follows from a lane's number.
  LlvmValue *lanePart(llvm::IRBuilder<> &b, const MmaOperandDim &dim) const {
    LlvmValue *sum = b.getInt32(0);
    uint32_t weight = 1;
    for (size_t i = dim.digits().size(); i-- > 0;) {
      const Factor &digit = dim.digits()[i];
      if (digit.axis == Axis::Lane) {
        LlvmValue *value = b.CreateURem(b.CreateUDiv(lane_, b.getInt32(static_cast<uint32_t>(digit.stride))),
                                        b.getInt32(static_cast<uint32_t>(digit.extent)));
        sum = b.CreateAdd(sum, b.CreateMul(value, b.getInt32(weight)));
      }
      weight *= static_cast<uint32_t>(digit.extent);
    }
    return sum;
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
    const MmaOperandLayout &layout = layoutOf(form);
    int64_t bytes = elemInfo(form.elem).storageBytes;
    LlvmValue *first = b.CreateAdd(b.CreateMul(lanePart(b, layout.rows), b.getInt32(static_cast<uint32_t>(form.columns))),
                                   lanePart(b, layout.columns));
    LlvmValue *ofLane = byteOffset(b, base_, b.CreateMul(first, b.getInt32(static_cast<uint32_t>(bytes))));
    LlvmValues all;
    for (size_t k = 0; k < count; ++k) {
      auto number = static_cast<int64_t>(k);
      int64_t element = registerPart(number, layout.rows) * form.columns + registerPart(number, layout.columns);
      all.push_back(byteOffset(b, ofLane, b.getInt32(static_cast<uint32_t>(element * bytes))));
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
    MatrixForm form = *formOf(call, kOfLanes);
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
    MatrixForm form = *formOf(call, kToLanes);
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
  int64_t subgroups_;
  LlvmValue *base_ = nullptr, *lane_ = nullptr;
};

void eraseUnusedPlaceholders(llvm::Module &module) {
  for (llvm::Function &function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    bool isPlaceholder = name.starts_with(llvm::StringRef(kOfLanes)) || name.starts_with(llvm::StringRef(kToLanes));
    if (isPlaceholder && function.use_empty()) function.eraseFromParent();
  }
}

} // namespace

LlvmValue *matrixOfLanes(llvm::IRBuilderBase &b, const MatrixForm &form, llvm::ArrayRef<LlvmValue *> elements) {
  return placeholder(b, str(kOfLanes, matrixTypeName(form)), matrixType(b.getContext(), form), elements);
}

LlvmValue *lanesOfMatrix(llvm::IRBuilderBase &b, const MatrixForm &form, LlvmValue *matrix, llvm::Type *element, size_t count) {
  return placeholder(b, str(kToLanes, matrixTypeName(form)), llvm::FixedVectorType::get(element, static_cast<unsigned>(count)),
                     {matrix});
}

int64_t lowerMatrixExchanges(llvm::Function &kernel, const TargetInfo &target, int64_t subgroups) {
  joinEqual(kernel);
  while (foldPairs(kernel) || carryMatrices(kernel)) {}
  sinkToUses(kernel);
  int64_t bytes = Exchanger(kernel, target, subgroups).run();
  eraseUnusedPlaceholders(*kernel.getParent());
  return bytes;
}

} // namespace xt
