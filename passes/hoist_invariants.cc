#include "passes/hoist_invariants.h"

#include "ir/base/text.h"
#include "passes/facts.h"

#include <algorithm>

namespace xt {
namespace {

bool isInvariant(const Op &op, const Block &body) {
  return isPure(op) && std::none_of(op.operands().begin(), op.operands().end(),
                                    [&](const Value *operand) { return definedInside(*operand, body); });
}

// Inner loops first: what they give up their outer loop may give up in turn.
void hoist(Block &block, Diagnostics &diagnostics) {
  for (Op &op : block) {
    for (size_t r = 0; r < op.regionCount(); ++r) hoist(*op.region(r), diagnostics);
    if (!isLoop(op)) continue;
    Block &body = *op.region();
    for (Op *inner = body.first(); inner;) {
      Op *next = inner->next();
      if (isInvariant(*inner, body)) {
        if (costsWork(*inner))
          diagnostics
              .report(DiagCode::PassRemark, inner->range(),
                      str("`", inner->info().name, "` does not change in this loop: it is computed once, before it"))
              .at(op.range(), "the loop");
        block.moveBefore(&op, inner);
      }
      inner = next;
    }
  }
}

} // namespace

Result<void> hoistInvariants(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) hoist(kernel->body, diagnostics);
  return {};
}

} // namespace xt
