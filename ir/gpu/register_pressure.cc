#include "ir/gpu/register_pressure.h"

#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace xt {
namespace {

class Pressure {
public:
  Pressure(const Block &block, int64_t lanes, const TargetInfo &target) : block_(block), lanes_(lanes), target_(target) {
    for (const Op &op : block) places_.emplace(&op, places_.size());
  }

  int64_t peak() {
    int64_t live = enterBlock(), peak = live;
    for (const Op &op : block_) {
      int64_t inner = 0;
      for (size_t r = 0; r < op.regionCount(); ++r)
        inner = std::max(inner, registersAtOnce(*op.region(r), lanes_, target_) - comesInto(*op.region(r)));
      peak = std::max(peak, live + inner);
      live = pass(op, live);
      peak = std::max(peak, live);
    }
    return peak;
  }

  // For each op that has regions: the registers of what is live around it, but not used by it.
  std::vector<std::pair<const Op *, int64_t>> beside() {
    std::vector<std::pair<const Op *, int64_t>> all;
    int64_t live = enterBlock();
    for (const Op &op : block_) {
      if (op.regionCount()) all.emplace_back(&op, live - usedBy(op));
      live = pass(op, live);
    }
    return all;
  }

private:
  // The registers of what is live where the block begins.
  int64_t enterBlock() {
    int64_t live = 0;
    for (const auto &param : block_.params()) live += enter(param.get());
    // Values from outside stay live throughout the block: the next iteration of a loop needs them again.
    walk(block_, [&](const Op &op) {
      for (const Value *operand : op.operands())
        if (!isInside(operand) && outside_.insert(operand).second) live += registersOf(operand);
    });
    return live;
  }
  // The registers of what is live behind an op, where `live` are before it. The result of an op may reuse the registers of a
  // value that has its last use here.
  int64_t pass(const Op &op, int64_t live) {
    if (auto found = freed_.find(&op); found != freed_.end()) live -= found->second;
    for (size_t i = 0; i < op.resultCount(); ++i) live += enter(op.result(i));
    return live;
  }

  // The registers of what comes from outside of an op and is used by it or by an op in it.
  int64_t usedBy(const Op &op) const {
    int64_t registers = 0;
    std::unordered_set<const Value *> used;
    auto use = [&](const Op &user) {
      for (const Value *operand : user.operands()) {
        const Op *maker = operand->definingOp() ? operand->definingOp() : operand->definingBlock()->parentOp();
        if (here(maker) != &op && used.insert(operand).second) registers += registersOf(operand);
      }
    };
    use(op);
    for (size_t r = 0; r < op.regionCount(); ++r) walk(*op.region(r), use);
    return registers;
  }

  // The op of this block that contains `op`; null if `op` is elsewhere.
  const Op *here(const Op *op) const {
    while (op && op->block() != &block_) op = op->block() ? op->block()->parentOp() : nullptr;
    return op;
  }
  bool isInside(const Value *value) const {
    if (value->definingOp()) return here(value->definingOp());
    const Block *at = value->definingBlock();
    return at == &block_ || (at && at->parentOp() && here(at->parentOp()));
  }

  // Whether a value consists only of elements that are broadcast from one lane to all lanes: instructions read them directly
  // from that lane's registers. The recursion examines inserted vectors, each smaller than the vector that it is inserted into,
  // so it is not deep. Chains of destinations can be long, so a loop examines them.
  bool isSpread(const Value *value) const {
    const Op *op = value->definingOp();
    std::vector<const Op *> chain; // insertions that have not been examined yet
    auto known = spread_.end();
    for (; op && op->kind() == OpKind::InsertStridedSlice; op = op->operand(1)->definingOp()) {
      known = spread_.find(op);
      if (known != spread_.end()) break;
      chain.push_back(op);
    }
    bool spread = known != spread_.end() ? known->second : op && isSpreadAlone(*op, !chain.empty());
    for (; !chain.empty(); chain.pop_back()) {
      spread = spread && isSpread(chain.back()->operand(0));
      spread_.emplace(chain.back(), spread);
    }
    return spread;
  }

  static bool isSpreadAlone(const Op &op, bool insertedInto) {
    if (op.kind() == OpKind::Constant) return insertedInto;
    return op.kind() == OpKind::Shuffle && ShuffleOp(op).mode() == ShuffleMode::Idx && constantInt(*op.operand(1));
  }

  int64_t registersOf(const Value *value) const {
    Type type = value->type();
    if (!type.isVector() || type.elem() == Elem::I1 || isSpread(value)) return 0;
    if (const Op *op = value->definingOp()) switch (op->info().typeRule) {
      case TypeRule::Constant:
      case TypeRule::Splat:
      case TypeRule::Reshape:
      case TypeRule::ConvertLayout:
      case TypeRule::Broadcast:
      case TypeRule::ExtractStridedSlice: return 0;
      default: break;
      }
    return (type.byteCount() * lanes_ + target_.registerBytes - 1) / target_.registerBytes;
  }

  // Whether the result of an op only names elements of its operand.
  static bool namesPart(const Op &op) {
    TypeRule rule = op.info().typeRule;
    return rule == TypeRule::Reshape || rule == TypeRule::ConvertLayout || rule == TypeRule::ExtractStridedSlice;
  }

  // The last op of the block that uses the value or what names a part of it; null if there is none. Names are followed in a loop, as
  // chains of them can be long.
  const Op *lastUse(const Value *value) const {
    const Op *last = nullptr;
    std::vector<const Value *> names = {value};
    while (!names.empty()) {
      const Value *name = names.back();
      names.pop_back();
      for (Use use : name->uses()) {
        const Op *user = here(use.user);
        if (user && (!last || places_.at(last) < places_.at(user))) last = user;
        if (user == use.user && namesPart(*user)) names.push_back(user->result());
      }
    }
    return last;
  }

  // Records the last use of the value; a value without uses takes no register.
  int64_t enter(const Value *value) {
    int64_t registers = registersOf(value);
    const Op *last = registers ? lastUse(value) : nullptr;
    if (!last) return 0;
    freed_[last] += registers;
    return registers;
  }

  // The registers of values from outside that a nested block uses. They are counted where the values are defined.
  int64_t comesInto(const Block &inner) const {
    std::unordered_set<const Value *> seen;
    int64_t registers = 0;
    Pressure of(inner, lanes_, target_);
    walk(inner, [&](const Op &op) {
      for (const Value *operand : op.operands())
        if (!of.isInside(operand) && seen.insert(operand).second) registers += registersOf(operand);
    });
    return registers;
  }

  const Block &block_;
  int64_t lanes_;
  const TargetInfo &target_;
  // These tables are used for lookup only; iteration order would not be deterministic.
  std::unordered_map<const Op *, size_t> places_;
  std::unordered_map<const Op *, int64_t> freed_; // registers of the values that have their last use in an op
  std::unordered_set<const Value *> outside_;
  mutable std::unordered_map<const Op *, bool> spread_; // insertions that have been examined
};

} // namespace

int64_t registersAtOnce(const Block &block, int64_t lanes, const TargetInfo &target) {
  return target.registerBytes > 0 ? Pressure(block, lanes, target).peak() : 0;
}

std::vector<std::pair<Op *, int64_t>> registersBesideRegions(Block &block, int64_t lanes, const TargetInfo &target) {
  std::vector<std::pair<Op *, int64_t>> all;
  for (Op &op : block)
    if (op.regionCount()) all.emplace_back(&op, 0);
  if (all.empty() || target.registerBytes <= 0) return all;
  size_t next = 0;
  for (const auto &[op, registers] : Pressure(block, lanes, target).beside()) all[next++].second = registers;
  return all;
}

int64_t registersOfThread(const TargetInfo &target, int64_t subgroups) {
  if (target.registerFile.empty()) return 0;
  int64_t smallest = target.registerFile[0], most = smallest;
  int64_t threads = target.lanesPerWorkgroup / *std::ranges::min_element(target.subgroupSizes);
  for (int64_t registers : target.registerFile)
    if (subgroups * registers <= threads * smallest) most = std::max(most, registers);
  return most;
}

} // namespace xt
