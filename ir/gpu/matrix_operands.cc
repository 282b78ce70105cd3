#include "ir/gpu/matrix_operands.h"

#include "ir/context.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/matrix_loads.h"
#include "ir/gpu/operand_layout.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

bool rearranges(const Op &op) {
  return op.kind() == OpKind::Reshape || op.kind() == OpKind::Transpose || op.kind() == OpKind::ConvertLayout;
}

bool sameOperands(const Op &a, const Op &b) {
  return a.operand(0)->type() == b.operand(0)->type() && a.operand(1)->type() == b.operand(1)->type() &&
         a.result()->type() == b.result()->type();
}

// The value in a loop that begins as this operand; null for other ops and operands.
const Value *carriedBy(const Op &op, size_t operand) {
  constexpr size_t kBounds = 3;
  if (op.info().typeRule != TypeRule::For || operand < kBounds) return nullptr;
  return op.region(0)->param(1 + operand - kBounds);
}

// Adds the uses of a value to `found`; false if some use is no operand of a product, or another one than `found`.
bool collect(const Value *value, ProductOperand &found) {
  for (Use use : value->uses()) {
    const Op &user = *use.user;
    if (const Value *next = rearranges(user) ? user.result() : carriedBy(user, use.operand)) {
      if (!collect(next, found)) return false;
      continue;
    }
    if (user.kind() != OpKind::Dpas) return false;
    if (found && (found.operand != use.operand || !sameOperands(*found.product, user))) return false;
    if (!found) found = {&user, use.operand};
  }
  return true;
}

bool isPlainWindow(Type window) {
  const TypeData &data = window.data();
  return window.rank() == 2 && !data.scatter && !data.packed;
}

} // namespace

MmaShape productShape(Context &context, const Op &dpas, int64_t lanes) {
  Type a = dpas.operand(0)->type(), b = dpas.operand(1)->type(), result = dpas.result()->type();
  MmaShape shape{a.elem(),         b.elem(),         result.elem(),
                 result.extent(0), result.extent(1), a.rank() == 3 ? a.extent(1) * a.extent(2) : a.extent(1)};
  if (lanes == 0) return shape;
  auto found = dpasFragments(context, a, b, result, lanes);
  if (const auto *matrices = std::get_if<DpasFragments>(&found))
    shape.m = matrices->rows, shape.n = matrices->columns, shape.k = matrices->depth;
  return shape;
}

ProductOperand productOf(const Value *loaded) {
  ProductOperand found;
  return collect(loaded, found) ? found : ProductOperand{};
}

ProductOperand productThatGives(const Value *stored) {
  for (;;) {
    const Op *op = stored->definingOp();
    if (!op) return {};
    if (op->kind() == OpKind::Dpas) return {op, 2};
    if (op->info().typeRule != TypeRule::For) return {};
    std::vector<Value *> yielded = yieldedBy(*op->region(0));
    stored = yielded[stored->index()];
  }
}

ProductOperand movedOperand(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::LoadTile:
    if (LoadTileOp(op).padding()) return {};
    [[fallthrough]];
  case TypeRule::LoadNd: return isPlainWindow(op.operand(0)->type()) ? productOf(op.result()) : ProductOperand{};
  case TypeRule::StoreTile:
  case TypeRule::StoreNd: {
    Type window = op.operand(1)->type();
    bool plain = isPlainWindow(window) && window.data().order == Order::RowMajor;
    return plain ? productThatGives(op.operand(0)) : ProductOperand{};
  }
  default: return {};
  }
}

const MmaOperandLayout &layoutOf(const MmaInstruction &instruction, size_t operand) {
  return operand == 0 ? instruction.aLayout : operand == 1 ? instruction.bLayout : instruction.cLayout;
}

bool movesMatrix(Context &context, const TargetInfo &target, const Op &op, int64_t lanes) {
  bool loads = op.info().typeRule == TypeRule::LoadNd;
  if (target.matrixLoads && loads) {
    const TypeData &block = op.operand(0)->type().data();
    return block.space == MemorySpace::Slm && block.layout && matrixLoad(*block.layout, block.elem);
  }
  if (!target.cooperativeMatrices || (!loads && op.info().typeRule != TypeRule::StoreNd)) return false;
  ProductOperand moved = movedOperand(op);
  const MmaInstruction *row = moved ? findProduct(target, productShape(context, *moved.product, lanes)) : nullptr;
  const Layout *layout = row ? registerLayout(context, layoutOf(*row, moved.operand)).layout : nullptr;
  if (layout && loads && transposes(op)) layout = transposed(context, layout, std::vector<int64_t>{1, 0});
  return layout && layout == op.operand(loads ? 0 : 1)->type().layout();
}

} // namespace xt
