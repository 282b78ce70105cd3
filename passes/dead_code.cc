#include "passes/dead_code.h"

#include "passes/facts.h"

#include <unordered_set>

namespace xt {
namespace {

// Marks what the ops with effects depend on, then removes the rest. Carried values are live one by one: what a loop
// carries only for itself is not reached from outside.
class DeadCode {
public:
  explicit DeadCode(Kernel &kernel) : kernel_(kernel) {}

  bool run() {
    walk(kernel_.body, [&](Op &op) {
      // Structure ops are needed for what is in them or what they give.
      if (op.info().clause != Clause::Structure && !isRemovable(op)) mark(op);
    });
    while (!work_.empty()) {
      const Value *value = work_.back();
      work_.pop_back();
      follow(*value);
    }
    sweep(kernel_.body);
    return removed_;
  }

private:
  void mark(const Value &value) {
    if (values_.insert(&value).second) work_.push_back(&value);
  }

  void mark(const Op &op) {
    if (!ops_.insert(&op).second) return;
    for (size_t i = 0; i < controlOperands(op); ++i) mark(*op.operand(i));
    if (const Op *parent = op.block()->parentOp()) mark(*parent);
  }

  // Those that the op needs itself; the others belong to its results.
  static size_t controlOperands(const Op &op) {
    if (isLoop(op)) return 3;
    return op.operandCount();
  }

  void follow(const Value &value) {
    const Op *op = value.definingOp() ? value.definingOp() : value.definingBlock()->parentOp();
    if (!op) return; // a parameter of the kernel
    mark(*op);
    if (isLoop(*op)) {
      bool parameter = !value.definingOp();
      if (parameter && value.index() == 0) return;
      carried(*op, parameter ? value.index() - 1 : value.index());
    } else {
      for (size_t r = 0; r < op->regionCount(); ++r) mark(*op->region(r)->last()->operand(value.index()));
    }
  }

  void carried(const Op &loop, size_t i) {
    mark(*loop.operand(i + 3));
    mark(*loop.region()->param(i + 1));
    mark(*loop.result(i));
    mark(*loop.region()->last()->operand(i));
  }

  // From last to first: users go before what they use.
  void sweep(Block &block) {
    for (Op *op = block.last(); op;) {
      Op *previous = op->previous();
      bool live = ops_.contains(op) || has(op->info().effects, Effect::Terminates);
      if (live && op->regionCount()) sweepRegions(*op);
      if (!live) {
        block.erase(op);
        removed_ = true;
      }
      op = previous;
    }
  }

  void sweepRegions(Op &op) {
    for (size_t i = op.resultCount(); i-- > 0;)
      if (!values_.contains(op.result(i)))
        for (size_t r = 0; r < op.regionCount(); ++r) op.region(r)->last()->eraseOperand(i);
    for (size_t r = 0; r < op.regionCount(); ++r) sweep(*op.region(r));
    for (size_t i = op.resultCount(); i-- > 0;) {
      if (values_.contains(op.result(i))) continue;
      if (isLoop(op)) {
        op.region()->eraseParam(i + 1);
        op.eraseOperand(i + 3);
      }
      op.eraseResult(i);
      removed_ = true;
    }
  }

  Kernel &kernel_;
  std::unordered_set<const Value *> values_; // live; looked up, never iterated
  std::unordered_set<const Op *> ops_;       // live
  std::vector<const Value *> work_;
  bool removed_ = false;
};

} // namespace

bool eraseDeadCode(Kernel &kernel) { return DeadCode(kernel).run(); }

Result<void> deadCode(Module &module, Diagnostics &) {
  for (const auto &kernel : module.kernels) eraseDeadCode(*kernel);
  return {};
}

} // namespace xt
