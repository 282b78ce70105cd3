#include "targets/cpu/fusion.h"

#include "ir/constants.h"
#include "targets/cpu/vector_values.h"

#include <cmath>
#include <optional>
#include <unordered_map>

namespace xt {
namespace {

// Where a value is evaluated: the loop of an op, or one of the loops of an op that has one per operand.
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
  // Returns whether anything in the block writes memory.
  bool planBlock(const Block &block) {
    std::unordered_map<const Op *, int> writesBefore;
    int writes = 0;
    for (Op &op : block) {
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
    const double *number = value ? std::get_if<double>(value) : nullptr;
    return value && (number ? *number == 0 && !std::signbit(*number) : *value == AttrValue(int64_t{0}));
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
    std::optional<Root> root = commonRoot(op);
    if (!root) return;
    if (nest && (root->op->kind() != OpKind::StoreTile || plan_.nestInto(*root->op) || writesBefore.at(root->op) != writesBefore.at(&op)))
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

  // Inline without a loop that it belongs to: nothing needs its result.
  bool isDead(const Op &op) const {
    return isPointwise(op) && op.resultCount() && plan_.isInline(op.result()) && !roots_.contains(&op);
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

  std::optional<Root> rootOfUse(const Op &op, const Use &use) const {
    const Op &user = *use.user;
    if (user.block() != op.block()) return std::nullopt;
    if (isPointwise(user)) return plan_.isInline(user.result()) ? roots_.at(&user) : Root{&user, -1};
    if (user.kind() == OpKind::StoreTile || user.kind() == OpKind::TileMma || isStreamedReduction(user))
      return Root{&user, static_cast<int>(use.operand)};
    return std::nullopt;
  }

  FusionPlan plan_;
  std::unordered_map<const Op *, Root> roots_;
  std::unordered_map<Root, int, RootHash> sizes_;
};

const Op *FusionPlan::nestInto(const Op &store) const { return storeOf(store); }

const Op *FusionPlan::storeOf(const Op &nest) const {
  auto found = nests_.find(&nest);
  return found == nests_.end() ? nullptr : found->second;
}

FusionPlan planFusion(const Kernel &kernel) { return FusionPlanner().plan(kernel); }

void FusionPlan::collect(Value *value, std::unordered_set<const Value *> &seen, std::vector<Value *> &order) const {
  if (!livesInBuffer(value->type()) || !seen.insert(value).second) return;
  if (isInline(value) && isPointwise(*value->definingOp())) // as deep as kMaxFusedOps
    for (Value *operand : value->definingOp()->operands()) collect(operand, seen, order);
  order.push_back(value);
}

std::vector<Value *> FusionPlan::nodes(Value *value) const {
  std::unordered_set<const Value *> seen;
  std::vector<Value *> order;
  collect(value, seen, order);
  return order;
}

std::vector<Value *> FusionPlan::nodesOf(const Op &op) const {
  std::unordered_set<const Value *> seen;
  std::vector<Value *> order;
  for (Value *operand : op.operands()) collect(operand, seen, order);
  order.push_back(op.result());
  return order;
}

std::vector<Value *> FusionPlan::leaves(Value *value) const { return buffersBehind(nodes(value), nullptr); }

std::vector<Value *> FusionPlan::leavesOf(const Op &op) const { return buffersBehind(nodesOf(op), op.result()); }

// A broadcast is evaluated where it is used, and reads its operand there.
std::vector<Value *> FusionPlan::buffersBehind(const std::vector<Value *> &nodes, const Value *except) const {
  std::vector<Value *> result;
  for (Value *node : nodes) {
    if (node == except) continue;
    const Op *op = node->definingOp();
    if (!isInline(node))
      result.push_back(node);
    else if (op && op->kind() == OpKind::Broadcast && !isUniform(op->operand(0)))
      result.push_back(op->operand(0));
  }
  return result;
}

} // namespace xt
