#include "targets/xe/emit/cast_chains.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>

#include <vector>

namespace xt {
namespace {

bool isIntegerCast(const llvm::Value *value) {
  return llvm::isa<llvm::TruncInst>(value) || llvm::isa<llvm::ZExtInst>(value) || llvm::isa<llvm::SExtInst>(value);
}

// The value of `outer`, a cast of the cast `inner`, computed from the operand of `inner`.
llvm::Value *joined(llvm::IRBuilderBase &b, llvm::CastInst &outer, llvm::CastInst &inner) {
  llvm::Value *source = inner.getOperand(0);
  llvm::Type *type = outer.getType();
  unsigned width = type->getScalarSizeInBits(), between = inner.getType()->getScalarSizeInBits();
  bool wasSigned = llvm::isa<llvm::SExtInst>(inner), isSigned = llvm::isa<llvm::SExtInst>(outer);
  llvm::Value *whole = wasSigned ? b.CreateSExtOrTrunc(source, type) : b.CreateZExtOrTrunc(source, type);
  bool same = llvm::isa<llvm::TruncInst>(outer) || llvm::isa<llvm::ZExtInst>(inner) || (wasSigned && isSigned);
  if (same) return whole; // the intermediate type keeps all bits of the result, or all bits of the source
  if (!isSigned) return b.CreateAnd(whole, llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(width, between)));
  return b.CreateAShr(b.CreateShl(whole, width - between), width - between);
}

// True for `xor`, `icmp eq` and `icmp ne` of two vectors of i1.
bool comparesMasks(const llvm::Instruction &instruction) {
  const auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
  bool differs = instruction.getOpcode() == llvm::Instruction::Xor || (compare && compare->isEquality());
  return differs && instruction.getOperand(0)->getType()->isVectorTy() &&
         instruction.getOperand(0)->getType()->isIntOrIntVectorTy(1);
}

} // namespace

void joinCasts(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (bool again = true; again;) { // a pair that becomes one cast may form a pair with the cast before it
      again = false;
      std::vector<llvm::CastInst *> outers;
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (isIntegerCast(&instruction) && isIntegerCast(instruction.getOperand(0)))
          outers.push_back(llvm::cast<llvm::CastInst>(&instruction));
      for (llvm::CastInst *outer : outers) {
        llvm::IRBuilder<> builder(outer);
        if (!isIntegerCast(outer->getOperand(0))) continue; // the inner cast has been joined
        outer->replaceAllUsesWith(joined(builder, *outer, llvm::cast<llvm::CastInst>(*outer->getOperand(0))));
        again = true;
      }
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        if (isIntegerCast(&instruction) && instruction.use_empty()) instruction.eraseFromParent();
    }
}

void compareMasksAsBytes(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (!comparesMasks(instruction)) continue;
      llvm::IRBuilder<> b(&instruction);
      llvm::Type *bytes = instruction.getOperand(0)->getType()->getWithNewType(b.getInt8Ty());
      auto *compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
      llvm::Value *result =
          b.CreateICmp(compare ? compare->getPredicate() : llvm::CmpInst::ICMP_NE,
                       b.CreateZExt(instruction.getOperand(0), bytes), b.CreateZExt(instruction.getOperand(1), bytes));
      instruction.replaceAllUsesWith(result);
      instruction.eraseFromParent();
    }
}

} // namespace xt
