// Loops and branches, and the values that they carry.
#include "ir/constants.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/vector/fused_loop.h"

#include <algorithm>

namespace xt {

using enum KernelContext::TilePart;
using enum KernelContext::ScatterPart;

Parts ControlFlow::partsOfAll(llvm::ArrayRef<Value *> values) const {
  Parts all;
  for (const Value *value : values)
    if (!value->type().isVector())
      all.append(c_.parts.at(value)); // all parts of a scatter tile except its offsets, which are in a buffer
  return all;
}

void ControlFlow::setPartsOfAll(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts) {
  for (const Value *value : values) {
    size_t count = partCount(value->type());
    if (count == 0) continue;
    c_.parts[value] = Parts(parts.take_front(count));
    parts = parts.drop_front(count);
  }
}

size_t ControlFlow::partCount(Type type) {
  if (type.isVector()) return 0;
  if (type.isMemRef()) return 1 + 2 * static_cast<size_t>(type.rank());
  if (type.is(TypeKind::NBarrier)) return 4; // id, role, producers, consumers
  if (!type.isTile()) return 1;
  return type.data().scatter ? size_t{kScatterParts} : size_t{kTileParts};
}

namespace {

// The tile that `tile` was before it was moved within its matrix.
const Value *beforeMoves(const Value *tile) {
  while (tile->definingOp() && tile->definingOp()->kind() == OpKind::UpdateTileOffset) tile = tile->definingOp()->operand(0);
  return tile;
}

} // namespace

// Parts that no iteration changes need no phi. Without one their known values survive: a constant stride of 1 stays constant.
std::vector<bool> ControlFlow::fixedParts(llvm::ArrayRef<Value *> params, llvm::ArrayRef<Value *> yielded) {
  std::vector<bool> fixed;
  for (size_t i = 0; i < params.size(); ++i) {
    Type type = params[i]->type();
    bool same = params[i] == yielded[i], sameMatrix = type.isTile() && beforeMoves(yielded[i]) == params[i];
    for (size_t part = 0; part < partCount(type); ++part)
      fixed.push_back(same || (sameMatrix && (type.data().scatter || part < kY)));
  }
  return fixed;
}

Parts ControlFlow::carriedParts(llvm::ArrayRef<LlvmValue *> initial, const std::vector<bool> &fixed, llvm::BasicBlock *before) {
  Parts carried(initial);
  for (size_t i = 0; i < initial.size(); ++i) {
    if (fixed[i]) continue;
    llvm::PHINode *phi = b.CreatePHI(initial[i]->getType(), 2);
    phi->addIncoming(initial[i], before);
    carried[i] = phi;
  }
  return carried;
}

void ControlFlow::carryOn(llvm::ArrayRef<LlvmValue *> carried, const std::vector<bool> &fixed,
                          llvm::ArrayRef<LlvmValue *> next) {
  for (size_t i = 0; i < carried.size(); ++i)
    if (!fixed[i]) llvm::cast<llvm::PHINode>(carried[i])->addIncoming(next[i], b.GetInsertBlock());
}

// The number of iterations, 0 for a step that is not positive. Computed with unsigned numbers, so that the difference of the
// bounds does not overflow.
LlvmValue *ControlFlow::tripCount(LlvmValue *lower, LlvmValue *upper, LlvmValue *step) {
  LlvmValue *runs = b.CreateAnd(b.CreateICmpSLT(lower, upper), b.CreateICmpSGT(step, c_.number(0)));
  LlvmValue *last = b.CreateSub(b.CreateSub(upper, lower), c_.number(1));
  LlvmValue *divisor = b.CreateSelect(runs, step, c_.number(1));
  return b.CreateSelect(runs, b.CreateAdd(b.CreateUDiv(last, divisor), c_.number(1)), c_.number(0));
}

void ControlFlow::emitFor(const Op &op) {
  const Block &body = *op.region(0);
  std::vector<Value *> inits(op.operands().begin() + 3, op.operands().end()), params, yielded = yieldedBy(body);
  for (size_t i = 1; i < body.params().size(); ++i) params.push_back(body.param(i));
  moveAll(inits, params);

  LlvmValue *lower = c_.scalar(op.operand(0)), *step = c_.scalar(op.operand(2));
  if (constantInt(*op.operand(2)).value_or(0) <= 0)
    c_.failIf(b.CreateICmpSLE(step, c_.number(0)),
              c_.addFailure({op.operandRange(2), "the step of a `for` must be positive", {}}));
  LlvmValue *trips = tripCount(lower, c_.scalar(op.operand(1)), step);
  std::vector<bool> fixed = fixedParts(params, yielded);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(b.getContext(), "for", function);
  auto *inside = llvm::BasicBlock::Create(b.getContext(), "for.body", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "for.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::PHINode *round = b.CreatePHI(b.getInt64Ty(), 2), *index = b.CreatePHI(b.getInt64Ty(), 2);
  round->addIncoming(c_.number(0), before);
  index->addIncoming(lower, before);
  Parts carried = carriedParts(partsOfAll(inits), fixed, before);
  b.CreateCondBr(b.CreateICmpULT(round, trips), inside, after);

  b.SetInsertPoint(inside);
  c_.parts[body.param(0)] = {index};
  setPartsOfAll(params, carried);
  k_.emitBlock(body);
  moveAll(yielded, params);
  LlvmValue *nextRound = b.CreateAdd(round, c_.number(1)), *nextIndex = b.CreateAdd(index, step);
  round->addIncoming(nextRound, b.GetInsertBlock());
  index->addIncoming(nextIndex, b.GetInsertBlock());
  carryOn(carried, fixed, partsOfAll(yielded));
  b.CreateBr(header);
  function->insert(function->end(), after);
  b.SetInsertPoint(after);
  setPartsOfAll(resultsOf(op), carried);
}

// The condition is a phi, like the values that the loop carries.
void ControlFlow::emitWhile(const Op &op) {
  const Block &body = *op.region(0);
  std::vector<Value *> inits(op.operands().begin() + 1, op.operands().end()), params, yielded = yieldedBy(body);
  for (const auto &param : body.params()) params.push_back(param.get());
  const Value *again = yielded[0];
  yielded.erase(yielded.begin());
  moveAll(inits, params);
  std::vector<bool> fixed = fixedParts(params, yielded);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *header = llvm::BasicBlock::Create(b.getContext(), "while", function);
  auto *inside = llvm::BasicBlock::Create(b.getContext(), "while.body", function);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "while.end");
  b.CreateBr(header);
  b.SetInsertPoint(header);
  llvm::PHINode *condition = b.CreatePHI(b.getInt1Ty(), 2);
  condition->addIncoming(c_.scalar(op.operand(0)), before);
  Parts carried = carriedParts(partsOfAll(inits), fixed, before);
  b.CreateCondBr(condition, inside, after);

  b.SetInsertPoint(inside);
  setPartsOfAll(params, carried);
  k_.emitBlock(body);
  moveAll(yielded, params);
  condition->addIncoming(c_.scalar(again), b.GetInsertBlock());
  carryOn(carried, fixed, partsOfAll(yielded));
  b.CreateBr(header);
  function->insert(function->end(), after);
  b.SetInsertPoint(after);
  setPartsOfAll(resultsOf(op), carried);
}

void ControlFlow::emitIf(const Op &op) {
  std::vector<Value *> results = resultsOf(op);
  auto branch = [&](size_t region) -> Parts {
    if (region >= op.regionCount()) return {};
    k_.emitBlock(*op.region(region));
    std::vector<Value *> yielded = yieldedBy(*op.region(region));
    moveAll(yielded, results);
    return partsOfAll(yielded);
  };
  Parts parts = ifElse(b, c_.scalar(op.operand(0)), [&] { return branch(0); }, [&] { return branch(1); });
  setPartsOfAll(results, parts);
}

void ControlFlow::moveAll(llvm::ArrayRef<Value *> from, llvm::ArrayRef<Value *> to) {
  struct Move {
    Value *from;
    const Buffer *to;
  };
  std::vector<Move> moves;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!livesInBuffer(from[i]->type())) continue;
    const Buffer *own = c_.buffers.bufferOf(from[i]), *there = c_.buffers.bufferOf(to[i]);
    if (!own || own->offset != there->offset || own->shape != there->shape) moves.push_back({from[i], there});
  }
  // Emits one loop per shape and type, largest shape first. Each loop reads all its sources before it writes the first
  // destination. Only values of one shape can share a buffer, so no loop overwrites the sources of a later one. The operand of
  // a broadcast is smaller than its result, so it is read before a loop of its own shape may overwrite it.
  std::stable_sort(moves.begin(), moves.end(), [](const Move &x, const Move &y) {
    return x.to->shape.rows * x.to->shape.columns > y.to->shape.rows * y.to->shape.columns;
  });
  while (!moves.empty()) {
    BufferShape shape = moves[0].to->shape;
    FusedLoop loop(k_);
    std::erase_if(moves, [&](const Move &move) {
      if (move.to->shape != shape) return false;
      loop.toBuffer(move.from, *move.to);
      return true;
    });
    loop.emit();
  }
}

} // namespace xt
