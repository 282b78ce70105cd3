#include "targets/xe/emit/matrix_joins.h"

#include "targets/xe/emit/device_calls.h"
#include "targets/xe/emit/matrix_exchange.h"
#include "targets/xe/emit/matrix_placeholders.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <map>
#include <vector>

namespace xt {
namespace {

// A value, or an element of a vector.
using Argument = std::pair<LlvmValue *, uint64_t>;
constexpr uint64_t kWhole = UINT64_MAX;

Argument argumentOf(LlvmValue *value) {
  auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(value);
  auto *index = extract ? llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()) : nullptr;
  return index ? Argument(extract->getVectorOperand(), index->getZExtValue()) : Argument(value, kWhole);
}

// The vector whose elements are the arguments of a call, all and in order; null if there is none.
LlvmValue *vectorOfArguments(const llvm::CallInst &call) {
  LlvmValue *vector = nullptr;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    auto [from, index] = argumentOf(call.getArgOperand(i));
    if (index != i || (vector && vector != from)) return nullptr;
    vector = from;
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
      if (std::optional<MatrixForm> form = formOf(made, MatrixExchange::ToMatrix))
        if (vectorOfArguments(*llvm::cast<llvm::CallInst>(made)) == vector) return form;
  }
  return std::nullopt;
}

// Makes a matrix once if several products have the same elements as an operand.
void joinEqual(llvm::Function &function, const UniformFlow &flow) {
  std::map<std::pair<llvm::Function *, std::vector<Argument>>, std::vector<llvm::WeakVH>> made; // used for lookup only
  eachPlaceholder(function, MatrixExchange::ToMatrix, [&](llvm::CallInst *call) {
    std::vector<Argument> arguments;
    for (LlvmValue *argument : call->args()) arguments.push_back(argumentOf(argument));
    std::vector<llvm::WeakVH> &same = made[{call->getCalledFunction(), std::move(arguments)}];
    for (const llvm::WeakVH &other : same)
      if (other && flow.dominators().dominates(other, call)) return replace(call, other);
    same.emplace_back(call);
  });
}

class Joiner {
public:
  Joiner(llvm::Function &function, const UniformFlow &flow) : flow_(flow) {
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (llvm::isa<llvm::PHINode>(instruction) || formOf(&instruction, MatrixExchange::ToMatrix))
        open_.emplace_back(&instruction);
  }

  void run() {
    while (!open_.empty()) {
      llvm::WeakVH next = open_.back();
      open_.pop_back();
      if (!next) continue;
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(next)) {
        if (std::optional<MatrixForm> form = formToCarry(*phi)) carry(phi, *form);
      } else {
        fold(llvm::cast<llvm::CallInst>(next));
      }
    }
  }

private:
  static void fold(llvm::CallInst *call) {
    MatrixForm form = *formOf(call, MatrixExchange::ToMatrix);
    LlvmValue *vector = vectorOfArguments(*call);
    if (vector && formOf(vector, MatrixExchange::ToLanes) == form)
      return replace(call, llvm::cast<llvm::CallInst>(vector)->getArgOperand(0));
    if (!isFill(*call)) return;
    llvm::IRBuilder<> b(call);
    DeviceFunction fill = matrixFill(form);
    llvm::Type *element = functionType(b.getContext(), fill)->getParamType(0);
    replace(call, callDevice(b, fill, {b.CreateBitCast(call->getArgOperand(0), element)}, DeviceEffect::Convergent));
  }

  static bool isSplat(const LlvmValue *value) {
    const auto *constant = llvm::dyn_cast<llvm::Constant>(value);
    return constant && constant->getSplatValue();
  }

  // A phi carries a matrix instead of the lanes' elements of it if a matrix is made of the phi, or if all that enters it is a
  // matrix or one value for all elements. All lanes must come the same way, and no exchange may move into a loop.
  std::optional<MatrixForm> formToCarry(const llvm::PHINode &phi) const {
    if (!phi.getType()->isVectorTy() || !flow_.isEnteredAlike(phi.getParent())) return std::nullopt;
    std::optional<MatrixForm> form = formMadeOf(&phi);
    bool made = form.has_value();
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
      const LlvmValue *incoming = phi.getIncomingValue(i);
      if (incoming == &phi || isSplat(incoming)) continue;
      std::optional<MatrixForm> own = formOf(incoming, MatrixExchange::ToLanes);
      if (own && !form) form = own;
      if (own && own == form) {
        if (!made && flow_.isInDeeperLoop(phi.getParent(), phi.getIncomingBlock(i))) return std::nullopt;
        continue;
      }
      if (!made || flow_.isInDeeperLoop(phi.getIncomingBlock(i), phi.getParent())) return std::nullopt;
    }
    return form;
  }

  void carry(llvm::PHINode *phi, const MatrixForm &form) {
    auto *vector = llvm::cast<llvm::FixedVectorType>(phi->getType());
    llvm::IRBuilder<> b(phi);
    llvm::PHINode *matrix = b.CreatePHI(matrixType(b.getContext(), form), phi->getNumIncomingValues());
    b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    LlvmValue *lanes = lanesOfMatrix(b, form, matrix, vector->getElementType(), vector->getNumElements());
    std::vector<llvm::WeakVH> touched = neighbours(*phi);
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      LlvmValue *incoming = phi->getIncomingValue(i);
      if (incoming == phi) {
        matrix->addIncoming(matrix, phi->getIncomingBlock(i));
        continue;
      }
      b.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
      LlvmValues elements;
      for (unsigned k = 0; k < vector->getNumElements(); ++k) elements.push_back(b.CreateExtractElement(incoming, uint64_t{k}));
      LlvmValue *made = matrixOfLanes(b, form, elements);
      touched.emplace_back(made);
      matrix->addIncoming(made, phi->getIncomingBlock(i));
    }
    replace(phi, lanes);
    open_.insert(open_.end(), touched.begin(), touched.end());
  }

  // The phis that enter a phi or that it enters, and the matrices that are made of it: what may be joined once it carries a
  // matrix.
  static std::vector<llvm::WeakVH> neighbours(llvm::PHINode &phi) {
    std::vector<llvm::WeakVH> all;
    for (LlvmValue *incoming : phi.incoming_values())
      if (incoming != &phi && llvm::isa<llvm::PHINode>(incoming)) all.emplace_back(incoming);
    for (llvm::User *user : phi.users()) {
      if (user != &phi && llvm::isa<llvm::PHINode>(user)) all.emplace_back(user);
      if (!llvm::isa<llvm::ExtractElementInst>(user)) continue;
      for (llvm::User *made : user->users())
        if (formOf(made, MatrixExchange::ToMatrix)) all.emplace_back(made);
    }
    return all;
  }

  const UniformFlow &flow_;
  std::vector<llvm::WeakVH> open_; // phis, and placeholders of matrices, that may be joined; null once erased
};

// Moves an exchange whose elements are not needed in its block behind the loops that it is in.
void sinkToUses(llvm::Function &function, const UniformFlow &flow) {
  eachPlaceholder(function, MatrixExchange::ToLanes, [&](llvm::CallInst *call) {
    if (call->use_empty()) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(call);
      return;
    }
    llvm::BasicBlock *block = nullptr;
    for (const llvm::Use &use : call->uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      auto *phi = llvm::dyn_cast<llvm::PHINode>(user);
      llvm::BasicBlock *there = phi ? phi->getIncomingBlock(use) : user->getParent();
      block = block ? flow.commonDominator(block, there) : there;
    }
    block = flow.behind(call->getParent(), block);
    if (block != call->getParent()) call->moveBefore(block->getFirstInsertionPt());
  });
}

} // namespace

void joinMatrices(llvm::Function &function, const UniformFlow &flow) {
  joinEqual(function, flow);
  Joiner(function, flow).run();
  sinkToUses(function, flow);
}

} // namespace xt
