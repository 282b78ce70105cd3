#include "passes/sink_to_uses.h"

#include "ir/base/text.h"
#include "ir/gpu/code_size.h"
#include "ir/gpu/register_pressure.h"
#include "ir/op_kinds.h"
#include "passes/facts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace xt {
namespace {

// Number of a thread's registers that are reserved for values other than vectors: addresses, message payloads, counters. More
// are reserved in blocks with a tile_mma, which the lanes multiply themselves, and with conversions of floats of 8 bits.
constexpr int64_t kForOthers = 32, kForProducts = 64, kForBytes = 96;

// The op of `block` that is `op` or contains it.
Op *ancestorIn(const Block &block, Op *op) {
  while (op && op->block() != &block) op = op->block() ? op->block()->parentOp() : nullptr;
  return op;
}

// Whether the op converts floats of 8 bits, which takes registers of its own: no instruction does.
bool convertsBytes(const Op &op) {
  if (op.info().typeRule != TypeRule::Cast || !op.result()->type().isVector()) return false;
  auto isByte = [](Type type) { return isFloat(type.elem()) && elemInfo(type.elem()).bits == 8; };
  return isByte(op.operand(0)->type()) || isByte(op.result()->type());
}

bool movesElements(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::Reshape:
  case TypeRule::Transpose:
  case TypeRule::ExtractStridedSlice: return true;
  default: return false;
  }
}

// Returns a value that identifies the matrix which a load reads, as far as it can be traced.
const Value *sourceOf(const Op &load) {
  const Value *source = load.operand(0);
  while (source->type().isWindow() && source->definingOp()) source = source->definingOp()->operand(0);
  return source;
}

// Whether lanes exchange values in the op. It does not order memory, and all lanes that run a block reach all of its exchanges.
bool exchanges(const Op &op) {
  TypeRule rule = op.info().typeRule;
  return rule == TypeRule::Shuffle || rule == TypeRule::SubgroupReduce;
}

// Whether a load must not move past the op, because the op writes memory or lets others write.
bool stops(const Op &op) { return !exchanges(op) && firstWrite(&op, op.next()); }

// Whether the op is a load, or a branch that gives what it loads and does nothing else, as loads under a mask are.
bool reads(const Op &op) {
  if (op.kind() != OpKind::If) return isLoad(op);
  bool only = op.resultCount() > 0;
  for (size_t r = 0; r < op.regionCount(); ++r)
    walk(*op.region(r), [&](const Op &inner) {
      only &= isPure(inner) || isLoad(inner) || inner.kind() == OpKind::If || inner.kind() == OpKind::Yield;
    });
  return only;
}

// Positions of the ops of a block, available without walking the block. Only loads move, together with the ops that reshape
// their results; therefore the ops that block loads keep their order.
class Places {
public:
  explicit Places(Block &block) : block_(block) { count(); }

  // The first op of the block that uses a load's result, directly or reshaped.
  Op *firstUse(Op &load) const {
    std::vector<Op *> chain = chainOf(load);
    std::unordered_set<const Op *> shaping(chain.begin(), chain.end()); // for lookup only
    Op *first = nullptr;
    for (const Op *op : chain)
      for (Use use : op->result()->uses()) {
        Op *user = ancestorIn(block_, use.user);
        bool shapes = shaping.contains(user);
        if (user && !shapes && (!first || isBefore(user, first))) first = user;
      }
    return first;
  }
  bool isBefore(const Op *a, const Op *b) const { return places_.at(a).number < places_.at(b).number; }

  // Moves the load down to `to`, unless an op between them blocks loads. Returns whether an op has passed another one.
  bool moveDown(Op *load, Op *to) {
    if (!to || !isBefore(load, to) || places_.at(load).stops != places_.at(to).stops) return false;
    bool passes = false;
    for (Op *op : chainOf(*load)) {
      if (!isBefore(op, to)) continue;
      passes |= op->next() != to;
      placeBefore(to, op);
    }
    return passes;
  }

private:
  static constexpr int64_t kGap = int64_t{1} << 32; // distance between ops, which leaves room for ops that move between them

  struct Place {
    int64_t number;
    int64_t stops; // number of earlier ops that block loads
  };

  // A load and, in program order, the ops that only reshape its result and therefore move with it.
  std::vector<Op *> chainOf(Op &load) const {
    std::vector<Op *> chain = {&load};
    for (size_t i = 0; i < chain.size(); ++i)
      for (Use use : chain[i]->result()->uses())
        if (use.user->block() == &block_ && movesElements(*use.user)) chain.push_back(use.user);
    std::sort(chain.begin() + 1, chain.end(), [&](const Op *a, const Op *b) { return isBefore(a, b); });
    return chain;
  }

  void placeBefore(Op *to, Op *op) {
    block_.moveBefore(to, op);
    int64_t number = places_.at(op->previous() ? op->previous() : op).number + 1;
    places_[op] = {number, places_.at(to).stops};
    if (number >= places_.at(to).number) count();
  }

  void count() {
    int64_t number = 0, stopping = 0;
    for (Op &op : block_) {
      places_[&op] = {number += kGap, stopping};
      stopping += stops(op);
    }
  }

  Block &block_;
  std::unordered_map<const Op *, Place> places_; // for lookup only
};

std::vector<Op *> opsOf(Block &block) {
  std::vector<Op *> ops;
  for (Op &op : block) ops.push_back(&op);
  return ops;
}

void arrange(Block &block, const std::vector<Op *> &order) {
  for (Op *op : order) block.moveBefore(nullptr, op);
}

// Orders the ops of a block so that each pure op, load, branch that only loads and exchange of lanes comes immediately before
// the first op that needs it. All other ops keep their order, and those that block loads stay after every load that they
// followed. What no op needs comes before the last op, which may be the terminator.
class Demand {
public:
  explicit Demand(Block &block) : block_(block) {}

  std::vector<Op *> order() {
    std::vector<Op *> loads;
    for (Op &op : block_) {
      if (reads(op)) loads.push_back(&op);
      if (canWait(op)) continue;
      if (stops(op))
        for (Op *load : std::exchange(loads, {})) take(load);
      if (!op.next()) takeAllBefore(op);
      take(&op);
    }
    for (Op &op : block_) take(&op); // the last op can wait, and so do those before it
    return std::move(order_);
  }

private:
  static bool canWait(const Op &op) { return isPure(op) || reads(op) || exchanges(op); }

  // An op being placed, and how many of its dependences have been visited.
  struct Taking {
    Op *op;
    std::vector<Op *> needs;
    size_t next = 0;
  };

  void takeAllBefore(Op &last) {
    for (Op *need : needsOf(last)) take(need);
    for (Op &op : block_)
      if (&op != &last) take(&op);
  }

  // Places an op after its dependences that are not placed yet, in operand order and without recursion.
  void take(Op *op) {
    std::vector<Taking> stack;
    auto begin = [&](Op *one) {
      if (!taken_.contains(one)) stack.push_back({one, needsOf(*one)});
    };
    begin(op);
    while (!stack.empty()) {
      Taking &top = stack.back();
      if (top.next < top.needs.size()) {
        begin(top.needs[top.next++]);
        continue;
      }
      if (taken_.insert(top.op).second) order_.push_back(top.op);
      stack.pop_back();
    }
  }

  // The ops of this block that define operands of an op or of the ops nested in it.
  std::vector<Op *> needsOf(Op &op) const {
    std::vector<Op *> needs;
    auto look = [&](const Op &user) {
      for (const Value *operand : user.operands())
        if (Op *maker = operand->definingOp(); maker && maker->block() == &block_ && maker != &op) needs.push_back(maker);
    };
    look(op);
    for (size_t r = 0; r < op.regionCount(); ++r) walk(*op.region(r), [&](Op &inner) { look(inner); });
    return needs;
  }

  Block &block_;
  std::unordered_set<const Op *> taken_; // for lookup only
  std::vector<Op *> order_;
};

class Sinker {
public:
  Sinker(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics)
      : lanes_(kernel.lanes), target_(target), registers_(registersOfThread(target, kernel.subgroups)),
        diagnostics_(diagnostics) {}

  // `beside`: the registers that are live around the block, or the loop that contains it, but not used in it; `around`: those
  // that are live around the block but not used in it. They are the same for the body of a loop. Branches can be many, so that
  // what lives beside one of them alone does not count.
  void run(Block &block, int64_t beside = 0, int64_t around = 0) {
    for (const auto &[op, here] : registersBesideRegions(block, lanes_, target_)) {
      int64_t inside = isLoop(*op) ? around + here : beside;
      for (size_t r = 0; r < op->regionCount(); ++r) run(*op->region(r), inside, around + here);
    }
    int64_t before = registers(block), most = mostFor(block) - beside;
    if (before <= most) return;
    std::vector<Op *> original = opsOf(block);
    std::vector<Group> groups = groupsOf(block);
    Places places(block);
    int64_t now = before;
    // Counting registers takes time in proportion to the block, so a block of many groups is counted kMostCounts times.
    size_t unseen = 0, step = 1 + groups.size() / kMostCounts;
    auto count = [&](bool moves, bool last) {
      unseen += moves;
      if (unseen >= step || (last && unseen)) now = registers(block), unseen = 0;
    };
    for (auto group = groups.rbegin(); group != groups.rend() && now > most; ++group) {
      Op *first = nullptr;
      for (Op *load : group->loads)
        if (Op *user = places.firstUse(*load); user && (!first || places.isBefore(user, first))) first = user;
      bool moves = false;
      for (Op *load : group->loads) moves |= places.moveDown(load, first);
      count(moves, group + 1 == groups.rend());
    }
    for (auto group = groups.rbegin(); group != groups.rend() && now > most; ++group) {
      bool moves = false;
      for (Op *load : group->loads) moves |= places.moveDown(load, places.firstUse(*load));
      count(moves, group + 1 == groups.rend());
    }
    if (now > most) {
      std::vector<Op *> kept = opsOf(block);
      arrange(block, Demand(block).order());
      if (registers(block) >= now) arrange(block, kept);
    }
    int64_t after = registers(block);
    if (after >= before) return arrange(block, original);
    diagnostics_.report(DiagCode::PassRemark, original[0]->range(),
                        str("loads and computations from here on are moved to their uses: ", before,
                            " registers would be live at one time, now ", after, "; ", target_.name, " has ", registers_,
                            " per thread"));
  }

private:
  static constexpr size_t kMostCounts = 64;

  struct Group {
    const Value *source;
    std::vector<Op *> loads; // in program order
  };

  int64_t mostFor(const Block &block) const {
    int64_t others = kForOthers;
    for (const Op &op : block)
      others = std::max(others, convertsBytes(op) ? kForBytes : op.kind() == OpKind::TileMma ? kForProducts : 0);
    return registers_ - others;
  }
  int64_t registers(const Block &block) const { return registersAtOnce(block, lanes_, target_); }

  static std::vector<Group> groupsOf(Block &block) {
    std::vector<Group> groups;
    for (Op &op : block) {
      if (!isLoad(op)) continue;
      const Value *source = sourceOf(op);
      auto known = std::find_if(groups.begin(), groups.end(), [&](const Group &group) { return group.source == source; });
      if (known == groups.end()) known = groups.insert(groups.end(), Group{source, {}});
      known->loads.push_back(&op);
    }
    return groups;
  }

  int64_t lanes_;
  const TargetInfo &target_;
  int64_t registers_; // of one thread
  Diagnostics &diagnostics_;
};

} // namespace

Result<void> sinkToUses(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) {
    // Checked before registers are counted: a kernel whose code is too large is rejected.
    if (kernel->scope == Scope::Lane && !codeFits(*kernel, diagnostics)) return Error::diagnosed();
    if (kernel->scope == Scope::Lane) Sinker(*kernel, target, diagnostics).run(kernel->body);
  }
  return {};
}

} // namespace xt
