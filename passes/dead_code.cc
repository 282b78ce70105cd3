#include "passes/dead_code.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "passes/facts.h"

#include <unordered_set>

namespace xt {
namespace {

// Marks everything that ops with effects depend on, then removes the rest. Carried values are marked individually: a value that
// a loop carries only to compute itself in the next iteration stays unmarked.
class DeadCode {
public:
  DeadCode(Kernel &kernel, Diagnostics &diagnostics) : kernel_(kernel), diagnostics_(diagnostics) {}

  bool run() {
    walk(kernel_.body, [&](Op &op) {
      // A structure op is live if its body has live ops or a result is used. A `while` is always live, because it may run
      // forever, and must then do so on every target.
      if (op.kind() == OpKind::While || (op.info().clause != Clause::Structure && !isRemovable(op))) mark(op);
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
    CarriedAt at = carriedAt(op);
    for (size_t i = 0; i < at.operand; ++i) mark(*op.operand(i));
    if (at.loops)
      for (size_t i = 0; i < at.yield; ++i) mark(*op.region()->last()->operand(i));
    if (const Op *parent = op.block()->parentOp()) mark(*parent);
  }

  void follow(const Value &value) {
    const Op *op = value.definingOp() ? value.definingOp() : value.definingBlock()->parentOp();
    if (!op) return; // a parameter of the kernel
    mark(*op);
    if (CarriedAt at = carriedAt(*op); at.loops) {
      bool parameter = !value.definingOp();
      if (parameter && value.index() < at.param) return;
      carried(*op, at, parameter ? value.index() - at.param : value.index());
    } else {
      for (size_t r = 0; r < op->regionCount(); ++r) mark(*op->region(r)->last()->operand(value.index()));
    }
  }

  void carried(const Op &loop, CarriedAt at, size_t i) {
    mark(*loop.operand(i + at.operand));
    mark(*loop.region()->param(i + at.param));
    mark(*loop.result(i));
    mark(*loop.region()->last()->operand(i + at.yield));
  }

  // Goes from last to first, so that users are erased before the values that they use.
  void sweep(Block &block) {
    for (Op *op = block.last(); op;) {
      Op *previous = op->previous();
      bool live = ops_.contains(op) || has(op->info().effects, Effect::Terminates);
      if (live && op->regionCount()) sweepRegions(*op);
      if (!live) {
        if (costsWork(*op))
          diagnostics_.report(DiagCode::PassRemark, op->range(),
                              str("the result of `", op->info().name, "` is unused: the op is removed"));
        block.erase(op);
        removed_ = true;
      }
      op = previous;
    }
  }

  void sweepRegions(Op &op) {
    CarriedAt at = carriedAt(op);
    for (size_t i = op.resultCount(); i-- > 0;)
      if (!values_.contains(op.result(i)))
        for (size_t r = 0; r < op.regionCount(); ++r) op.region(r)->last()->eraseOperand(i + at.yield);
    for (size_t r = 0; r < op.regionCount(); ++r) sweep(*op.region(r));
    for (size_t i = op.resultCount(); i-- > 0;) {
      if (values_.contains(op.result(i))) continue;
      if (at.loops) {
        op.region()->eraseParam(i + at.param);
        op.eraseOperand(i + at.operand);
      }
      op.eraseResult(i);
      removed_ = true;
    }
  }

  Kernel &kernel_;
  Diagnostics &diagnostics_;
  std::unordered_set<const Value *> values_; // live; for lookup only
  std::unordered_set<const Op *> ops_; // live
  std::vector<const Value *> work_;
  bool removed_ = false;
};

} // namespace

bool eraseDeadCode(Kernel &kernel, Diagnostics &diagnostics) { return DeadCode(kernel, diagnostics).run(); }

Result<void> deadCode(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) eraseDeadCode(*kernel, diagnostics);
  return {};
}

} // namespace xt
