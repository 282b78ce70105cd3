// Loops and branches, the values that they carry, and the reports of failures to the host.
#include "ir/asserted_shape.h"
#include "ir/base/check.h"
#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/views/tile.h"
#include "targets/xe/emit/kernel_emitter.h"

#include <llvm/IR/Module.h>

namespace xt {
namespace {

constexpr int64_t kNoNumber = 0xFFFFFFFF; // no element fails

bool multiplies(const Block &block) {
  bool found = false;
  walk(block, [&](const Op &op) { found |= op.kind() == OpKind::Dpas; });
  return found;
}

// The window that `window` was before it was moved within its matrix.
const Value *beforeMoves(const Value *window) {
  while (const Op *op = window->definingOp()) {
    TypeRule rule = op->info().typeRule;
    if (rule != TypeRule::UpdateTileOffset && rule != TypeRule::UpdateNdOffset && rule != TypeRule::UpdateTdesc) break;
    window = op->operand(0);
  }
  return window;
}

} // namespace

// Parts that no iteration changes need no phi. Without one their known values survive: a constant stride of 1 stays constant.
// Parts that move like the loop's variable are computed from it, so that one counter serves all.
void XeKernelEmitter::chooseCarries(Carried &carried, std::optional<int64_t> step) {
  for (size_t i = 0; i < carried.params.size(); ++i) {
    const Value *param = carried.params[i], *next = carried.yielded[i];
    Type type = param->type();
    bool same = param == next, window = type.isWindow(), scatter = window && type.data().scatter;
    bool sameMatrix = window && beforeMoves(next) == param;
    size_t count = flatten(carried.inits[i]).size(), matrixParts = scatter ? size_t{kScatterParts} : size_t{kY};
    auto counts = [&](size_t dim) {
      std::optional<Interval> delta = step ? ranges_.moved({param, dim}, next) : std::nullopt;
      return delta && *delta == Interval{*step, *step};
    };
    for (size_t part = 0; part < count; ++part) {
      bool offset = (type.isIndex() && part == 0) || (window && !scatter && (part == kY || part == kX));
      size_t dim = window && part == kX ? 1 : 0;
      bool still = same || (sameMatrix && part < matrixParts) ||
                   (offset && window && ranges_.moved({param, dim}, next) == Interval{0, 0});
      carried.how.push_back(still ? Carry::Same : offset && counts(dim) ? Carry::Counted : Carry::Phi);
    }
  }
}

// A phi with a single incoming value would be folded to that value, so an unknown value is added until the loop is closed.
llvm::PHINode *XeKernelEmitter::openPhi(LlvmValue *initial, llvm::BasicBlock *before, const llvm::Twine &name) {
  llvm::PHINode *phi = b.CreatePHI(initial->getType(), 2, name);
  phi->addIncoming(initial, before);
  auto *unknown = new llvm::FreezeInst(llvm::PoisonValue::get(initial->getType()), "", before->getTerminator()->getIterator());
  phi->addIncoming(unknown, before);
  return phi;
}

void XeKernelEmitter::closePhi(LlvmValue *value, LlvmValue *next) {
  auto *phi = llvm::cast<llvm::PHINode>(value);
  auto *unknown = llvm::cast<llvm::FreezeInst>(phi->getIncomingValue(1));
  phi->setIncomingValue(1, next);
  phi->setIncomingBlock(1, b.GetInsertBlock());
  unknown->eraseFromParent();
}

// Creates phis in the current block for the values that come from `before`, with the bit widths of the parameters.
void XeKernelEmitter::enterLoop(Carried &carried, llvm::BasicBlock *before, LlvmValue *variable, LlvmValue *lower) {
  llvm::BasicBlock *body = b.GetInsertBlock();
  b.SetInsertPoint(before->getTerminator());
  Parts given = flatten(carried.inits);
  unflatten(carried.params, given);
  carried.initial = flatten(carried.params);
  b.SetInsertPoint(body);
  for (size_t i = 0; i < carried.initial.size(); ++i) {
    LlvmValue *initial = carried.initial[i];
    carried.inside.push_back(carried.how[i] == Carry::Phi ? openPhi(initial, before) : initial);
  }
  LlvmValue *counted = variable ? b.CreateSub(variable, lower) : nullptr;
  for (size_t i = 0; i < carried.initial.size(); ++i)
    if (carried.how[i] == Carry::Counted)
      carried.inside[i] = b.CreateAdd(carried.initial[i], b.CreateSExtOrTrunc(counted, carried.initial[i]->getType()));
  unflatten(carried.params, carried.inside);
}

// Branches back if `again` holds. A guarded loop is also left from `before`.
void XeKernelEmitter::leaveLoop(Carried &carried, LlvmValue *again, llvm::BasicBlock *body, llvm::BasicBlock *before,
                                bool guarded) {
  // The yielded values are converted to the widths of the parameters.
  Parts yielded = flatten(carried.yielded);
  for (size_t i = 0; i < yielded.size(); ++i)
    if (yielded[i]->getType() != carried.inside[i]->getType())
      yielded[i] = b.CreateSExtOrTrunc(yielded[i], carried.inside[i]->getType());
  llvm::BasicBlock *latch = b.GetInsertBlock();
  for (size_t i = 0; i < yielded.size(); ++i)
    if (carried.how[i] == Carry::Phi) closePhi(carried.inside[i], yielded[i]);
  auto *after = llvm::BasicBlock::Create(b.getContext(), "loop.end", latch->getParent());
  b.CreateCondBr(again, body, after);
  if (guarded) llvm::cast<llvm::BranchInst>(before->getTerminator())->setSuccessor(1, after);
  b.SetInsertPoint(after);
  Parts results;
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
  unflatten(carried.results, results);
}

// Intel's compiler unrolls a loop of known length. If products are already unrolled, this gains nothing and moves their
// operands between registers, so the length is hidden from it.
LlvmValue *XeKernelEmitter::hidden(LlvmValue *number) {
  if (!extent_) return number;
  LlvmValue *zero = b.CreateLShr(extent_, 31); // the host rejects extents of 2^31 and more
  return b.CreateAdd(number, b.CreateZExtOrTrunc(zero, number->getType()));
}

void XeKernelEmitter::emitFor(const Op &op) {
  const Block &block = *op.region(0);
  Carried carried{{op.operands().begin() + 3, op.operands().end()}, {}, yieldedBy(block), resultsOf(op), {}, {}, {}};
  for (size_t i = 1; i < block.params().size(); ++i) carried.params.push_back(block.param(i));
  const Value *variable = block.param(0);
  Interval low = ranges_.of(op.operand(0)), high = ranges_.of(op.operand(1)), by = ranges_.of(op.operand(2));
  chooseCarries(carried, by.low == by.high ? std::optional(by.low) : std::nullopt);
  LlvmValue *lower = scalar(op.operand(0)), *upper = scalar(op.operand(1)), *step = scalar(op.operand(2));
  if (by.low <= 0)
    failIf(b.CreateICmpSLE(step, llvm::ConstantInt::get(step->getType(), 0)), op, "the step of a `for` must be positive");
  // The variable counts in 32 bits if it, and its value after the last iteration, fit as unsigned numbers.
  bool small = narrow(variable) && low.low >= 0 && high.fits32() && by.low > 0 && by.fits32();
  lower = resize(lower, small);
  upper = resize(upper, small);
  step = resize(step, small);
  bool guarded = low.high >= high.low || by.low <= 0;
  if (high.low == high.high && multiplies(block)) upper = hidden(upper);
  LlvmValue *runs = b.CreateICmpSLT(lower, upper);
  if (by.low <= 0) runs = b.CreateAnd(runs, b.CreateICmpSGT(step, llvm::ConstantInt::get(step->getType(), 0)));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(b.getContext(), "for", function);
  if (guarded)
    b.CreateCondBr(runs, body, body); // the second successor is set when the loop's end is known
  else
    b.CreateBr(body);

  b.SetInsertPoint(body);
  llvm::PHINode *i = openPhi(lower, before, variable->name());
  enterLoop(carried, before, i, lower);
  setIndex(variable, i);
  emitBlock(block);
  // Compares the unsigned distance to the end, because i + step may overflow.
  LlvmValue *again = small ? b.CreateICmpULT(b.CreateAdd(i, step), upper) : b.CreateICmpULT(step, b.CreateSub(upper, i));
  closePhi(i, b.CreateAdd(i, step));
  leaveLoop(carried, again, body, before, guarded);
}

void XeKernelEmitter::emitWhile(const Op &op) {
  const Block &block = *op.region(0);
  Carried carried{{op.operands().begin() + 1, op.operands().end()}, {}, yieldedBy(block), resultsOf(op), {}, {}, {}};
  for (const auto &param : block.params()) carried.params.push_back(param.get());
  const Value *again = carried.yielded[0];
  carried.yielded.erase(carried.yielded.begin());
  chooseCarries(carried, std::nullopt);
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *body = llvm::BasicBlock::Create(b.getContext(), "while", function);
  b.CreateCondBr(scalar(op.operand(0)), body, body);
  b.SetInsertPoint(body);
  enterLoop(carried, before, nullptr, nullptr);
  emitBlock(block);
  leaveLoop(carried, scalar(again), body, before, true);
}

void XeKernelEmitter::emitIf(const Op &op) {
  std::vector<Value *> results = resultsOf(op);
  auto branch = [&](size_t region) -> LlvmValues {
    if (region >= op.regionCount()) return {};
    emitBlock(*op.region(region));
    unflatten(results, flatten(yieldedBy(*op.region(region)))); // in the widths of the results
    return flatten(results);
  };
  LlvmValues parts = ifElse(b, scalar(op.operand(0)), [&] { return branch(0); }, [&] { return branch(1); });
  unflatten(results, parts);
}

// The linear id of the workgroup: row-major, dimension x fastest.
LlvmValue *XeKernelEmitter::workgroupNumber() {
  auto count = [&](uint32_t d) {
    return callDevice(b, deviceFunction("get_num_groups", {"j"}, "m"), {b.getInt32(d)}, DeviceEffect::None);
  };
  LlvmValue *rows = b.CreateAdd(b.CreateMul(wide(coordinates_[2]), count(1)), wide(coordinates_[1]));
  return b.CreateAdd(b.CreateMul(rows, count(0)), wide(coordinates_[0]));
}

// Allocates the numbers of a failure, one per element of its shape. Parts of one assert share them.
int64_t XeKernelEmitter::numberOf(XeFailure failure) {
  for (const XeFailure &known : output_.failures)
    if (known.asserted && known.place == failure.place && known.text == failure.text && known.shape == failure.shape)
      return known.first;
  failure.first = static_cast<uint32_t>(failureNumbers_);
  for (int64_t &extent : failure.shape) XT_CHECK(extent > 0, "an assert of nothing");
  failureNumbers_ += productOf(failure.shape);
  XT_CHECK(failureNumbers_ < int64_t{1} << (32 - xeSubgroupBits(kernel_.subgroups)), "more failures than numbers");
  output_.failures.push_back(std::move(failure));
  return output_.failures.back().first;
}

// Lowers the outcome word to the least failure number.
void XeKernelEmitter::tell(LlvmValue *failed, LlvmValue *number) {
  guardedDo(failed, [&] {
    int bits = xeSubgroupBits(kernel_.subgroups);
    LlvmValue *what = b.CreateShl(number, static_cast<uint64_t>(bits));
    if (bits > 0) what = b.CreateOr(what, b.CreateZExtOrTrunc(subgroup_, b.getInt32Ty()));
    LlvmValue *code = b.CreateOr(b.CreateShl(workgroupNumber(), 32), b.CreateZExt(what, b.getInt64Ty()));
    b.CreateAtomicRMW(llvm::AtomicRMWInst::UMin, outcome_, code, llvm::Align(8), llvm::AtomicOrdering::Monotonic,
                      b.getContext().getOrInsertSyncScopeID("device"));
  });
}

void XeKernelEmitter::failIf(LlvmValue *condition, const Op &op, std::string message) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition);
  if (known && known->isZero()) return;
  tell(condition, number32(numberOf({0, std::move(message), op.range(), false, false, {}})));
}

// The position of a part of an assert's condition in the whole vector: the contribution that is the same for all elements.
LlvmValue *XeKernelEmitter::placeInWhole(const Op &op, llvm::ArrayRef<int64_t> whole) {
  LlvmValue *place = number32(0);
  int64_t stride = 1;
  for (size_t d = op.operandCount() > 1 ? whole.size() : 0; d-- > 0; stride *= whole[d]) {
    LlvmValue *first = b.CreateSExtOrTrunc(scalar(op.operand(1 + d)), b.getInt32Ty());
    place = b.CreateAdd(place, b.CreateMul(first, number32(stride)));
  }
  return place;
}

// Reports the least number of the elements that fail. If the condition is part of a vector, its elements are numbered as in the
// whole vector.
void XeKernelEmitter::emitAssert(const Op &op) {
  Type type = op.operand(0)->type();
  std::vector<int64_t> whole = assertedShape(op);
  auto numbers = [&] {
    return numberOf({0, std::string(AssertOp(op).text()), op.range(), true, AssertOp(op).workgroup(), whole});
  };
  if (type.isScalar()) {
    LlvmValue *failed = b.CreateNot(scalar(op.operand(0)));
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(failed);
    if (!known || !known->isZero()) tell(failed, number32(numbers()));
    return;
  }
  const Fragment &conditions = fragment(op.operand(0));
  LlvmValue *least = number32(kNoNumber);
  for (size_t k = conditions.size(); k-- > 0;) {
    int64_t place = 0, stride = 1;
    auto rest = static_cast<int64_t>(k);
    for (size_t d = whole.size(); d-- > 0; stride *= whole[d]) {
      int64_t extent = type.extent(static_cast<int>(d));
      place += rest % extent * stride;
      rest /= extent;
    }
    least = b.CreateSelect(scalarOf(b, conditions[k]), least, number32(place)); // iterates backwards, so the first element wins
  }
  LlvmValue *failed = b.CreateICmpNE(least, number32(kNoNumber));
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(failed);
  if (known && known->isZero()) return;
  LlvmValue *first = b.CreateAdd(placeInWhole(op, whole), number32(numbers()));
  tell(failed, b.CreateAdd(first, least));
}

} // namespace xt
