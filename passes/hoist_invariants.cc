#include "passes/hoist_invariants.h"

#include "ir/base/text.h"
#include "passes/facts.h"

#include <algorithm>

namespace xt {
namespace {

bool isInvariant(const Op &op, const Block &body) {
  return std::none_of(op.operands().begin(), op.operands().end(),
                      [&](const Value *operand) { return definedInside(*operand, body); });
}

void remarkKept(const Op &load, const Op &loop, Diagnostics &diagnostics) {
  Diagnostic &remark = diagnostics.report(
      DiagCode::PassRemark, load.range(),
      str("`", load.info().name,
          "` reads the same memory in each iteration, but is not hoisted: the memory may change in between"));
  remark.at(loop.range(), "the loop");
  if (const Op *write = firstWrite(loop.region()->first(), nullptr)) {
    bool writes = has(write->info().effects, Effect::Writes);
    remark.at(write->range(), writes ? "written here" : "other subgroups may write before this point");
  } else {
    remark.note("nothing in the loop writes; if no other workgroup writes it either, you can move the load before the loop");
  }
}

// Visits inner loops first, so that ops hoisted out of them can be hoisted out of the outer loop as well.
void hoist(Block &block, Diagnostics &diagnostics) {
  for (Op &op : block) {
    for (size_t r = 0; r < op.regionCount(); ++r) hoist(*op.region(r), diagnostics);
    if (!isLoop(op)) continue;
    Block &body = *op.region();
    for (Op *inner = body.first(); inner;) {
      Op *next = inner->next();
      bool invariant = (isPure(*inner) || isLoad(*inner)) && isInvariant(*inner, body);
      if (invariant && isLoad(*inner)) {
        remarkKept(*inner, op, diagnostics);
      } else if (invariant) {
        if (costsWork(*inner))
          diagnostics
              .report(DiagCode::PassRemark, inner->range(),
                      str("`", inner->info().name, "` does not change in this loop: it is hoisted out of the loop"))
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
