#include "passes/lane_products.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/fragment_exchange.h"
#include "passes/vector_slices.h"

#include <array>

namespace xt {

Value *rowsOfB(Builder &builder, Value *fragment, int64_t depth) {
  Type type = fragment->type();
  if (type.rank() == 3) {
    std::vector<int64_t> permutation = {0, 2, 1}, shape = {type.extent(0), type.extent(2), type.extent(1)};
    Op *turned = builder.create(OpKind::Transpose, {fragment}, {builder.context().vector(shape, type.elem())});
    TransposeOp(*turned).setPermutation(permutation);
    fragment = turned->result();
  }
  return withShape(builder, fragment, std::vector<int64_t>{depth, type.elementCount() / depth});
}

void expandLaneProducts(Kernel &kernel, Context &context, const TargetInfo &target, Diagnostics &diagnostics) {
  std::vector<Op *> products;
  walk(kernel.body, [&](Op &op) {
    if (op.kind() == OpKind::Dpas) products.push_back(&op);
  });
  Builder builder(context, kernel.body);
  KernelPrologue prologue(kernel, context);
  LanePlaces places(builder, prologue, kernel.lanes);
  FragmentExchange exchange(builder, places);
  for (Op *op : products) {
    auto found = dpasFragments(context, op->operand(0)->type(), op->operand(1)->type(), op->result()->type(), kernel.lanes);
    const auto *fragments = std::get_if<DpasFragments>(&found);
    XT_CHECK(fragments, "the type rule has found these fragments");
    builder.setBefore(op);
    builder.setRange(op->range());
    Value *own = withShape(builder, op->operand(0), fragments->a->ownerShape(Axis::Lane));
    // Each lane needs the rows of a and the columns of b for its part of the result.
    const DimOf rows{fragments->c, 0}, columns{fragments->c, 1}, all{nullptr, 0};
    const Layout *left = combined(context, std::array{rows, all}, fragments->a->shape()),
                 *right = combined(context, std::array{all, columns}, fragments->b->shape());
    XT_CHECK(left && right, "the rows and columns of a layout on lanes alone");
    Value *ownB = rowsOfB(builder, op->operand(1), fragments->b->ownerShape(Axis::Lane)[0]);
    std::vector<Value *> operands = {exchange.converted(own, fragments->a, left),
                                     exchange.converted(ownB, fragments->b, right)};
    if (op->operandCount() > 2) operands.push_back(op->operand(2));
    Value *product = builder.value(OpKind::TileMma, std::move(operands), op->result()->type());
    op->result()->replaceAllUsesWith(product);
    op->block()->erase(op);
    diagnostics.report(DiagCode::BlockRemark, product->range(),
                       str(target.name, " has no matrix unit: shuffles bring all of a to each lane, which multiplies and adds "
                                        "element by element"));
  }
}

} // namespace xt
