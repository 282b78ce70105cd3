#include "ir/uniformity.h"

#include "ir/combine.h"
#include "ir/constants.h"
#include "ir/effects.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {
namespace {

class Divergence {
public:
  Divergence(const Kernel &kernel, Among among, LoadedValues loaded)
      : among_(among), loaded_(loaded), lanes_(kernel.scope == Scope::Lane ? kernel.lanes : 0) {
    // Loops carry values from one iteration to the next: repeat until nothing is added.
    do {
      changed_ = false;
      walk(kernel.body, [&](const Op &op) { visit(op); });
    } while (changed_);
  }
  std::unordered_set<const Value *> take() { return std::move(values_); }

private:
  void add(const Value *value) { changed_ |= values_.insert(value).second; }

  void visit(const Op &op) {
    if (op.regionCount()) return region(op);
    bool differs = op.kind() == OpKind::LaneId || (op.kind() == OpKind::SubgroupId && among_ == Among::Workgroup);
    for (const Value *operand : op.operands()) differs |= values_.contains(operand);
    if (has(op.info().effects, Effect::Reads) && loaded_ == LoadedValues::TakenAsSame) differs = false;
    // Each subgroup may get another old value from an atomic, even at the same address, and each lane has its own elements of a
    // block and of a product.
    differs |= loaded_ == LoadedValues::MayDiffer && (updatesMemory(op) || (lanes_ > 0 && dealsOut(op)));
    if (givesAllTheSame(op)) differs = false;
    for (size_t i = 0; differs && i < op.resultCount(); ++i) add(op.result(i));
    bool answers = op.kind() == OpKind::Shuffle && loaded_ == LoadedValues::MayDiffer && !readsOneLane(op);
    if (answers) add(op.result(1)); // whether its lane is there
  }

  void region(const Op &op) {
    CarriedAt at = carriedAt(op);
    bool control = divergesAt(op, values_);
    if (op.kind() == OpKind::For && (values_.contains(op.operand(0)) || values_.contains(op.operand(2))))
      add(op.region()->param(0));
    for (size_t i = 0; i < op.resultCount(); ++i) {
      bool differs = control;
      for (size_t r = 0; r < op.regionCount(); ++r) differs |= values_.contains(op.region(r)->last()->operand(i + at.yield));
      if (at.loops) {
        differs |= values_.contains(op.operand(i + at.operand));
        if (differs) add(op.region()->param(i + at.param));
      }
      if (differs) add(op.result(i));
    }
  }

  // Whether all lanes of a subgroup get the same result, whatever they give. Sums and products of NaNs may have other bits in each
  // lane.
  bool givesAllTheSame(const Op &op) const {
    if (readsOneLane(op)) return true;
    if (op.kind() != OpKind::SubgroupReduce || SubgroupReduceOp(op).clusterSize() || among_ != Among::Subgroup) return false;
    OpKind kind = *combiningOp(op);
    return loaded_ == LoadedValues::TakenAsSame || (kind != OpKind::AddF && kind != OpKind::MulF);
  }
  // Whether all lanes of a subgroup read the value of the same lane. If that lane does not exist, each keeps its own value, so a
  // guarantee needs a constant lane.
  bool readsOneLane(const Op &op) const {
    if (op.kind() != OpKind::Shuffle || among_ != Among::Subgroup || ShuffleOp(op).mode() != ShuffleMode::Idx) return false;
    std::optional<int64_t> lane = constantInt(*op.operand(1)), width = constantInt(*op.operand(2));
    if (lanes_ == 0 || !width || *width < lanes_) return false;
    if (lane) return *lane >= 0 && *lane < lanes_;
    return loaded_ == LoadedValues::TakenAsSame && !values_.contains(op.operand(1));
  }
  static bool dealsOut(const Op &op) { return op.kind() == OpKind::LoadNd || op.kind() == OpKind::Dpas; }

  Among among_;
  LoadedValues loaded_;
  int64_t lanes_; // of a subgroup; 0: not at lane scope
  std::unordered_set<const Value *> values_;
  bool changed_ = false;
};

} // namespace

std::unordered_set<const Value *> divergentValues(const Kernel &kernel, Among among, LoadedValues loaded) {
  return Divergence(kernel, among, loaded).take();
}

bool divergesAt(const Op &op, const std::unordered_set<const Value *> &divergent) {
  CarriedAt at = carriedAt(op);
  for (size_t i = 0; i < at.operand; ++i)
    if (divergent.contains(op.operand(i))) return true;
  return op.kind() == OpKind::While && divergent.contains(op.region()->last()->operand(0));
}

} // namespace xt
