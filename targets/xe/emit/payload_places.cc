#include "targets/xe/emit/payload_places.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace xt {
namespace {

// A row that is far outside if a leading index is out of bounds (XeLaneDevice::blockArgs) stays outside for 2^30 rows more.
bool isFar(llvm::Value *value) {
  auto *row = llvm::dyn_cast<llvm::ConstantInt>(value);
  return row && row->getSExtValue() == int64_t{1} << 30;
}

llvm::Value *elementOf(llvm::Value *vector, uint64_t index) {
  while (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(vector)) {
    auto *at = llvm::dyn_cast<llvm::ConstantInt>(insert->getOperand(2));
    if (at && at->getZExtValue() == index) return insert->getOperand(1);
    vector = insert->getOperand(0);
  }
  auto *constant = llvm::dyn_cast<llvm::Constant>(vector);
  return constant ? constant->getAggregateElement(static_cast<unsigned>(index)) : nullptr;
}

// Whether two values are the same computation on the same values.
bool isSame(llvm::Value *one, llvm::Value *other, int depth = 8) {
  if (one == other) return true;
  auto *a = llvm::dyn_cast<llvm::Instruction>(one), *b = llvm::dyn_cast<llvm::Instruction>(other);
  if (!a || !b || depth == 0 || !a->isSameOperationAs(b) || a->mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(a))
    return false;
  for (unsigned i = 0; i < a->getNumOperands(); ++i)
    if (!isSame(a->getOperand(i), b->getOperand(i), depth - 1)) return false;
  return true;
}

} // namespace

PayloadPlaces::PayloadPlaces(llvm::Function &function)
    : library_(llvm::Triple(function.getParent()->getTargetTriple())), tree_(function), loops_(tree_), assumptions_(function),
      libraryInfo_(library_), evolution_(function, libraryInfo_, assumptions_, tree_, loops_) {}

// Whether a value is the same in each turn of the loop; then it is computed before the loop.
bool PayloadPlaces::isInvariant(llvm::Value *value, llvm::Loop *loop) {
  bool changed = false;
  return loop->makeLoopInvariant(value, changed, loop->getLoopPreheader()->getTerminator(), nullptr, &evolution_);
}

// nullopt if the value is not of this form. `b` adds instructions before the loop.
std::optional<BlockCoordinate> PayloadPlaces::coordinate(llvm::IRBuilder<> &b, llvm::Value *value, llvm::Loop *loop) {
  if (isInvariant(value, loop)) return BlockCoordinate{value};
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(value)) {
    if (!isFar(select->getTrueValue()) || !isInvariant(select->getCondition(), loop)) return std::nullopt;
    std::optional<BlockCoordinate> near = coordinate(b, select->getFalseValue(), loop);
    if (near) near->start = b.CreateSelect(select->getCondition(), select->getTrueValue(), near->start);
    return near;
  }
  // The column of a message whose words have several elements (XeLaneDevice::blockArgs): it begins at a whole word.
  if (auto *divide = llvm::dyn_cast<llvm::BinaryOperator>(value); divide && divide->getOpcode() == llvm::Instruction::SDiv) {
    auto *parts = llvm::dyn_cast<llvm::ConstantInt>(divide->getOperand(1));
    std::optional<BlockCoordinate> whole = parts ? coordinate(b, divide->getOperand(0), loop) : std::nullopt;
    if (!whole || whole->step % parts->getSExtValue() != 0) return std::nullopt;
    return BlockCoordinate{b.CreateSDiv(whole->start, parts), whole->step / parts->getSExtValue()};
  }
  const auto *recurrence = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(value));
  if (!recurrence || recurrence->getLoop() != loop || !recurrence->isAffine()) return std::nullopt;
  const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(recurrence->getStepRecurrence(evolution_));
  llvm::SCEVExpander expander(evolution_, "payload");
  llvm::Instruction *end = loop->getLoopPreheader()->getTerminator();
  if (!step || !expander.isSafeToExpandAt(recurrence->getStart(), end)) return std::nullopt;
  return BlockCoordinate{expander.expandCodeFor(recurrence->getStart(), value->getType(), end),
                         step->getAPInt().getSExtValue()};
}

std::optional<BlockPlacement> PayloadPlaces::inLoop(BlockMessageCall &message) {
  llvm::Loop *loop = loopOf(message);
  llvm::Value *column = elementOf(message.position(), 0), *row = elementOf(message.position(), 1);
  if (!loop || !loop->getLoopPreheader() || !loop->getLoopLatch() || !column || !row) return std::nullopt;
  std::vector<llvm::Value *> matrix = message.matrix();
  for (llvm::Value *value : matrix)
    if (!isInvariant(value, loop)) return std::nullopt;
  llvm::IRBuilder<> b(loop->getLoopPreheader()->getTerminator());
  b.SetCurrentDebugLocation(message.call->getDebugLoc());
  std::optional<BlockCoordinate> x = coordinate(b, column, loop), y = coordinate(b, row, loop);
  if (!x || !y) return std::nullopt;
  return BlockPlacement{&message, std::move(matrix), *x, *y};
}

std::optional<BlockPlacement> PayloadPlaces::here(BlockMessageCall &message) {
  llvm::Value *column = elementOf(message.position(), 0), *row = elementOf(message.position(), 1);
  if (!column || !row) return std::nullopt;
  return BlockPlacement{&message, message.matrix(), {column}, {row}};
}

std::optional<BlockOffset> PayloadPlaces::offset(const BlockPlacement &from, const BlockPlacement &to) {
  const BlockFunction &a = from.message->block, &b = to.message->block;
  if (shapeWord(a) != shapeWord(b) || a.bits != b.bits || from.x.step != to.x.step || from.y.step != to.y.step)
    return std::nullopt;
  for (size_t i = 0; i < from.matrix.size(); ++i)
    if (!isSame(from.matrix[i], to.matrix[i])) return std::nullopt;
  std::optional<int64_t> column = difference(from.x.start, to.x.start), row = difference(from.y.start, to.y.start);
  if (!column || !row) return std::nullopt;
  return BlockOffset{*column, *row};
}

std::optional<int64_t> PayloadPlaces::difference(llvm::Value *from, llvm::Value *to) {
  if (isSame(from, to)) return 0;
  auto *a = llvm::dyn_cast<llvm::SelectInst>(from), *b = llvm::dyn_cast<llvm::SelectInst>(to); // far outside or not, both
  if (a && b && isFar(a->getTrueValue()) && isFar(b->getTrueValue()) && isSame(a->getCondition(), b->getCondition()))
    return difference(a->getFalseValue(), b->getFalseValue());
  const auto *constant =
      llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(evolution_.getSCEV(to), evolution_.getSCEV(from)));
  return constant ? std::optional(constant->getAPInt().getSExtValue()) : std::nullopt;
}

} // namespace xt
