#include "ir/op.h"

#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/shared.h"
#include "ir/views/tile.h"

#include <algorithm>

namespace xt {

Use &UseList::after(Use use) { return use.user ? use.user->neighbours_[use.operand].next : first_; }
Use &UseList::before(Use use) { return use.user ? use.user->neighbours_[use.operand].previous : last_; }

void UseList::append(Use use) {
  use.user->neighbours_[use.operand] = {last_, {}};
  after(last_) = use;
  last_ = use;
  ++count_;
}

void UseList::remove(Use use) {
  auto [previous, next] = use.user->neighbours_[use.operand];
  XT_CHECK(after(previous) == use && before(next) == use, "a use is not in its value's list");
  after(previous) = next;
  before(next) = previous;
  --count_;
}

void Value::replaceAllUsesWith(Value *other) {
  if (other == this || uses_.empty()) return;
  for (Use use : uses_) use.user->operands_[use.operand] = other;
  UseList &to = other->uses_;
  to.before(uses_.first_) = to.last_;
  to.after(to.last_) = uses_.first_;
  to.last_ = uses_.last_;
  to.count_ += uses_.count_;
  uses_ = {};
}

Op::~Op() {
  // Regions are destroyed first: their ops may use values from outside, whose use lists still exist.
  regions_.clear();
  while (!operands_.empty()) eraseOperand(operands_.size() - 1);
}

std::vector<Value *> resultsOf(const Op &op) {
  std::vector<Value *> results;
  for (size_t i = 0; i < op.resultCount(); ++i) results.push_back(op.result(i));
  return results;
}

std::vector<Value *> yieldedBy(const Block &block) {
  const Op *last = block.last();
  return last && last->kind() == OpKind::Yield ? last->operands() : std::vector<Value *>{};
}

CarriedAt carriedAt(const Op &op) {
  // A `for` has its bounds before the carried operands, and the induction variable before the carried parameters. A `while` has
  // its condition before the carried operands, and the next condition before the carried operands of the yield.
  if (op.kind() == OpKind::For) return {3, 1, 0, true};
  if (op.kind() == OpKind::While) return {1, 0, 1, true};
  return {op.operandCount(), 0, 0, false};
}

std::unique_ptr<Op> makeOp(OpKind kind, std::vector<Value *> operands, const std::vector<Type> &results, SourceRange range,
                           size_t regions) {
  std::unique_ptr<Op> op(new Op(kind));
  op->range_ = range;
  for (Value *operand : operands) op->addOperand(operand);
  for (Type type : results) op->addResult(type)->setRange(range);
  for (size_t i = 0; i < regions; ++i) {
    op->regions_.push_back(std::make_unique<Block>());
    op->regions_.back()->parent_ = op.get();
  }
  return op;
}

void Op::setOperand(size_t i, Value *value) {
  XT_CHECK(value, "null operand");
  if (operands_[i] == value) return;
  operands_[i]->uses_.remove({this, i});
  operands_[i] = value;
  value->uses_.append({this, i});
}

void Op::addOperand(Value *value) {
  XT_CHECK(value, "null operand");
  operands_.push_back(value);
  neighbours_.emplace_back();
  value->uses_.append({this, operands_.size() - 1});
}

void Op::eraseOperand(size_t i) {
  operands_[i]->uses_.remove({this, i});
  for (size_t k = i + 1; k < operands_.size(); ++k) {
    // The neighbours must refer to the operand by its new index.
    auto [previous, next] = neighbours_[k];
    UseList &uses = operands_[k]->uses_;
    uses.after(previous) = uses.before(next) = {this, k - 1};
    operands_[k - 1] = operands_[k];
    neighbours_[k - 1] = neighbours_[k];
  }
  operands_.pop_back();
  neighbours_.pop_back();
  if (i < operandRanges_.size()) operandRanges_.erase(operandRanges_.begin() + static_cast<ptrdiff_t>(i));
}

Value *Op::addResult(Type type) {
  auto value = std::make_unique<Value>();
  value->type_ = type;
  value->op_ = this;
  value->index_ = results_.size();
  results_.push_back(std::move(value));
  return results_.back().get();
}

void Op::eraseResult(size_t i) {
  XT_CHECK(results_[i]->uses_.empty(), "erased result is used");
  results_.erase(results_.begin() + static_cast<ptrdiff_t>(i));
  for (size_t k = i; k < results_.size(); ++k) results_[k]->index_ = k;
}

const Attr *Op::attr(std::string_view name) const {
  for (const Attr &a : attrs_)
    if (a.name == name) return &a;
  return nullptr;
}

void Op::setAttr(std::string_view name, AttrValue value, SourceRange range) {
  for (const AttrSpec &spec : info().attrs) {
    if (spec.name != name) continue;
    removeAttr(name);
    // Attributes are kept in the table's order, so that printing and comparison do not depend on the order of setting them.
    Attr attr{spec.name, std::move(value), range};
    auto rank = [&](std::string_view n) {
      return std::find_if(info().attrs.begin(), info().attrs.end(), [&](const AttrSpec &s) { return s.name == n; });
    };
    auto place = std::find_if(attrs_.begin(), attrs_.end(), [&](const Attr &a) { return rank(a.name) > rank(name); });
    attrs_.insert(place, std::move(attr));
    return;
  }
  XT_UNREACHABLE("attribute is not in the op's row of the table");
}

void Op::removeAttr(std::string_view name) {
  std::erase_if(attrs_, [&](const Attr &a) { return a.name == name; });
}

bool isBefore(const Op &first, const Op &second) {
  XT_CHECK(first.block() && first.block() == second.block(), "ops of different blocks have no order");
  for (const Op *op = first.next(); op; op = op->next())
    if (op == &second) return true;
  return false;
}

void copyAttrs(const Op &from, Op &to, std::string_view except) {
  for (const Attr &attr : from.attrs())
    if (attr.name != except) to.setAttr(attr.name, attr.value, attr.range);
}

Elem numberElem(const Op &op) {
  if (op.resultCount() && op.result()->type() && !op.result()->type().is(TypeKind::Token)) return op.result()->type().elem();
  return op.resultCount() && op.operandCount() ? op.operand(0)->type().elem() : kIndexElem;
}

Block::~Block() {
  // Users are removed before the values they use, so that no use list of a destroyed value is accessed.
  while (last_) remove(last_);
}

Value *Block::addParam(Type type, std::string name, SourceRange range) {
  auto value = std::make_unique<Value>();
  value->type_ = type;
  value->name_ = std::move(name);
  value->block_ = this;
  value->index_ = params_.size();
  value->range_ = range;
  params_.push_back(std::move(value));
  return params_.back().get();
}

void Block::eraseParam(size_t i) {
  XT_CHECK(params_[i]->uses_.empty(), "erased parameter is used");
  params_.erase(params_.begin() + static_cast<ptrdiff_t>(i));
  for (size_t k = i; k < params_.size(); ++k) params_[k]->index_ = k;
}

Op *Block::insertBefore(Op *position, std::unique_ptr<Op> owned) {
  Op *op = owned.release();
  XT_CHECK(!op->block_, "op is in a block already");
  XT_CHECK(!position || position->block_ == this, "position is in another block");
  op->block_ = this;
  op->next_ = position;
  op->previous_ = position ? position->previous_ : last_;
  (op->previous_ ? op->previous_->next_ : first_) = op;
  (position ? position->previous_ : last_) = op;
  return op;
}

std::unique_ptr<Op> Block::remove(Op *op) {
  XT_CHECK(op->block_ == this, "op is in another block");
  (op->previous_ ? op->previous_->next_ : first_) = op->next_;
  (op->next_ ? op->next_->previous_ : last_) = op->previous_;
  op->block_ = nullptr;
  op->next_ = op->previous_ = nullptr;
  return std::unique_ptr<Op>(op);
}

void Block::erase(Op *op) {
  for (size_t i = 0; i < op->resultCount(); ++i) XT_CHECK(op->result(i)->uses().empty(), "erased op is used");
  remove(op);
}

void Block::moveBefore(Op *position, Op *op) {
  if (position == op) return;
  insertBefore(position, op->block_->remove(op));
}

std::vector<int64_t> permutationOf(const Op &transpose) {
  const std::vector<int64_t> *permutation = TransposeOp(transpose).permutation();
  return permutation ? *permutation : std::vector<int64_t>{1, 0};
}

bool transposes(const Op &op) {
  const std::vector<int64_t> *permutation = SharedAttrs(op).transpose();
  return permutation && *permutation == std::vector<int64_t>{1, 0};
}

size_t dimensionOf(const Op &op) {
  std::optional<int64_t> dim = SharedAttrs(op).dim();
  XT_CHECK(dim, "the op works along no dimension");
  return static_cast<size_t>(*dim);
}

} // namespace xt
