#include "ir/order_dependence.h"

#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/effects.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace xt {

namespace {
// The op that combines the old value with the operand; nullopt for `assign`.
std::optional<OpKind> combinedBy(const Op &atomic) { return combiningOp(atomic); }

OrderCause ownCause(const Op &atomic) {
  std::optional<OpKind> op = combinedBy(atomic);
  if (!op) return OrderCause::LastWriter;
  return combiningRounds(*op) ? OrderCause::Rounding : OrderCause::None;
}

// One buffer of the launch, or all shared local memory together.
struct Memory {
  OrderCause cause = OrderCause::None;
  std::optional<OpKind> atomic; // the op of its atomics; nullopt for `assign`
  bool hasAtomics = false, local = false;
};

class Analysis {
public:
  Analysis(const Kernel &kernel, const std::vector<size_t> &memoryOf, const std::vector<OrderCause> &before)
      : memoryOf_(memoryOf), before_(before), origins_(kernel), memories_(before.size() + 1) {
    for (size_t m = 0; m < before.size(); ++m)
      if (before[m] != OrderCause::None) memories_[m].cause = OrderCause::Before;
    memories_.back().local = true;
    walk(kernel.body, [&](const Op &op) {
      if (!updatesMemory(op)) return;
      forEachMemory(op, [&](Memory &memory, Effect) {
        if (memory.hasAtomics && memory.atomic != combinedBy(op)) set(memory.cause, OrderCause::Kinds);
        memory.atomic = combinedBy(op);
        memory.hasAtomics = true;
      });
    });
    // Loops and memory carry values from one iteration to the next: repeat until nothing changes.
    do {
      changed_ = false;
      walk(kernel.body, [&](const Op &op) { visit(op); });
    } while (changed_);
  }

  std::vector<OrderCause> causes() const {
    std::vector<OrderCause> causes;
    for (size_t m = 0; m < before_.size(); ++m) causes.push_back(first(before_[m], memories_[m].cause));
    return causes;
  }

private:
  void set(OrderCause &to, OrderCause cause) {
    if (to != OrderCause::None || cause == OrderCause::None) return;
    to = cause;
    changed_ = true;
  }
  OrderCause of(const Value *value) const {
    auto found = causes_.find(value);
    return found == causes_.end() ? OrderCause::None : found->second;
  }
  void mark(const Value *value, OrderCause cause) {
    if (cause != OrderCause::None) set(causes_[value], cause);
  }
  static OrderCause first(OrderCause a, OrderCause b) { return a == OrderCause::None ? b : a; }

  // Why the order may decide whether or how often an op runs; None if it does not.
  OrderCause control(const Op &op) const {
    OrderCause cause = OrderCause::None;
    for (const Block *block = op.block(); block && block->parentOp(); block = block->parentOp()->block())
      cause = first(cause, decision(*block->parentOp()));
    return cause;
  }
  // Why the bounds or the condition of an op with regions may depend on the order; None if they do not.
  OrderCause decision(const Op &op) const {
    OrderCause cause = OrderCause::None;
    CarriedAt at = carriedAt(op);
    for (size_t i = 0; i < at.operand; ++i) cause = first(cause, of(op.operand(i)));
    if (op.kind() == OpKind::While) cause = first(cause, of(op.region()->last()->operand(0)));
    return cause;
  }

  // Calls f(memory, effects) on the buffers that an op accesses. Operands that refer to no buffer of the launch refer to shared
  // local memory.
  template <class F> void forEachMemory(const Op &op, F f) {
    for (size_t k = 0; k < op.operandCount(); ++k) {
      Effect on = effectsOn(op, k);
      if (on == Effect::None) continue;
      std::vector<bool> from = origins_.of(op.operand(k));
      bool known = false;
      for (size_t i = 0; i < from.size(); ++i)
        if (from[i]) known = true, f(memories_[memoryOf_[i]], on);
      if (!known) f(memories_.back(), on);
    }
  }

  void visit(const Op &op) {
    if (op.regionCount() > 0) return visitStructure(op);
    const bool updates = updatesMemory(op);
    OrderCause operands = OrderCause::None;
    for (const Value *operand : op.operands()) operands = first(operands, of(operand));
    OrderCause read = operands;
    forEachMemory(op, [&](Memory &memory, Effect on) {
      if (!has(on, Effect::Reads)) return;
      read = first(read, memory.cause);
      // Shared local memory is exempt: it is read after a barrier.
      if (!updates && memory.hasAtomics && !memory.local) read = first(read, OrderCause::Midway);
    });
    // An atomic stores its operand, combined with the old value; other ops that read and write copy what they read.
    const OrderCause stored = first(updates ? operands : read, control(op));
    forEachMemory(op, [&](Memory &memory, Effect on) {
      if (has(on, Effect::Writes)) set(memory.cause, updates ? first(stored, ownCause(op)) : stored);
    });
    if (updates) read = first(read, OrderCause::OldValue);
    for (size_t i = 0; i < op.resultCount(); ++i) mark(op.result(i), read);
  }

  void visitStructure(const Op &op) {
    CarriedAt at = carriedAt(op);
    OrderCause decided = decision(op);
    for (size_t r = 0; r < op.regionCount(); ++r) {
      Block *region = op.region(r);
      for (size_t p = 0; p < at.param && p < region->params().size(); ++p) mark(region->param(p), decided);
      for (size_t i = 0; i < op.resultCount(); ++i) {
        OrderCause carried = of(region->last()->operand(i + at.yield));
        if (at.loops) {
          carried = first(carried, of(op.operand(i + at.operand)));
          mark(region->param(i + at.param), first(carried, decided));
        }
        mark(op.result(i), first(carried, decided));
      }
    }
  }

  const std::vector<size_t> &memoryOf_;
  const std::vector<OrderCause> &before_;
  MemoryOrigins origins_;
  std::vector<Memory> memories_; // the last one is shared local memory
  std::unordered_map<const Value *, OrderCause> causes_; // used for lookup only
  bool changed_ = false;
};
} // namespace

std::string_view orderCauseText(OrderCause cause) {
  switch (cause) {
  case OrderCause::None: return "nothing";
  case OrderCause::Before: return "the order of workgroups in an earlier launch";
  case OrderCause::OldValue: return "old values of atomics";
  case OrderCause::Midway: return "values that atomics of the same kernel change";
  case OrderCause::LastWriter: return "the order of atomic `assign`s";
  case OrderCause::Kinds: return "the order of atomics of several kinds";
  case OrderCause::Rounding: return "the order in which atomics round their sums";
  }
  XT_UNREACHABLE("cause");
}

std::vector<OrderCause> orderDependence(const Kernel &kernel, const std::vector<size_t> &memoryOf,
                                        const std::vector<OrderCause> &before) {
  XT_CHECK(memoryOf.size() == kernel.paramCount, "a buffer for each parameter");
  return Analysis(kernel, memoryOf, before).causes();
}

bool dependsOnOrder(const Kernel &kernel) {
  std::vector<size_t> memoryOf(kernel.paramCount);
  std::iota(memoryOf.begin(), memoryOf.end(), size_t{0});
  std::vector<OrderCause> causes =
      orderDependence(kernel, memoryOf, std::vector<OrderCause>(kernel.paramCount, OrderCause::None));
  return std::any_of(causes.begin(), causes.end(), [](OrderCause cause) { return cause != OrderCause::None; });
}

} // namespace xt
