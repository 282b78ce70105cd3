#include "passes/tile_sweeps.h"

#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "passes/facts.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace xt {
namespace {

constexpr size_t kMostOps = 256;     // maximum number of ops of one sweep
constexpr size_t kMostAccesses = 24; // maximum number of accesses of one sweep, all pairs of which are compared
constexpr size_t kMostSpan = 4096; // maximum distance between the first and the last op of a sweep, in ops of the block

bool isScatter(Type type) { return type.isTile() && type.data().scatter; }

// Whether values of this type can be cut into the parts of a sweep.
bool hasParts(Type type) { return (type.isVector() || isScatter(type)) && type.rank() == 2; }

bool isStore(const Op &op) { return op.kind() == OpKind::StoreTile || op.kind() == OpKind::StoreScatter; }

// The tile of a load or a store; null for other ops.
const Value *accessedTile(const Op &op) {
  if (!isStore(op) && op.kind() != OpKind::LoadTile && op.kind() != OpKind::LoadGather) return nullptr;
  for (const Value *operand : op.operands())
    if (operand->type().isTile()) return operand;
  return nullptr;
}

// Whether each part of the op's result, or of the value that it stores, depends only on parts of its operands. False if the
// kernel states the layout of one of its vectors, which would not be that of their parts.
bool isSwept(const Op &op) {
  for (const Value *operand : op.operands())
    if (operand->type().isVector() && (operand->type().rank() != 2 || operand->type().layout())) return false;
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (!hasParts(op.result(i)->type()) || op.result(i)->type().layout()) return false;
  switch (op.kind()) {
  case OpKind::Broadcast:
  case OpKind::Reduction:
  case OpKind::Transpose: return true;
  case OpKind::InitTile:
  case OpKind::UpdateTileOffset: return true; // the tile is a scatter tile, because its type has parts
  case OpKind::LoadTile:
  case OpKind::LoadGather:
  case OpKind::StoreTile:
  case OpKind::StoreScatter: {
    const Value *tile = accessedTile(op);
    return (isScatter(tile->type()) || (chainOf(tile).init && !tile->type().data().packed)) && tile->type().rank() == 2;
  }
  default: return isPure(op) && isElementwise(op);
  }
}

Follows turned(Follows dims) { return {dims[1], dims[0]}; }

using Places = std::unordered_map<const Op *, size_t>; // positions of ops in their block; for lookup only

class SweepFinder {
public:
  // `last`: a store, or with `sums` also a reduction. `sums`: whether a reduction of a cut dimension combines the results of
  // the parts. Otherwise reduced dimensions are not cut, and ops that use the result may be in the sweep.
  SweepFinder(Block &block, const Places &places, Op &last, bool sums) : block_(block), places_(places), sums_(sums) {
    Type type = last.operand(0)->type();
    sweep_.extents = {type.extent(0), type.extent(1)};
    addRoot(last);
  }

  // Finds a sweep that needs at most the promise `most`. Returns whether there is one.
  bool find(ArgumentPromise most) {
    do {
      close();
      storeOnce();
      if (sweep_.ops.size() > kMostOps || !sweep_.inPart({0, 1}) || span() > kMostSpan) return false;
    } while (joinsAnother());
    keepThoseInParts();
    return good_ && !sweep_.ops.empty() && areSumsLast() && mayMove() && areAccessesIndependent(most);
  }
  // Call this only after find() has returned true.
  TileSweep take() { return std::move(sweep_); }
  const std::vector<const Op *> &roots() const { return roots_; }

private:
  void addRoot(Op &op) {
    roots_.push_back(&op);
    if (isStore(op))
      add(op, {0, 1});
    else
      addSum(op, {0, 1});
  }

  // --- the ops that belong together

  void whole(int dim) {
    if (dim != kWhole) sweep_.inParts[static_cast<size_t>(dim)] = false;
  }
  void whole(Follows dims) {
    for (int dim : dims) whole(dim);
  }

  // Returns `dims` without the dimensions that a value of this type cannot follow, because its extent differs from that of the
  // sweep. Unless the extent is 1, the sweep must then not be cut along this dimension.
  Follows fitting(Type type, Follows dims) {
    for (int d = 0; d < 2; ++d) {
      int &dim = dims[static_cast<size_t>(d)];
      if (dim == kWhole || type.extent(d) == sweep_.extents[static_cast<size_t>(dim)]) continue;
      if (type.extent(d) != 1) whole(dim);
      dim = kWhole;
    }
    for (int &dim : dims)
      if (dim != kWhole && sweep_.extents[static_cast<size_t>(dim)] == 1) dim = kWhole;
    return dims;
  }

  void add(Op &op, Follows dims) {
    if (!members_.insert(&op).second) return;
    sweep_.ops.push_back(&op);
    dims_[&op] = dims = fitting(op.resultCount() ? op.result()->type() : op.operand(0)->type(), dims);
    if (op.resultCount()) sweep_.follows[op.result()] = dims;
    open_.push_back(&op);
  }

  void addSum(Op &op, Follows dims) {
    if (!members_.insert(&op).second) return;
    sweep_.ops.push_back(&op);
    sweep_.sums.push_back(&op);
    dims_[&op] = dims = fitting(op.operand(0)->type(), dims);
    // Only the sweep dimension that the summed dimension follows may be cut: parts along another one would repeat the sum.
    for (int dim = 0; dim < 2; ++dim)
      if (dim != dims[dimensionOf(op)]) whole(dim);
    open_.push_back(&op);
  }

  // Completes the sweep: adds first the ops that compute operands of its ops, then the ops that use their results.
  void close() {
    while (sweep_.ops.size() <= kMostOps) {
      if (!open_.empty()) {
        Op *op = open_.back();
        open_.pop_back();
        for (size_t i = 0; i < op->operandCount(); ++i) addOperand(*op, i);
        keepWhole(*op);
      } else if (usersVisited_ < sweep_.ops.size()) {
        addUsers(*sweep_.ops[usersVisited_++]);
      } else {
        return;
      }
    }
  }

  // Keeps a dimension whole that the op reduces or broadcasts in groups, because a part of the result may need more than the
  // same part of the operand.
  void keepWhole(const Op &op) {
    Follows dims = dims_.at(&op);
    bool grouped = op.attr(attr_names::kReductionSize) || op.attr(attr_names::kBroadcastSize);
    if (grouped) whole(dims[dimensionOf(op)]);
  }

  void addOperand(const Op &op, size_t i) {
    Value *operand = op.operand(i);
    if (!hasParts(operand->type())) return;
    Follows dims = fitting(operand->type(), sweep_.followsOfOperand(op, i, dims_.at(&op)));
    Op *made = operand->definingOp();
    if (made && sweep_.isSum(*made)) good_ = false;
    if (made && isMadeAnywhere(*made)) return;
    if (auto known = sweep_.follows.find(operand); known != sweep_.follows.end()) {
      for (size_t d = 0; d < 2; ++d)
        if (known->second[d] != dims[d]) whole(known->second[d]), whole(dims[d]);
      return;
    }
    if (dims == Follows{kWhole, kWhole}) return;
    if (made && made->block() == &block_ && isSwept(*made))
      add(*made, dims);
    else
      whole(dims);
  }

  void addUsers(const Op &op) {
    if (!op.resultCount() || sweep_.isSum(op)) return;
    for (Use use : op.result()->uses()) {
      if (members_.contains(use.user)) {
        addOperand(*use.user, use.operand); // checks that it follows the same dimensions
        continue;
      }
      bool swept = use.user->block() == &block_ && isSwept(*use.user);
      if (swept && canSum(*use.user) && dims_.at(&op)[dimensionOf(*use.user)] != kWhole)
        addSum(*use.user, dims_.at(&op));
      else if (swept)
        add(*use.user, followsOfUser(*use.user, dims_.at(&op)));
      else
        whole(dims_.at(&op));
    }
  }

  bool canSum(const Op &op) const { return sums_ && op.kind() == OpKind::Reduction && !op.attr(attr_names::kReductionSize); }

  // The dimensions that the result of a user follows, as far as those of its operand determine them.
  Follows followsOfUser(const Op &user, Follows dims) {
    switch (user.kind()) {
    case OpKind::Transpose: return turned(dims);
    case OpKind::Reduction: {
      size_t d = dimensionOf(user);
      whole(dims[d]);
      dims[d] = kWhole;
      return dims;
    }
    case OpKind::Broadcast: {
      size_t d = dimensionOf(user);
      int other = dims[1 - d] == kWhole ? static_cast<int>(d) : 1 - dims[1 - d];
      bool fits = user.result()->type().extent(static_cast<int>(d)) == sweep_.extents[static_cast<size_t>(other)];
      dims[d] = fits ? other : kWhole;
      return dims;
    }
    default: return dims;
    }
  }

  // Keeps the dimensions whole that a store does not follow, because each part along them would repeat the store.
  void storeOnce() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Op *op : sweep_.ops) {
        if (!isStore(*op) || !sweep_.inPart(dims_.at(op))) continue;
        for (int dim = 0; dim < 2; ++dim)
          if (sweep_.cuts(dim) && dims_.at(op)[0] != dim && dims_.at(op)[1] != dim) whole(dim), changed = true;
      }
    }
  }

  // --- where it can be performed

  size_t span() const {
    auto [first, last] = std::ranges::minmax(sweep_.ops, {}, [&](const Op *op) { return places_.at(op); });
    return places_.at(last) - places_.at(first);
  }

  void sortOps() {
    std::ranges::sort(sweep_.ops, {}, [&](const Op *op) { return places_.at(op); });
    usersVisited_ = sweep_.ops.size();
  }

  static bool isAccess(const Op &op) { return accessedTile(op) != nullptr; }
  bool isPart(const Op &op) const { return members_.contains(&op) && sweep_.inPart(dims_.at(&op)); }

  bool isLast(const Op &op) const { return isStore(op) || sweep_.isSum(op); }

  // Adds other stores of values of the same shape that are between the first access and the last op. Returns whether there are
  // any.
  bool joinsAnother() {
    sortOps();
    auto first = std::ranges::find_if(sweep_.ops, [](const Op *op) { return isAccess(*op); });
    bool joined = false;
    Op *last = lastOp();
    for (Op *op = first == sweep_.ops.end() ? nullptr : *first; op && op != last; op = op->next()) {
      if (!isStore(*op) || members_.contains(op) || !isSwept(*op)) continue;
      Type type = op->operand(0)->type();
      if (type.extent(0) != sweep_.extents[0] || type.extent(1) != sweep_.extents[1]) continue;
      addRoot(*op);
      joined = true;
    }
    return joined;
  }

  Op *lastOp() const {
    Op *last = nullptr;
    for (Op *op : sweep_.ops)
      if (isLast(*op) && sweep_.inPart(dims_.at(op))) last = op;
    return last;
  }

  // Removes the ops that belong to no part from the sweep: they stay where they are.
  void keepThoseInParts() {
    std::erase_if(sweep_.ops, [&](const Op *op) {
      if (sweep_.inPart(dims_.at(op))) return false;
      if (op->resultCount()) sweep_.follows.erase(op->result());
      std::erase(sweep_.sums, op);
      return true;
    });
  }

  // Whether the results of all sums are used only after the last op, because that is where they are computed.
  bool areSumsLast() const {
    size_t last = places_.at(sweep_.ops.back());
    for (const Op *sum : sweep_.sums)
      for (Use use : sum->result()->uses()) {
        const Op *user = use.user;
        while (user->block() != &block_) user = user->block()->parentOp();
        if (places_.at(user) <= last) return false;
      }
    return true;
  }

  // Whether the accesses may be moved down to the last op.
  bool mayMove() const {
    bool reads = false, writes = false, good = true;
    const Op *last = sweep_.ops.back();
    if (!isLast(*last)) return false;
    auto look = [&](const Op &op) {
      Effect effects = op.info().effects;
      bool prefetch = op.kind() == OpKind::PrefetchTile, buffer = op.kind() == OpKind::AllocSlm;
      if (op.regionCount() || effects == Effect::None || effects == Effect::Terminates || prefetch || buffer) return;
      if (writes || (reads && effects != Effect::Reads)) good = false;
    };
    for (const Op *op = sweep_.ops.front(); op != last && good; op = op->next()) {
      if (isPart(*op)) {
        reads |= isAccess(*op), writes |= isStore(*op);
        continue;
      }
      look(*op);
      for (size_t r = 0; r < op->regionCount(); ++r) walk(std::as_const(*op->region(r)), look);
    }
    return good;
  }

  bool areAccessesIndependent(ArgumentPromise most) {
    std::vector<SweepAccess> accesses;
    for (const Op *op : sweep_.ops)
      if (const Value *tile = accessedTile(*op)) {
        bool turns = op->kind() == OpKind::LoadTile && transposes(*op);
        accesses.push_back({op, tile, isStore(*op), turns ? turned(dims_.at(op)) : dims_.at(op)});
      }
    if (accesses.size() > kMostAccesses) return false;
    std::optional<ArgumentPromise> needs = neededPromise(accesses);
    if (needs) sweep_.needs = *needs;
    return needs && *needs <= most;
  }

  Block &block_;
  const Places &places_;
  const bool sums_;
  bool good_ = true;
  TileSweep sweep_;
  std::unordered_set<const Op *> members_; // for lookup only
  std::unordered_map<const Op *, Follows> dims_; // for the result, or for the stored value; for lookup only
  std::vector<Op *> open_; // members whose operands have not been visited
  std::vector<const Op *> roots_;
  size_t usersVisited_ = 0; // number of ops of the sweep whose users have been visited
};

} // namespace

bool isMadeAnywhere(const Op &op) { return op.info().layoutRule == LayoutRule::Free; }

Follows TileSweep::followsOfOperand(const Op &op, size_t operand, Follows result) const {
  if (!hasParts(op.operand(operand)->type())) return {kWhole, kWhole};
  if (op.kind() == OpKind::Transpose) return turned(result);
  bool along = op.kind() == OpKind::Broadcast || (op.kind() == OpKind::Reduction && !isSum(op));
  if (along) result[dimensionOf(op)] = kWhole;
  return result;
}

std::vector<TileSweep> findSweeps(Block &block, int64_t fewestElements, ArgumentPromise most) {
  std::vector<TileSweep> sweeps;
  std::unordered_set<const Op *> tried; // for lookup only
  std::unordered_map<const Op *, size_t> sweepOf; // for lookup only
  Places places;
  for (const Op &op : block) places[&op] = places.size();
  auto look = [&](Op &last, bool sums) {
    SweepFinder finder(block, places, last, sums);
    bool found = finder.find(most);
    for (const Op *root : finder.roots()) tried.insert(root);
    if (!found) return false;
    TileSweep sweep = finder.take();
    // An op belongs to one sweep. A sweep replaces earlier ones if it contains all their ops.
    std::map<size_t, size_t> shared; // by number of an earlier sweep: how many of its ops are in this one
    for (const Op *op : sweep.ops)
      if (auto earlier = sweepOf.find(op); earlier != sweepOf.end()) ++shared[earlier->second];
    for (auto [earlier, ops] : shared)
      if (ops != sweeps[earlier].ops.size()) return false;
    for (auto [earlier, ops] : shared) sweeps[earlier].ops.clear();
    for (const Op *op : sweep.ops) tried.insert(op), sweepOf[op] = sweeps.size();
    sweeps.push_back(std::move(sweep));
    return true;
  };
  auto isOpen = [&](const Op &op) {
    return isSwept(op) && op.operand(0)->type().elementCount() >= fewestElements && !tried.contains(&op);
  };
  for (Op &op : block)
    if (isStore(op) && isOpen(op) && !look(op, false)) look(op, true);
  for (Op &op : block)
    if (op.kind() == OpKind::Reduction && isOpen(op)) look(op, true);
  std::erase_if(sweeps, [](const TileSweep &sweep) { return sweep.ops.empty(); });
  return sweeps;
}

} // namespace xt
