#include "ir/effects.h"

#include "ir/base/check.h"

#include <unordered_map>

namespace xt {

namespace {
// An i64 may be an address.
bool refersToMemory(const Value *value) {
  return value->type().isMemRef() || value->type().isTile() || value->type().isScalar(Elem::I64);
}

bool dependsOnOrder(const Op &op) {
  if (op.kind() != OpKind::AtomicRmw) return false;
  return isFloat(op.result()->type().elem()) || op.textAttr("kind") == "assign" || !op.result()->uses().empty();
}

// For each memref or tile value, the parameters whose memory it may refer to.
class Origins {
public:
  explicit Origins(const Kernel &kernel) : kernel_(kernel) {
    for (size_t i = 0; i < kernel.paramCount; ++i) {
      if (!refersToMemory(kernel.param(i))) continue;
      std::vector<bool> own(kernel.paramCount, false);
      own[i] = true;
      sets_[kernel.param(i)] = std::move(own);
    }
    // Loops carry tiles around: repeat until nothing is added.
    do {
      changed_ = false;
      walk(const_cast<Block &>(kernel.body), [&](Op &op) { visit(op); });
    } while (changed_);
  }

  std::vector<bool> of(const Value *value) const {
    auto found = sets_.find(value);
    return found == sets_.end() ? std::vector<bool>(kernel_.paramCount, false) : found->second;
  }

private:
  void flow(const Value *from, const Value *to) {
    if (!refersToMemory(from) || !refersToMemory(to)) return;
    std::vector<bool> source = of(from);
    std::vector<bool> &target = sets_.try_emplace(to, std::vector<bool>(kernel_.paramCount, false)).first->second;
    for (size_t i = 0; i < source.size(); ++i)
      if (source[i] && !target[i]) target[i] = changed_ = true;
  }

  void visit(Op &op) {
    if (op.regionCount() == 0) {
      for (const Value *operand : op.operands())
        for (size_t r = 0; r < op.resultCount(); ++r) flow(operand, op.result(r));
      return;
    }
    size_t carried = op.resultCount();
    CarriedAt at = carriedAt(op);
    for (size_t r = 0; r < op.regionCount(); ++r) {
      Block *region = op.region(r);
      const Op *end = region->last(); // the yield; a region without results may lack one
      for (size_t i = 0; i < carried; ++i) {
        const Value *yielded = end->operand(i + at.yield);
        flow(yielded, op.result(i));
        if (!at.loops) continue;
        const Value *init = op.operand(i + at.operand), *param = region->param(i + at.param);
        flow(init, op.result(i));
        flow(init, param);
        flow(yielded, param);
      }
    }
  }

  const Kernel &kernel_;
  std::unordered_map<const Value *, std::vector<bool>> sets_; // looked up only
  bool changed_ = false;
};
} // namespace

KernelEffects kernelEffects(const Kernel &kernel) {
  Origins origins(kernel);
  KernelEffects effects{std::vector<bool>(kernel.paramCount, false), std::vector<bool>(kernel.paramCount, false), false};
  walk(const_cast<Block &>(kernel.body), [&](Op &op) {
    effects.orderDependent |= dependsOnOrder(op);
    bool reads = has(op.info().effects, Effect::Reads), writes = has(op.info().effects, Effect::Writes);
    if (!reads && !writes) return;
    for (const Value *operand : op.operands()) {
      if (!operand->type().isMemRef() && !operand->type().isTile()) continue;
      std::vector<bool> from = origins.of(operand);
      for (size_t i = 0; i < from.size(); ++i) {
        if (from[i] && reads) effects.reads[i] = true;
        if (from[i] && writes) effects.writes[i] = true;
      }
    }
  });
  return effects;
}

} // namespace xt
