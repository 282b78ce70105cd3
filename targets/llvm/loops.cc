#include "targets/llvm/loops.h"

namespace xt {

using llvm::BasicBlock;
using llvm::Value;

namespace {

struct Turn {
  LlvmValues next;
  Value *again;
};

// Runs the first iteration if `any` is true. The first carried value is the counter of iterations.
LlvmValues loopWhile(llvm::IRBuilderBase &b, Value *any, llvm::ArrayRef<Value *> inits,
                     llvm::function_ref<Turn(llvm::ArrayRef<Value *> carried)> body) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::LLVMContext &context = b.getContext();
  BasicBlock *before = b.GetInsertBlock();
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(any);
  if (known && known->isZero()) return LlvmValues(inits);
  BasicBlock *loop = BasicBlock::Create(context, "loop", function);
  BasicBlock *after = BasicBlock::Create(context, "after");
  if (known)
    b.CreateBr(loop);
  else
    b.CreateCondBr(any, loop, after);

  b.SetInsertPoint(loop);
  LlvmValues carried;
  for (Value *init : inits) {
    llvm::PHINode *phi = b.CreatePHI(init->getType(), 2);
    phi->addIncoming(init, before);
    carried.push_back(phi);
  }
  carried.front()->setName("i");
  Turn turn = body(carried);
  BasicBlock *latch = b.GetInsertBlock();
  for (size_t n = 0; n < carried.size(); ++n) llvm::cast<llvm::PHINode>(carried[n])->addIncoming(turn.next[n], latch);
  b.CreateCondBr(turn.again, loop, after);

  function->insert(function->end(), after);
  b.SetInsertPoint(after);
  if (known) return turn.next;
  LlvmValues results{turn.next[0]}; // the callers drop the counter, which therefore needs no phi
  for (size_t n = 1; n < carried.size(); ++n) {
    llvm::PHINode *phi = b.CreatePHI(inits[n]->getType(), 2);
    phi->addIncoming(inits[n], before);
    phi->addIncoming(turn.next[n], latch);
    results.push_back(phi);
  }
  return results;
}

LlvmValues behindFirst(Value *first, llvm::ArrayRef<Value *> others) {
  LlvmValues all{first};
  all.append(others.begin(), others.end());
  return all;
}

} // namespace

LlvmValues forLoop(llvm::IRBuilderBase &b, Value *lower, Value *upper, Value *step, llvm::ArrayRef<Value *> inits,
                   llvm::function_ref<LlvmValues(Value *i, llvm::ArrayRef<Value *> carried)> body) {
  LlvmValues results =
      loopWhile(b, b.CreateICmpSLT(lower, upper), behindFirst(lower, inits), [&](llvm::ArrayRef<Value *> carried) {
        LlvmValues next = body(carried.front(), carried.drop_front());
        Value *following = b.CreateAdd(carried.front(), step);
        return Turn{behindFirst(following, next), b.CreateICmpSLT(following, upper)};
      });
  results.erase(results.begin());
  return results;
}

LlvmValues repeat(llvm::IRBuilderBase &b, Value *count, bool atLeastOnce, llvm::ArrayRef<Value *> inits,
                  llvm::function_ref<LlvmValues(llvm::ArrayRef<Value *> carried)> body) {
  Value *none = llvm::Constant::getNullValue(count->getType());
  LlvmValues results = loopWhile(b, atLeastOnce ? b.getTrue() : b.CreateICmpSGT(count, none), behindFirst(count, inits),
                                 [&](llvm::ArrayRef<Value *> carried) {
                                   LlvmValues next = body(carried.drop_front());
                                   Value *left = b.CreateSub(carried.front(), llvm::ConstantInt::get(count->getType(), 1));
                                   return Turn{behindFirst(left, next), b.CreateICmpNE(left, none)};
                                 });
  results.erase(results.begin());
  return results;
}

void forLoop(llvm::IRBuilderBase &b, Value *lower, Value *upper, Value *step, llvm::function_ref<void(Value *i)> body) {
  forLoop(b, lower, upper, step, {}, [&](Value *i, llvm::ArrayRef<Value *>) {
    body(i);
    return LlvmValues();
  });
}

void ifThen(llvm::IRBuilderBase &b, Value *condition, llvm::function_ref<void()> then) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *yes = BasicBlock::Create(b.getContext(), "then", function);
  BasicBlock *join = BasicBlock::Create(b.getContext(), "join");
  b.CreateCondBr(condition, yes, join);
  b.SetInsertPoint(yes);
  then();
  b.CreateBr(join);
  function->insert(function->end(), join);
  b.SetInsertPoint(join);
}

void ifThen(llvm::IRBuilderBase &b, Value *condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise) {
  auto giving = [](llvm::function_ref<void()> emit) { return [emit] { return emit(), LlvmValues(); }; };
  ifElse(b, condition, giving(then), giving(otherwise));
}

LlvmValues ifElse(llvm::IRBuilderBase &b, Value *condition, llvm::function_ref<LlvmValues()> then,
                  llvm::function_ref<LlvmValues()> otherwise) {
  llvm::Function *function = b.GetInsertBlock()->getParent();
  BasicBlock *yes = BasicBlock::Create(b.getContext(), "then", function);
  BasicBlock *no = BasicBlock::Create(b.getContext(), "else");
  BasicBlock *join = BasicBlock::Create(b.getContext(), "join");
  b.CreateCondBr(condition, yes, no);
  b.SetInsertPoint(yes);
  LlvmValues first = then();
  BasicBlock *yesEnd = b.GetInsertBlock();
  b.CreateBr(join);
  function->insert(function->end(), no);
  b.SetInsertPoint(no);
  LlvmValues second = otherwise();
  BasicBlock *noEnd = b.GetInsertBlock();
  b.CreateBr(join);
  function->insert(function->end(), join);
  b.SetInsertPoint(join);
  LlvmValues results;
  for (size_t n = 0; n < first.size(); ++n) {
    if (first[n] == second[n]) {
      results.push_back(first[n]);
      continue;
    }
    llvm::PHINode *phi = b.CreatePHI(first[n]->getType(), 2);
    phi->addIncoming(first[n], yesEnd);
    phi->addIncoming(second[n], noEnd);
    results.push_back(phi);
  }
  return results;
}

Value *byteOffset(llvm::IRBuilderBase &b, Value *base, Value *bytes) {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(bytes); known && known->isZero()) return base;
  return b.CreatePtrAdd(base, bytes);
}

} // namespace xt
