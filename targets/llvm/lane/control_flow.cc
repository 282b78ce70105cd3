#include "targets/llvm/lane/control_flow.h"

#include "ir/uniformity.h"
#include "targets/llvm/lane/failures.h"
#include "targets/llvm/lane/phi.h"
#include "targets/llvm/lane/uniform_branch.h"

namespace xt {
namespace {

// Returns the window from which `window` was made by moving it within its matrix.
const Value *beforeMoves(const Value *window) {
  while (const Op *op = window->definingOp()) {
    TypeRule rule = op->info().typeRule;
    if (rule != TypeRule::UpdateTileOffset && rule != TypeRule::UpdateNdOffset && rule != TypeRule::UpdateTdesc) break;
    window = op->operand(0);
  }
  return window;
}

} // namespace

// Marks the branch at the end of a block if all lanes of a subgroup take it alike, as the op's condition or bounds are the
// same.
void LaneControlFlow::markBranch(const Op &op, llvm::BasicBlock *block) {
  if (c.device.marksUniformBranches() && !divergesAt(op, c.lanesDiffer)) markUniform(*block);
}

// Decides how each part (LLVM value) of the carried values is carried. A part that no iteration changes needs no phi; without a
// phi it stays a known value, such as a constant stride of 1. A part that advances as the loop's variable does is computed from
// it, so that the loop has only one counter.
void LaneControlFlow::chooseCarries(Carried &carried, std::optional<int64_t> step) {
  for (size_t i = 0; i < carried.params.size(); ++i) {
    const Value *param = carried.params[i], *next = carried.yielded[i];
    Type type = param->type();
    bool same = param == next, window = type.isWindow(), scatter = window && type.data().scatter;
    bool sameMatrix = window && beforeMoves(next) == param;
    size_t count = v.flatten(carried.inits[i]).size(), matrixParts = scatter ? size_t{kScatterParts} : size_t{kY};
    auto counts = [&](size_t dim) {
      std::optional<Interval> delta = step ? c.ranges.moved({param, dim}, next) : std::nullopt;
      return delta && *delta == Interval{*step, *step};
    };
    for (size_t part = 0; part < count; ++part) {
      bool offset = (type.isIndex() && part == 0) || (window && !scatter && (part == kY || part == kX));
      size_t dim = window && part == kX ? 1 : 0;
      bool still = same || (sameMatrix && part < matrixParts) ||
                   (offset && window && c.ranges.moved({param, dim}, next) == Interval{0, 0});
      carried.how.push_back(still ? Carry::Same : offset && counts(dim) ? Carry::Counted : Carry::Phi);
    }
  }
}

// Creates phis in the current block for the initial values, which come from `before`, with the bit widths of the parameters.
void LaneControlFlow::enterLoop(Carried &carried, llvm::BasicBlock *before, LlvmValue *variable, LlvmValue *lower) {
  llvm::BasicBlock *body = b.GetInsertBlock();
  b.SetInsertPoint(before->getTerminator());
  LaneParts given = v.flatten(carried.inits);
  v.unflatten(carried.params, given);
  carried.initial = v.flatten(carried.params);
  b.SetInsertPoint(body);
  for (size_t i = 0; i < carried.initial.size(); ++i) {
    LlvmValue *initial = carried.initial[i];
    carried.inside.push_back(carried.how[i] == Carry::Phi ? openPhi(b, initial, before) : initial);
  }
  LlvmValue *counted = variable ? b.CreateSub(variable, lower) : nullptr;
  for (size_t i = 0; i < carried.initial.size(); ++i)
    if (carried.how[i] == Carry::Counted) {
      carried.inside[i] = b.CreateAdd(carried.initial[i], b.CreateSExtOrTrunc(counted, carried.initial[i]->getType()));
      c.counted[carried.inside[i]] = {counted, {carried.initial[i]}, before, body};
    }
  v.unflatten(carried.params, carried.inside);
}

// Branches back to `body` if `again` holds. If the loop is guarded, `before` also branches to the end of the loop.
void LaneControlFlow::leaveLoop(const Op &op, Carried &carried, LlvmValue *again, llvm::BasicBlock *body,
                                llvm::BasicBlock *before, bool guarded) {
  // Converts the yielded values to the widths of the parameters.
  LaneParts yielded = v.flatten(carried.yielded);
  for (size_t i = 0; i < yielded.size(); ++i)
    if (yielded[i]->getType() != carried.inside[i]->getType())
      yielded[i] = b.CreateSExtOrTrunc(yielded[i], carried.inside[i]->getType());
  llvm::BasicBlock *latch = b.GetInsertBlock();
  for (size_t i = 0; i < yielded.size(); ++i)
    if (carried.how[i] == Carry::Phi) closePhi(b, carried.inside[i], yielded[i]);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "loop.end", latch->getParent());
  b.CreateCondBr(again, body, after);
  markBranch(op, latch);
  if (guarded) llvm::cast<llvm::BranchInst>(before->getTerminator())->setSuccessor(1, after);
  b.SetInsertPoint(after);
  LaneParts results;
  for (size_t i = 0; i < yielded.size(); ++i) {
    bool still = carried.how[i] == Carry::Same;
    LlvmValue *result = still ? carried.inside[i] : yielded[i];
    if (guarded && !still) {
      llvm::PHINode *phi = b.CreatePHI(result->getType(), 2);
      phi->addIncoming(carried.initial[i], before);
      phi->addIncoming(result, latch);
      result = phi;
    }
    results.push_back(result);
  }
  v.unflatten(carried.results, results);
}

// Hides a constant from the device's compiler: adds a 0 that is computed from an argument, so that it cannot be folded.
LlvmValue *LaneControlFlow::hidden(LlvmValue *number) {
  if (!c.extent) return number;
  LlvmValue *zero = b.CreateLShr(c.extent, 31); // the host rejects extents of 2^31 and more
  return b.CreateAdd(number, b.CreateZExtOrTrunc(zero, number->getType()));
}

void LaneControlFlow::emitFor(const Op &op) {
  const Block &block = *op.region(0);
  Carried carried{{op.operands().begin() + 3, op.operands().end()}, {}, yieldedBy(block), resultsOf(op), {}, {}, {}};
  for (size_t i = 1; i < block.params().size(); ++i) carried.params.push_back(block.param(i));
  const Value *variable = block.param(0);
  Interval low = c.ranges.of(op.operand(0)), high = c.ranges.of(op.operand(1)), by = c.ranges.of(op.operand(2));
  chooseCarries(carried, by.low == by.high ? std::optional(by.low) : std::nullopt);
  LlvmValue *lower = v.scalar(op.operand(0)), *upper = v.scalar(op.operand(1)), *step = v.scalar(op.operand(2));
  if (by.low <= 0)
    LaneFailures(c).failIf(b.CreateICmpSLE(step, llvm::ConstantInt::get(step->getType(), 0)), op,
                           "the step of a `for` must be positive");
  // The variable counts in 32 bits if it, and its value after the last iteration, fit as unsigned numbers.
  bool small = v.narrow(variable) && low.low >= 0 && high.fits32() && by.low > 0 && by.fits32();
  lower = v.resize(lower, small);
  upper = v.resize(upper, small);
  step = v.resize(step, small);
  bool guarded = low.high >= high.low || by.low <= 0;
  if (high.low == high.high && c.device.hidesLength(op)) upper = hidden(upper);
  LlvmValue *runs = b.CreateICmpSLT(lower, upper);
  if (by.low <= 0) runs = b.CreateAnd(runs, b.CreateICmpSGT(step, llvm::ConstantInt::get(step->getType(), 0)));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(b.getContext(), "for", function);
  if (guarded)
    b.CreateCondBr(runs, body, body); // the second successor is set when the loop's end is known
  else
    b.CreateBr(body);
  markBranch(op, before);

  b.SetInsertPoint(body);
  llvm::PHINode *i = openPhi(b, lower, before, variable->name());
  enterLoop(carried, before, i, lower);
  v.setIndex(variable, i);
  emitBlock(block);
  // Compares the unsigned distance to the end, because i + step may overflow.
  LlvmValue *again = small ? b.CreateICmpULT(b.CreateAdd(i, step), upper) : b.CreateICmpULT(step, b.CreateSub(upper, i));
  closePhi(b, i, b.CreateAdd(i, step));
  leaveLoop(op, carried, again, body, before, guarded);
}

void LaneControlFlow::emitWhile(const Op &op) {
  const Block &block = *op.region(0);
  Carried carried{{op.operands().begin() + 1, op.operands().end()}, {}, yieldedBy(block), resultsOf(op), {}, {}, {}};
  for (const auto &param : block.params()) carried.params.push_back(param.get());
  const Value *again = carried.yielded[0];
  carried.yielded.erase(carried.yielded.begin());
  chooseCarries(carried, std::nullopt);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(b.getContext(), "while", function);
  b.CreateCondBr(v.scalar(op.operand(0)), body, body);
  markBranch(op, before);
  b.SetInsertPoint(body);
  enterLoop(carried, before, nullptr, nullptr);
  emitBlock(block);
  leaveLoop(op, carried, v.scalar(again), body, before, true);
}

void LaneControlFlow::emitIf(const Op &op) {
  std::vector<Value *> results = resultsOf(op);
  auto branch = [&](size_t region) -> LlvmValues {
    if (region >= op.regionCount()) return {};
    emitBlock(*op.region(region));
    v.unflatten(results, v.flatten(yieldedBy(*op.region(region)))); // converts them to the widths of the results
    return v.flatten(results);
  };
  llvm::BasicBlock *before = b.GetInsertBlock();
  LlvmValues parts = ifElse(b, v.scalar(op.operand(0)), [&] { return branch(0); }, [&] { return branch(1); });
  markBranch(op, before);
  v.unflatten(results, parts);
}

} // namespace xt
