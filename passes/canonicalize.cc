#include "passes/canonicalize.h"

#include "passes/dead_code.h"
#include "passes/facts.h"
#include "passes/simplify.h"

namespace xt {
namespace {

// A sweep in program order settles everything except values carried around loops; few programs need a third sweep.
constexpr int kMaxSweeps = 8;

class Canonicalize {
public:
  Canonicalize(Context &context, Diagnostics &diagnostics) : context_(context), diagnostics_(diagnostics) {}

  // Returns whether something changed.
  bool run(Block &body) {
    changed_ = false;
    sweep(body);
    return changed_;
  }

private:
  void sweep(Block &block) {
    for (Op *op = block.first(); op;) {
      Op *next = op->next();
      if (visit(*op, next))
        changed_ = true;
      else
        for (size_t r = 0; r < op->regionCount(); ++r) sweep(*op->region(r));
      op = next;
    }
  }

  // Returns whether the op was erased; `next` is then the op to continue with.
  bool visit(Op &op, Op *&next) {
    if (op.regionCount()) {
      changed_ |= forwardKnownResults(op);
      SourceRange range = op.range();
      std::string_view becomes = resolveStructure(op, next);
      if (!becomes.empty()) diagnostics_.report(DiagCode::PassRemark, range, std::string(becomes));
      return !becomes.empty();
    }
    constantToTheRight(op);
    Value *value = simplifiedValue(op, context_);
    if (!value) return false;
    if (value->name().empty()) value->setName(op.result()->name());
    op.result()->replaceAllUsesWith(value);
    op.block()->erase(&op);
    return true;
  }

  static void constantToTheRight(Op &op) {
    if (!op.info().commutative || op.operandCount() != 2) return;
    Value *left = op.operand(0), *right = op.operand(1);
    if (!constantValue(*left) || constantValue(*right)) return;
    op.setOperand(0, right);
    op.setOperand(1, left);
  }

  Context &context_;
  Diagnostics &diagnostics_;
  bool changed_ = false;
};

} // namespace

Result<void> canonicalize(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) {
    Canonicalize pass(module.context(), diagnostics);
    for (int i = 0; i < kMaxSweeps && pass.run(kernel->body); ++i) {}
    eraseDeadCode(*kernel, diagnostics);
  }
  return {};
}

} // namespace xt
