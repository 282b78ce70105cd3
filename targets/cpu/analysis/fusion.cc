#include "targets/cpu/analysis/fusion.h"

#include "ir/constants.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/vector_values.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace xt {
namespace {

bool givesVector(const Op &op) { return op.resultCount() == 1 && op.result()->type().isVector(); }

bool writesMemory(const Op &op) {
  return has(op.info().effects, Effect::Writes) || has(op.info().effects, Effect::Synchronises);
}

} // namespace

class FusionPlanner {
public:
  FusionPlan plan(const Kernel &kernel) {
    planBlock(kernel.body);
    return std::move(plan_);
  }

private:
  // The place where a value is evaluated: the loop of an op, or one of the loops of an op that has one per operand.
  struct Root {
    const Op *op = nullptr;
    int operand = -1;
    bool operator==(const Root &) const = default;
  };
  struct RootHash {
    size_t operator()(const Root &root) const {
      return std::hash<const void *>()(root.op) * 31 + static_cast<size_t>(root.operand + 1);
    }
  };

  // Returns whether any op in the block writes memory.
  bool planBlock(const Block &block) {
    std::unordered_map<const Op *, int> writesBefore;
    int writes = 0;
    for (Op &op : block) {
      place_[&op] = static_cast<int>(place_.size());
      writesBefore[&op] = writes;
      bool writing = writesMemory(op);
      for (size_t r = 0; r < op.regionCount(); ++r) writing |= planBlock(*op.region(r));
      writes += writing;
    }
    for (Op *op = block.last(); op; op = op->previous())
      if (givesVector(*op)) decide(*op, writesBefore);
    return writes > 0;
  }

  static bool startsAtZero(const Op &nest) {
    const AttrValue *value = isUniform(nest.operand(2)) ? constantValue(*nest.operand(2)) : nullptr;
    return value && isPositiveZero(*value);
  }

  void decide(const Op &op, const std::unordered_map<const Op *, int> &writesBefore) {
    const Value *value = op.result();
    if (isGenerated(op) || isReadingBroadcast(op)) {
      plan_.inline_.insert(value);
      return;
    }
    bool load = isPlainLoad(op), nest = op.kind() == OpKind::Nest;
    if (!load && !nest && !isPointwise(op)) return;
    if (nest && !startsAtZero(op)) return;
    bool used = false;
    for (Use use : value->uses()) used |= !isDead(*use.user);
    if (!used) {
      plan_.inline_.insert(value);
      return;
    }
    if (load) planReader(op, writesBefore);
    std::optional<Root> root = commonRoot(op);
    if (!root && !nest && mergeUsers(op, writesBefore)) root = commonRoot(op);
    if (!root && !nest) return fillOnTheWay(op, writesBefore);
    if (!root) return;
    if (nest && (root->op->kind() != OpKind::StoreTile || plan_.nestInto(*root->op) ||
                 writesBefore.at(root->op) != writesBefore.at(&op)))
      return;
    if (load && (root->op->kind() == OpKind::StoreTile || writesBefore.at(root->op) != writesBefore.at(&op))) return;
    if (int &size = sizes_[*root]; size < kMaxFusedOps - 1)
      ++size;
    else
      return;
    if (nest) plan_.nests_[root->op] = &op, plan_.nests_[&op] = root->op;
    plan_.inline_.insert(value);
    roots_[&op] = *root;
  }

  // Whether the op is inline but belongs to no loop, because nothing needs its result.
  bool isDead(const Op &op) const {
    return isPointwise(op) && op.resultCount() && plan_.isInline(op.result()) && !roots_.contains(&op);
  }

  void planReader(const Op &load, const std::unordered_map<const Op *, int> &writesBefore) {
    const Op *reader = nullptr;
    if (!collectReader(load, reader) || !reader || writesBefore.at(reader) != writesBefore.at(&load)) return;
    plan_.readers_[load.result()] = reader;
  }

  // Whether all uses of the result, also through broadcasts, are in the loops of one op. A tile_mma does not qualify: it also
  // reads buffers outside of loops.
  bool collectReader(const Op &op, const Op *&reader) const {
    for (Use use : op.result()->uses()) {
      const Op &user = *use.user;
      if (isDead(user)) continue;
      if (isReadingBroadcast(user) && user.block() == op.block()) {
        if (!collectReader(user, reader)) return false;
        continue;
      }
      std::optional<Root> root = rootOfUse(op, use);
      if (!root || root->op->kind() == OpKind::TileMma || (reader && reader != root->op)) return false;
      reader = root->op;
    }
    return true;
  }

  std::optional<Root> commonRoot(const Op &op) const {
    std::optional<Root> common;
    for (Use use : op.result()->uses()) {
      if (isDead(*use.user)) continue;
      std::optional<Root> root = rootOfUse(op, use);
      if (!root || (common && *common != *root)) return std::nullopt;
      common = root;
    }
    return common;
  }

  // Merges the loops of two pointwise ops, which are all that use the result, into that of the second, which then fills the
  // first one's buffer, and in which `op` can be inline. Returns whether it did.
  bool mergeUsers(const Op &op, const std::unordered_map<const Op *, int> &writesBefore) {
    std::optional<std::pair<Root, Root>> users = twoPointwiseRoots(op);
    if (!users) return false;
    auto [first, second] = *users;
    Value *value = first.op->result();
    if (!std::ranges::equal(value->type().shape(), second.op->result()->type().shape())) return false;
    if (!canFill(second, value->type()) || plan_.filledBy(*first.op) || plan_.filledBy(*second.op)) return false;
    if (!isUsedFirstBy(value, second) || !followsDirectly(*first.op, *second.op)) return false;
    if (isPlainLoad(op) && writesBefore.at(&op) != writesBefore.at(second.op)) return false;
    if (sizes_[first] + sizes_[second] + 2 >= kMaxFusedOps) return false; // both results and `op` are in the loop
    sizes_[second] += sizes_[first] + 1;
    for (auto &[inlined, root] : roots_)
      if (root == first) root = second;
    setFiller(*first.op, second);
    return true;
  }

  // Whether nothing between the two ops has a loop or a buffer, or writes memory. Otherwise what the first op reads would be
  // live for longer, and at the same time as other values.
  bool followsDirectly(const Op &first, const Op &second) const {
    for (const Op *op = first.next(); op != &second; op = op->next()) {
      if (op->regionCount() || writesMemory(*op)) return false;
      for (size_t i = 0; i < op->resultCount(); ++i)
        if (livesInBuffer(op->result(i)->type()) && !plan_.isInline(op->result(i))) return false;
    }
    return true;
  }

  // The roots of all uses, in program order, if there are two and both are pointwise ops with loops of their own.
  std::optional<std::pair<Root, Root>> twoPointwiseRoots(const Op &op) const {
    std::optional<Root> first, second;
    for (Use use : op.result()->uses()) {
      if (isDead(*use.user)) continue;
      std::optional<Root> root = rootOfUse(op, use);
      if (!root || !isPointwise(*root->op)) return std::nullopt;
      if (root == first || root == second) continue;
      if (second) return std::nullopt;
      (first ? second : first) = root;
    }
    if (!second) return std::nullopt;
    if (place_.at(second->op) < place_.at(first->op)) std::swap(first, second);
    return std::pair(*first, *second);
  }

  // Whether nothing before the loop of `root` uses the value.
  bool isUsedFirstBy(const Value *value, const Root &root) const {
    const Op &op = *value->definingOp();
    for (Use use : value->uses()) {
      std::optional<Root> user = isDead(*use.user) ? root : rootOfUse(op, use);
      const Op *at = user ? user->op : ancestorIn(*op.block(), *use.user);
      if (user != root && place_.at(at) <= place_.at(root.op)) return false;
    }
    return true;
  }

  void setFiller(const Op &op, const Root &filler) {
    plan_.filled_[filler.op] = op.result();
    plan_.fillers_[op.result()] = filler.op;
    roots_[&op] = filler;
  }

  // Whether the loop of `root` goes over all positions of `value` and can store it beside its own result. A store's loop ends
  // at the bounds of the matrix, and columns may have another shape in memory than what their loop computes (dense_columns.h).
  static bool canFill(const Root &root, Type value) {
    return isStreamedReduction(*root.op) || (isPointwise(*root.op) && value.shape().back() > 1);
  }

  // Lets the first loop that uses the result fill its buffer, if that loop can.
  void fillOnTheWay(const Op &op, const std::unordered_map<const Op *, int> &writesBefore) {
    std::optional<Root> first;
    for (Use use : op.result()->uses()) {
      std::optional<Root> root = isDead(*use.user) ? std::nullopt : rootOfUse(op, use);
      if (root && canFill(*root, op.result()->type()) && (!first || place_.at(root->op) < place_.at(first->op))) first = root;
    }
    if (!first || plan_.filledBy(*first->op) || !isUsedFirstBy(op.result(), *first)) return;
    if (isPlainLoad(op) && writesBefore.at(first->op) != writesBefore.at(&op)) return;
    if (int &size = sizes_[*first]; size < kMaxFusedOps - 1)
      ++size;
    else
      return;
    setFiller(op, *first);
  }

  static const Op *ancestorIn(const Block &block, const Op &op) {
    const Op *at = &op;
    while (at->block() != &block) at = at->block()->parentOp();
    return at;
  }

  std::optional<Root> rootOfUse(const Op &op, const Use &use) const {
    const Op &user = *use.user;
    if (user.block() != op.block()) return std::nullopt;
    if (isPointwise(user)) return roots_.contains(&user) ? roots_.at(&user) : Root{&user, -1};
    if (user.kind() == OpKind::StoreTile || user.kind() == OpKind::TileMma || isStreamedReduction(user))
      return Root{&user, static_cast<int>(use.operand)};
    return std::nullopt;
  }

  FusionPlan plan_;
  std::unordered_map<const Op *, Root> roots_;
  std::unordered_map<const Op *, int> place_; // the position of an op in program order
  std::unordered_map<Root, int, RootHash> sizes_;
};

const Op *FusionPlan::nestInto(const Op &store) const { return storeOf(store); }

const Op *FusionPlan::storeOf(const Op &nest) const {
  auto found = nests_.find(&nest);
  return found == nests_.end() ? nullptr : found->second;
}

Value *FusionPlan::filledBy(const Op &op) const {
  auto found = filled_.find(&op);
  return found == filled_.end() ? nullptr : found->second;
}

const Op *FusionPlan::fillerOf(const Value *value) const {
  auto found = fillers_.find(value);
  return found == fillers_.end() ? nullptr : found->second;
}

FusionPlan planFusion(const Kernel &kernel) { return FusionPlanner().plan(kernel); }

void FusionPlan::collect(Value *value, const Value *filled, std::unordered_set<const Value *> &seen,
                         std::vector<Value *> &order) const {
  if (!livesInBuffer(value->type()) || !seen.insert(value).second) return;
  if ((isInline(value) || value == filled) && isPointwise(*value->definingOp())) // the recursion is at most kMaxFusedOps deep
    for (Value *operand : value->definingOp()->operands()) collect(operand, filled, seen, order);
  order.push_back(value);
}

const Op *FusionPlan::readerOf(const Value *load) const {
  auto found = readers_.find(load);
  return found == readers_.end() || isInline(load) || fillerOf(load) ? nullptr : found->second;
}

std::vector<Value *> FusionPlan::nodes(Value *value, const Value *filled) const {
  std::unordered_set<const Value *> seen;
  std::vector<Value *> order;
  collect(value, filled, seen, order);
  return order;
}

std::vector<Value *> FusionPlan::nodesOf(const Op &op) const {
  std::unordered_set<const Value *> seen;
  std::vector<Value *> order;
  Value *filled = filledBy(op);
  for (Value *operand : op.operands()) collect(operand, filled, seen, order);
  if (filled) collect(filled, filled, seen, order);
  order.push_back(op.result());
  return order;
}

std::vector<Value *> FusionPlan::leaves(Value *value, const Value *filled) const {
  return buffersBehind(nodes(value, filled), filled, nullptr);
}

std::vector<Value *> FusionPlan::leavesOf(const Op &op) const { return buffersBehind(nodesOf(op), filledBy(op), op.result()); }

// Returns the values in buffers that an evaluation of `nodes` reads; it writes `filled` and `result`. A broadcast is evaluated
// at its use and reads its operand there.
std::vector<Value *> FusionPlan::buffersBehind(const std::vector<Value *> &nodes, const Value *filled,
                                               const Value *result) const {
  std::vector<Value *> read;
  for (Value *node : nodes) {
    if (node == filled || node == result) continue;
    const Op *op = node->definingOp();
    if (!isInline(node))
      read.push_back(node);
    else if (op && op->kind() == OpKind::Broadcast && !isUniform(op->operand(0)))
      read.push_back(op->operand(0));
  }
  return read;
}

} // namespace xt
