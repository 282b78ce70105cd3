#include "passes/nest_loops.h"

#include "ir/builder.h"
#include "ir/infer/layout_rules.h"
#include "ir/layout/layout.h"
#include "ir/nest_rows.h"
#include "ir/op_kinds.h"
#include "ir/views/nest.h"
#include "ir/views/tile.h"

#include <array>

namespace xt {
namespace {

// Creates a load_tile whose result has the layout of the tile.
Value *load(Builder &build, Value *tile, bool transposed) {
  Type type = tile->type();
  int first = transposed ? 1 : 0;
  Type vector = build.context().vector({type.extent(first), type.extent(1 - first)}, type.elem());
  if (const Layout *layout = type.layout())
    vector = build.context().withLayout(
        vector, transposed ? xt::transposed(build.context(), layout, std::array<int64_t, 2>{1, 0}) : layout);
  Value *loaded = build.value(OpKind::LoadTile, {tile}, vector);
  if (transposed) LoadTileOp(*loaded->definingOp()).setTranspose({1, 0});
  return loaded;
}

void convertOperand(Builder &build, Op &product, size_t index) {
  Value *operand = product.operand(index);
  const Layout *wanted = operand->type().layout() ? wantedForOperand(build.context(), product, index) : nullptr;
  if (!wanted || wanted == operand->type().layout()) return;
  build.setBefore(&product);
  product.setOperand(index, build.value(OpKind::ConvertLayout, {operand}, build.context().withLayout(operand->type(), wanted)));
}

void expandNest(Op &nest, Context &context) {
  Builder build(context, *nest.block());
  build.setBefore(&nest);
  build.setRange(nest.range());
  std::vector<Value *> operands(nest.operands().begin() + 3, nest.operands().end());
  operands.insert(operands.end(), {nest.operand(2), nest.operand(0), nest.operand(1)});
  Type sum = nest.result()->type(), types[] = {nest.operand(0)->type(), nest.operand(1)->type()};
  Op *loop = build.create(OpKind::For, std::move(operands), {sum, types[0], types[1]}, 1);
  loop->result()->setName(nest.result()->name());
  Block &body = *loop->region();
  body.addParam(context.index());
  Value *carried = body.addParam(sum);
  Value *tiles[] = {body.addParam(types[0]), body.addParam(types[1])};
  bool transposed[] = {NestOp(nest).transposeA(), NestOp(nest).transposeB()};
  build.setEnd(body);
  std::vector<Value *> factors;
  for (size_t i = 0; i < 2; ++i) factors.push_back(load(build, tiles[i], transposed[i]));
  Op *product = build.create(OpKind::TileMma, {factors[0], factors[1], carried}, {sum});
  for (size_t i = 0; i < 2; ++i) convertOperand(build, *product, i);
  build.setEnd(body);
  std::vector<Value *> next = {product->result()};
  for (size_t i = 0; i < 2; ++i) {
    bool down = (i == 1) != transposed[i]; // whether K is dimension 0 of the tile
    Value *extent = build.index(types[i].extent(down ? 0 : 1)), *zero = build.index(0);
    next.push_back(build.value(OpKind::UpdateTileOffset, {tiles[i], down ? extent : zero, down ? zero : extent}, types[i]));
  }
  build.create(OpKind::Yield, std::move(next), {});
  nest.result()->replaceAllUsesWith(loop->result());
  nest.block()->erase(&nest);
}

} // namespace

Result<void> expandNests(Kernel &kernel, Context &context, Diagnostics &diagnostics) {
  std::vector<Op *> nests;
  walk(kernel.body, [&](Op &op) {
    if (op.kind() == OpKind::Nest) nests.push_back(&op);
  });
  for (Op *nest : nests) {
    if (nestRows(*nest)) {
      diagnostics.report(DiagCode::NotSupported, nest->operandRange(kNestRowsOperand),
                         "rows of a `nest` can be given for CPUs only");
      return Error::diagnosed();
    }
    expandNest(*nest, context);
  }
  return {};
}

} // namespace xt
